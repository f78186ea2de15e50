"""chiang2023 section 3.1, drawn: the perplexity of each story generator as it learns."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator, ScalarFormatter

from retrial.figures import Points
from retrial.figures.style import COLOURS, INK, panels, series_of, title
from retrial.record import GENERATOR_LOG, read
from retrial.tables.select import Results

SERIES = {"train": "training stories, since the point before", "valid": "validation stories, all"}


def points(job: Mapping[str, Any], cells: Sequence[Mapping[str, Any]], results: Results) -> Points:
    """The logged perplexities of every generator, by the passes over its training stories."""
    found: Points = []
    for generator in job["spec"]["generators"]:
        log = read(results.root / "generators" / generator / "training.parquet", GENERATOR_LOG)
        for row in log.sort_by("step").to_pylist():
            found.append(
                {
                    "figure": job["figure"],
                    "panel": generator,
                    "series": SERIES[row["split"]],
                    "x": f"{row['epoch']:.6g}",
                    "order": len(found),
                    "value": row["perplexity"],
                    "n": row["tokens"],
                    "note": f"step {row['step']}",
                    "cell": "",
                    "inferred": False,
                }
            )
    return found


def draw(points: Sequence[Mapping[str, Any]]) -> Figure:
    """A panel a generator: training perplexity as a line, validation with a marker an epoch."""
    generators = series_of(points, "panel")
    columns = min(2, len(generators)) or 1
    rows = -(-len(generators) // columns) or 1
    figure, axes = panels(rows, columns, 0.85 + 1.9 * rows)
    looks = dict(zip(SERIES.values(), _looks(), strict=True))
    for panel, generator in zip(axes.flat, generators, strict=False):
        title(panel, generator)
        for series, look in looks.items():
            mine = [p for p in points if (p["panel"], p["series"]) == (generator, series)]
            panel.plot(
                [float(p["x"]) for p in mine], [p["value"] for p in mine], label=series, **look
            )
        panel.set_yscale("log")
        panel.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        panel.yaxis.set_minor_locator(NullLocator())
        panel.yaxis.set_major_formatter(ScalarFormatter())
        panel.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        panel.grid(axis="y", color="#e5e7eb", linewidth=0.6)
        panel.set_axisbelow(True)
    for panel in list(axes.flat)[len(generators) :]:
        panel.set_visible(False)
    figure.supxlabel("passes over the training stories (0: before training)", fontsize=8)
    figure.supylabel("perplexity of a story token", fontsize=8)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, fontsize=7.5,
                  labelcolor=INK, frameon=False)  # fmt: skip
    return figure


def _looks() -> tuple[dict[str, Any], dict[str, Any]]:
    return (
        {"color": COLOURS[0], "linewidth": 1},
        {"color": COLOURS[1], "linewidth": 1.2, "marker": "s", "markersize": 4},
    )

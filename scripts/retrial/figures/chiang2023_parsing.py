"""How far other parsing and failure rules move each number, against the published rule."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from retrial.figures import Points
from retrial.figures.style import (
    COLOURS,
    MARKERS,
    NAMES,
    QUIET,
    legend_of,
    panels,
    rows_of,
    series_of,
    title,
    with_interval,
)
from retrial.tables.chiang2023_parse_policies import SHIFT
from retrial.tables.derived import cell_name
from retrial.tables.select import Results

STATISTICS = (("mean", "mean"), ("sd", "SD"), ("alpha", "alpha"),
              ("agreement_percent", "agreement, %"))  # fmt: skip
SMALLEST = 1e-9


def points(job: Mapping[str, Any], cells: Sequence[Mapping[str, Any]], results: Results) -> Points:
    """The shift of every number under every rule, where it is defined."""
    found: Points = []
    for cell in cells:
        rule = cell["row"].removeprefix(f"{cell['block']} / ")
        if not rule.endswith(SHIFT) or cell["value"] is None:
            continue
        attribute, _, suffix = cell["column"].partition("_")
        found.append(
            {
                "figure": job["figure"],
                "panel": suffix,
                "series": rule.removesuffix(SHIFT),
                "x": f"{cell['block']} / {attribute}",
                "order": len(found),
                "value": cell["value"],
                "ci_low": cell["ci_low"],
                "ci_high": cell["ci_high"],
                "n": cell["n"],
                "note": None,
                "cell": cell_name(cell["table"], cell["row"], cell["column"]),
                "inferred": False,
            }
        )
    return found


def draw(points: Sequence[Mapping[str, Any]]) -> Figure:
    """A panel for each statistic; cells that no rule moves are counted, the others named."""
    moved = _moved(points)
    labels = [x for x in series_of(points, "x") if x in moved][::-1]
    figure, axes = panels(1, 4, 1.3 + 0.42 * len(labels), sharey=True)
    rules = series_of(points, "series")
    for place, (suffix, name) in enumerate(STATISTICS):
        panel = axes[0][place]
        title(panel, name)
        rows_of(panel, [_short(x) for x in labels])
        panel.axvline(0, color=QUIET, linewidth=0.8, linestyle=(0, (3, 2)), zorder=1)
        for number, rule in enumerate(rules):
            for point in points:
                if (point["panel"], point["series"]) == (suffix, rule) and point["x"] in moved:
                    y = labels.index(point["x"]) + 0.2 * (1 - number)
                    with_interval(panel, point, y, COLOURS[number], MARKERS[number])
        panel.margins(x=0.2)
        panel.locator_params(axis="x", nbins=3)
    figure.supxlabel(_says(points, len(labels)), fontsize=8)
    legend_of(figure, axes[0][0], rules)
    return figure


def _moved(points: Sequence[Mapping[str, Any]]) -> set[str]:
    return {str(p["x"]) for p in points if abs(p["value"]) > SMALLEST}


def _says(points: Sequence[Mapping[str, Any]], moved: int) -> str:
    """The axis in words: what is drawn, the largest shift of a mean, what does not move."""
    still = len(series_of(points, "x")) - moved
    means = [abs(p["value"]) for p in points if p["panel"] == STATISTICS[0][0]]
    largest = f"{max(means, default=0.0):.2g}"
    return (
        f"shift against the published rule, 95 % interval (scales differ; largest of a mean "
        f"{largest})\nrows: judge, instruction, writer, attribute; no rule moves any number of "
        f"the other {still} rows"
    )


def _short(label: str) -> str:
    judge, condition, writer, attribute = label.split(" / ")
    return f"{judge}, {condition}\n{NAMES.get(writer, writer)}, {attribute}"

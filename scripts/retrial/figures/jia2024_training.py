"""jia2024 section 5.4: the loss of every tuning, on its training items and on held-out ones."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from retrial.figures import Points
from retrial.figures.style import COLOURS, INK, panels, series_of, title
from retrial.metrics import FloatArray
from retrial.tables.select import Results

TRAIN, MEAN, HELD_OUT = "train", "train, running mean", "held-out"
WINDOW = 20
"""Steps of the running mean: up to this many, and at most a quarter of those that there are."""
FEW = 4
"""Up to so many panels stand in two columns, more in three."""


def points(job: Mapping[str, Any], cells: Sequence[Mapping[str, Any]], results: Results) -> Points:
    """The loss of each step, its running mean, and the held-out loss, for every tuning."""
    found: Points = []
    for tuning in job["spec"]["tunings"]:
        log = results.training_log(tuning).sort_by("step").to_pylist()
        steps = {split: [r for r in log if r["split"] == split] for split in (TRAIN, HELD_OUT)}
        losses = np.array([r["loss"] for r in steps[TRAIN]], dtype=np.float64)
        means, window = running_mean(losses)
        curves = [
            (TRAIN, steps[TRAIN], losses, 1),
            (MEAN, steps[TRAIN], means, window),
            (HELD_OUT, steps[HELD_OUT], np.array([r["loss"] for r in steps[HELD_OUT]]), 1),
        ]
        for series, rows, values, n in curves:
            for row, value in zip(rows, values, strict=True):
                place = (job["figure"], tuning, series, row)
                found.append(_point(*place, len(found), float(value), n))
    return found


def running_mean(values: FloatArray) -> tuple[FloatArray, int]:
    """The mean of each value and those just before it, (n,), and how many those are at most."""
    window = max(1, min(WINDOW, values.size // 4))
    sums = np.cumsum(np.concatenate([[0.0], values]))
    ends = np.arange(1, values.size + 1)
    starts = np.maximum(ends - window, 0)
    return (sums[ends] - sums[starts]) / (ends - starts), window


def _point(
    figure: str, tuning: str, series: str, row: Mapping[str, Any], order: int, value: float, n: int
) -> dict[str, Any]:
    return {
        "figure": figure,
        "panel": tuning,
        "series": series,
        "x": str(row["step"]),
        "order": order,
        "value": value,
        "ci_low": None,
        "ci_high": None,
        "n": n,
        "note": f"epoch {row['epoch']:g}",
        "cell": "",
        "inferred": False,
    }


def draw(points: Sequence[Mapping[str, Any]]) -> Figure:
    """A panel a tuning: steps faint, their running mean a line, held-out losses as markers."""
    tunings = series_of(points, "panel")
    columns = min(2 if len(tunings) <= FEW else 3, len(tunings)) or 1
    rows = -(-len(tunings) // columns) or 1
    figure, axes = panels(rows, columns, 0.85 + 1.75 * rows)
    looks = {
        TRAIN: {"color": COLOURS[4], "linewidth": 0.6, "alpha": 0.7},
        MEAN: {"color": COLOURS[0], "linewidth": 1.4},
        HELD_OUT: {"color": COLOURS[1], "linewidth": 1, "marker": "s", "markersize": 3.6},
    }
    for panel, tuning in zip(axes.flat, tunings, strict=False):
        title(panel, tuning)
        for series, look in looks.items():
            mine = [p for p in points if (p["panel"], p["series"]) == (tuning, series)]
            x = [int(p["x"]) for p in mine]
            panel.plot(x, [p["value"] for p in mine], label=series, **look)
        panel.set_ylim(bottom=0)
        panel.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        panel.grid(axis="y", color="#e5e7eb", linewidth=0.6)
        panel.set_axisbelow(True)
    for panel in list(axes.flat)[len(tunings) :]:
        panel.set_visible(False)
    figure.supxlabel("optimiser step", fontsize=8)
    figure.supylabel("loss on the rating tokens", fontsize=8)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(looks), fontsize=7.5,
                  labelcolor=INK, frameon=False)  # fmt: skip
    return figure

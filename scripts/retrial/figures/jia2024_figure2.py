"""jia2024 Figure 2: distribution of people's ratings in the training sets and the test split.

Every rating is the mean of an item's raters, rounded half up. The paper's dialogues are not
released, so only the shapes can be compared.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from retrial.figures import Points
from retrial.figures.style import COLOURS, INK, QUIET, panels, series_of, title
from retrial.metrics import FloatArray
from retrial.metrics.confusion import round_half_up
from retrial.tables.declare import Selection
from retrial.tables.select import Results, pooled

TEST = "test"
RATINGS = (1, 2, 3, 4, 5)
DISTANCE = "distance to test"
"""Half the sum of the differences of shares: 0 for the same distribution, 1 for disjoint ones."""
ROOM = 1.42
"""Height of a panel over its highest bar, for the words above the bars."""


def points(job: Mapping[str, Any], cells: Sequence[Mapping[str, Any]], results: Results) -> Points:
    """The share of each rating in every training set, and in the test split of the datasets."""
    test = pooled([results.select(_tested(d)) for d in job["spec"]["datasets"]])
    shown = []
    for name, label in job["training_sets"].items():
        drawn = results.training_set(name)
        scores = np.asarray(drawn["likert"].to_numpy(), dtype=np.float64)
        shown.append((label, scores, ", ".join(sorted(set(drawn["draw"].to_pylist())))))
    shown.append((TEST, test.mean_scores(test.item_ids), ""))
    reference = _shares(shown[-1][1])
    found: Points = []
    for label, scores, draw in shown:
        shares = _shares(scores)
        distance = float(np.abs(shares - reference).sum() / 2)
        note = f"drawn: {draw}\n{DISTANCE} {distance:.3f}" if draw else ""
        for rating, share in zip(RATINGS, shares, strict=True):
            found.append(_point(job["figure"], label, rating, len(found), share, scores, note))
    return found


def _tested(dataset: str) -> Selection:
    file = f"ratings/human/{dataset}.parquet"
    return Selection("human", file, (("attribute", "overall"),), f"items/{dataset}.parquet", "test")


def _shares(scores: FloatArray) -> FloatArray:
    """The share of each rating among the items, as an array of five; NaN without any item."""
    rounded = round_half_up(scores)
    counts = np.array([(rounded == rating).sum() for rating in RATINGS], dtype=np.float64)
    return counts / counts.sum() if counts.sum() else np.full(len(RATINGS), np.nan)


def _point(
    figure: str, label: str, rating: int, order: int, share: float, scores: FloatArray, note: str
) -> dict[str, Any]:
    return {
        "figure": figure,
        "panel": label,
        "series": label,
        "x": str(rating),
        "order": order,
        "value": None if np.isnan(share) else float(share),
        "ci_low": None,
        "ci_high": None,
        "n": int(scores.size),
        "note": note or None,
        "cell": "",
        "inferred": False,
    }


def draw(points: Sequence[Mapping[str, Any]]) -> Figure:
    """A panel a set; the test split stands behind the others as an outline."""
    names = series_of(points, "panel")
    figure, axes = panels(1, len(names), 2.2, sharey=True)
    outline = _of(points, TEST)
    for number, (panel, name) in enumerate(zip(axes[0], names, strict=True)):
        mine = _of(points, name)
        title(panel, f"({chr(ord('a') + number)}) {name}")
        colour = COLOURS[0] if name == TEST else COLOURS[1]
        panel.bar(RATINGS, [p["value"] or 0 for p in mine], width=0.72, color=colour, alpha=0.85)
        if name != TEST:
            heights = [p["value"] or 0 for p in outline]
            panel.bar(RATINGS, heights, width=0.72, fill=False, edgecolor=INK, linewidth=0.9)
        _words(panel, mine)
        panel.set_xticks(RATINGS)
        panel.grid(axis="y", color="#e5e7eb", linewidth=0.6)
        panel.set_axisbelow(True)
    axes[0][0].set_ylabel("share of dialogues")
    axes[0][0].set_ylim(0, axes[0][0].get_ylim()[1] * ROOM)
    figure.supxlabel("people's mean rating, rounded half up (outline: test)", fontsize=8)
    return figure


def _of(points: Sequence[Mapping[str, Any]], panel: str) -> list[Mapping[str, Any]]:
    chosen = (point for point in points if point["panel"] == panel)
    return sorted(chosen, key=lambda point: int(point["x"]))


def _words(panel: Axes, points: Sequence[Mapping[str, Any]]) -> None:
    """How many dialogues, and how far from the test split."""
    lines: Iterator[str] = (text for text in (f"n = {points[0]['n']:,}", points[0]["note"]) if text)
    panel.text(0.03, 0.97, "\n".join(lines), transform=panel.transAxes, fontsize=7, va="top",
               color=QUIET)  # fmt: skip

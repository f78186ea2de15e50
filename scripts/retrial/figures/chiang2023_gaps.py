"""chiang2023 section 3.3, drawn: human-written minus GPT-2 ratings, by attribute and judge."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from retrial.figures import Points
from retrial.figures.style import (
    COLOURS,
    INK,
    QUIET,
    panels,
    rows_of,
    series_of,
    title,
    with_interval,
)
from retrial.tables.chiang2023 import ATTRIBUTES
from retrial.tables.derived import cell_name
from retrial.tables.select import Results

SIGNIFICANT, NOT_SIGNIFICANT = "p < .05 after Holm", "not significant"
LEVEL = 0.05
AXIS = "mean rating of human-written minus GPT-2 stories, with 95 % interval"


def points(job: Mapping[str, Any], cells: Sequence[Mapping[str, Any]], results: Results) -> Points:
    """One point for each judge and attribute; its note says whether it is significant."""
    by_key = {(cell["row"], cell["column"]): cell for cell in cells}
    found: Points = []
    for attribute in ATTRIBUTES:
        for row in dict.fromkeys(cell["row"] for cell in cells):
            gap = by_key[row, f"{attribute}_gap"]
            p = by_key.get((row, f"{attribute}_welch_stories_p_holm"))
            if gap["value"] is None:
                continue
            significant = p is not None and p["value"] is not None and p["value"] < LEVEL
            found.append(
                {
                    "figure": job["figure"],
                    "panel": attribute,
                    "series": row,
                    "x": row,
                    "order": len(found),
                    "value": gap["value"],
                    "ci_low": gap["ci_low"],
                    "ci_high": gap["ci_high"],
                    "n": gap["n"],
                    "note": SIGNIFICANT if significant else NOT_SIGNIFICANT,
                    "cell": cell_name(gap["table"], row, f"{attribute}_gap"),
                    "inferred": False,
                }
            )
    return found


def draw(points: Sequence[Mapping[str, Any]]) -> Figure:
    """Four panels of horizontal intervals around zero; filled markers are significant."""
    judges = series_of(points, "x")[::-1]
    figure, axes = panels(1, 4, 1.15 + 0.25 * len(judges), sharey=True, sharex=True)
    for place, attribute in enumerate(ATTRIBUTES):
        panel = axes[0][place]
        title(panel, attribute)
        rows_of(panel, judges)
        panel.axvline(0, color=QUIET, linewidth=0.8, linestyle=(0, (3, 2)), zorder=1)
        for point in (p for p in points if p["panel"] == attribute):
            y = judges.index(point["x"])
            with_interval(panel, point, y, COLOURS[0], filled=point["note"] == SIGNIFICANT)
    figure.supxlabel(AXIS, fontsize=8)
    handles = [
        axes[0][0].plot([], [], marker="o", color=COLOURS[0], markersize=4.4, linestyle="",
                        markerfacecolor=face, label=name)[0]
        for name, face in ((SIGNIFICANT, COLOURS[0]), (NOT_SIGNIFICANT, "white"))
    ]  # fmt: skip
    figure.legend(handles=handles, loc="outside upper center", ncols=2, fontsize=7.5,
                  labelcolor=INK, frameon=False)  # fmt: skip
    return figure

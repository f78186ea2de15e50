"""chiang2023 Table 1, drawn: mean rating of human-written and GPT-2 stories by each judge."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from retrial.figures import Points
from retrial.figures.style import (
    COLOURS,
    MARKERS,
    NAMES,
    legend_of,
    panels,
    rows_of,
    series_of,
    title,
    with_interval,
)
from retrial.tables.chiang2023 import ATTRIBUTES, WRITERS
from retrial.tables.derived import cell_name
from retrial.tables.select import Results

AXIS = "mean rating, with 95 % interval (where none is seen, it is narrower than the marker)"


def points(job: Mapping[str, Any], cells: Sequence[Mapping[str, Any]], results: Results) -> Points:
    """One point for each attribute, judge and writer that has ratings."""
    found: Points = []
    for cell in cells:
        attribute, _, suffix = cell["column"].partition("_")
        if suffix != "mean" or cell["value"] is None:
            continue
        judge, writer = cell["row"].rsplit(" / ", 1)
        found.append(
            {
                "figure": job["figure"],
                "panel": attribute,
                "series": writer,
                "x": judge,
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
    """Four panels, one for each attribute; judges in rows, their two writers side by side."""
    judges = series_of(points, "x")[::-1]
    figure, axes = panels(2, 2, 1.3 + 0.46 * len(judges), sharex=True, sharey=True)
    for place, attribute in enumerate(ATTRIBUTES):
        panel = axes.flat[place]
        title(panel, attribute)
        rows_of(panel, judges)
        for shift, writer, colour, marker in zip(
            (0.15, -0.15), WRITERS, COLOURS, MARKERS, strict=False
        ):
            for point in points:
                if (point["panel"], point["series"]) == (attribute, writer):
                    y = judges.index(point["x"]) + shift
                    with_interval(panel, point, y, colour, marker)
        panel.margins(x=0.08)
    figure.supxlabel(AXIS, fontsize=8)
    legend_of(figure, axes[0][0], [f"{NAMES[writer]} stories" for writer in WRITERS])
    return figure

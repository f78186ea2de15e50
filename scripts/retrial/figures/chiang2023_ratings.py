"""chiang2023 Table 1, drawn: mean rating of human-written and GPT-2 stories by each judge."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from retrial.figures import Points
from retrial.figures.style import (
    COLOURS,
    MARKERS,
    legend_of,
    panels,
    series_of,
    title,
    with_interval,
)
from retrial.tables.chiang2023 import ATTRIBUTES, MIXED, WRITERS
from retrial.tables.derived import cell_name
from retrial.tables.select import Results

SHORT = {MIXED: "teachers (mixed)"}


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
    """Four panels, one for each attribute; judges along the axis, writers side by side."""
    figure, axes = panels(1, 4, 3.0, sharey=True)
    judges = series_of(points, "x")
    for place, attribute in enumerate(ATTRIBUTES):
        panel = axes[0][place]
        title(panel, attribute)
        for shift, writer, colour, marker in zip(
            (-0.12, 0.12), WRITERS, COLOURS, MARKERS, strict=False
        ):
            for point in points:
                if point["panel"] == attribute and point["series"] == writer:
                    x = judges.index(point["x"]) + shift
                    with_interval(panel, x, point, colour, marker)
        panel.set_xticks(range(len(judges)), [SHORT.get(j, j) for j in judges])
        panel.tick_params(axis="x", labelrotation=90)
        panel.set_xlim(-0.5, len(judges) - 0.5)
        panel.grid(axis="y", color="#e5e7eb", linewidth=0.6)
        panel.set_axisbelow(True)
    axes[0][0].set_ylabel("mean rating, 95 % interval")
    legend_of(figure, axes[0][0], WRITERS)
    return figure

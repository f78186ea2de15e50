"""jia2024 section 5.1, drawn: correlation with people against the number of parameters."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from retrial.figures import Points
from retrial.figures.style import COLOURS, INK, MARKERS, QUIET, panels, series_of, title
from retrial.tables.derived import cell_name
from retrial.tables.jia2024 import CEILING
from retrial.tables.jia2024_columns import CORRELATIONS
from retrial.tables.select import Results

SIZE_IN_NAME = re.compile(r"[-_ ]?\d+(?:\.\d+)?\s?[bm](?![a-z])", re.IGNORECASE)
PRINTED = ", as printed"
AXIS = "parameters, billions (judges of one size stand side by side)"
NEAR, ASIDE = 0.07, 0.012
"""Shares of the axis: sizes as near as this name themselves on two lines; between two families."""
LEGEND = 3
"""Entries in a line of the legend."""


def points(job: Mapping[str, Any], cells: Sequence[Mapping[str, Any]], results: Results) -> Points:
    """Each judge whose size is known, measured and as printed, and the human ceiling."""
    sizes = {job["judges"][j]: float(b) for j, b in job["parameters_billion"].items()}
    by_key = {(cell["row"], cell["column"]): cell for cell in cells}
    found: Points = []
    for column in CORRELATIONS:
        if (CEILING, column) in by_key:
            found.append(_point(job, by_key[CEILING, column], CEILING, "", len(found)))
        for label, series in _families(sizes).items():
            cell = by_key.get((label, column))
            if cell is None:
                continue
            size = f"{sizes[label]:g}"
            found.append(_point(job, cell, series, size, len(found)))
            if cell["published"]:
                printed = {**cell, "value": float(cell["published"]), "ci_low": None,
                           "ci_high": None, "n": 0, "reason": None}  # fmt: skip
                found.append(_point(job, printed, series + PRINTED, size, len(found)))
    return found


def _point(
    job: Mapping[str, Any], cell: Mapping[str, Any], series: str, size: str, order: int
) -> dict[str, Any]:
    return {
        "figure": job["figure"],
        "panel": cell["column"],
        "series": series,
        "x": size,
        "order": order,
        "value": cell["value"],
        "ci_low": cell["ci_low"],
        "ci_high": cell["ci_high"],
        "n": cell["n"],
        "note": cell["row"],
        "cell": cell_name(cell["table"], cell["row"], cell["column"]),
        "inferred": False,
    }


def _families(sizes: Mapping[str, float]) -> dict[str, str]:
    """The family of each judge: its label without the size, or the label where two would meet."""
    families = {label: SIZE_IN_NAME.sub("", label) for label in sizes}
    places = [(families[label], sizes[label]) for label in sizes]
    return {
        label: families[label] if places.count((families[label], sizes[label])) == 1 else label
        for label in sizes
    }


def draw(points: Sequence[Mapping[str, Any]]) -> Figure:
    """A panel a correlation: filled markers are measured, open ones printed."""
    judges = [p for p in points if p["series"] != CEILING]
    families = list(dict.fromkeys(_family(s) for s in series_of(judges, "series")))
    lines = -(-(len(families) + 2) // LEGEND)
    figure, axes = panels(1, len(CORRELATIONS), 2.55 + 0.17 * lines, sharey=True, sharex=True)
    for panel, column in zip(axes[0], CORRELATIONS, strict=True):
        title(panel, column.capitalize())
        mine = [p for p in points if p["panel"] == column]
        _ceiling(panel, [p for p in mine if p["series"] == CEILING])
        _sizes(panel, [float(p["x"]) for p in judges])
        for number, family in enumerate(families):
            _family_line(panel, [p for p in mine if _family(p["series"]) == family], number,
                         len(families))  # fmt: skip
        panel.axhline(0, color=QUIET, linewidth=0.6, zorder=1)
    axes[0][0].set_ylabel("correlation with people, 95 % interval")
    figure.supxlabel(AXIS, fontsize=8)
    handles = list(_handles(axes[0][0], families, points))
    figure.legend(handles=handles, loc="outside upper center", ncols=LEGEND, fontsize=7.5,
                  labelcolor=INK, frameon=False)  # fmt: skip
    return figure


def _family(series: str) -> str:
    return str(series).removesuffix(PRINTED)


def _sizes(panel: Axes, sizes: Sequence[float]) -> None:
    """A logarithmic axis that names the sizes themselves."""
    known = sorted(set(sizes)) or [1.0]
    first, last = known[0] / 1.6, known[-1] * 1.6
    near = (last / first) ** NEAR
    labels: list[str] = []
    for place, size in enumerate(known):
        lower = place > 0 and size < known[place - 1] * near and not labels[-1].startswith("\n")
        labels.append(f"\n{size:g}" if lower else f"{size:g}")
    panel.set_xscale("log")
    panel.set_xticks(known, labels)
    panel.xaxis.set_minor_formatter(NullFormatter())
    panel.tick_params(axis="x", which="minor", length=0)
    panel.set_xlim(first, last)
    panel.grid(axis="y", color="#e5e7eb", linewidth=0.6)
    panel.set_axisbelow(True)


def _ceiling(panel: Axes, ceiling: Sequence[Mapping[str, Any]]) -> None:
    for point in ceiling:
        if point["value"] is None:
            continue
        panel.axhline(point["value"], color=INK, linewidth=1, linestyle=(0, (4, 2)), zorder=1)
        if point["ci_low"] is not None:
            panel.axhspan(point["ci_low"], point["ci_high"], color="#eef0f2", zorder=0)


def _family_line(
    panel: Axes, points: Sequence[Mapping[str, Any]], number: int, families: int
) -> None:
    """One family: measured values joined by a line with intervals, printed ones open."""
    colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
    first, last = panel.get_xlim()
    aside = (last / first) ** (ASIDE * (number - (families - 1) / 2))
    for printed in (False, True):
        chosen = sorted(
            (p for p in points
             if str(p["series"]).endswith(PRINTED) == printed and p["value"] is not None),
            key=lambda p: float(p["x"]),
        )  # fmt: skip
        x, y = [float(p["x"]) * aside for p in chosen], [p["value"] for p in chosen]
        panel.plot(
            x, y, color=colour, marker=marker, markersize=4.4, linewidth=0 if printed else 1,
            markerfacecolor="white" if printed else colour, markeredgewidth=0.9,
        )  # fmt: skip
        for place, point in zip(x, chosen, strict=True):
            if point["ci_low"] is not None:
                panel.plot([place, place], [point["ci_low"], point["ci_high"]], color=colour,
                           linewidth=1, marker="_", markersize=4)  # fmt: skip


def _handles(
    panel: Axes, families: Sequence[str], points: Sequence[Mapping[str, Any]]
) -> Iterator[Any]:
    series = {str(p["series"]) for p in points}
    for number, family in enumerate(families):
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        yield panel.plot([], [], color=colour, marker=marker, markersize=4.4, linewidth=1,
                         label=family)[0]  # fmt: skip
    if any(name.endswith(PRINTED) for name in series):
        yield panel.plot([], [], color=QUIET, marker="o", markerfacecolor="white", linewidth=0,
                         markersize=4.4, label="open: as printed (other dialogues)")[0]  # fmt: skip
    if CEILING in series:
        yield panel.plot([], [], color=INK, linewidth=1, linestyle=(0, (4, 2)),
                         label="human ceiling")[0]  # fmt: skip

"""How all figures look: type, colours that the colour-blind can tell apart, markers, PNG bytes."""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

DPI = 200
WIDTH_INCHES = 7.2
INK, QUIET = "#1b1f24", "#6b7280"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9")
MARKERS = ("o", "s", "^", "D", "v")
STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.edgecolor": QUIET,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
}


def panels(rows: int, columns: int, height: float, **options: Any) -> tuple[Figure, Any]:
    """A figure of one column's width in a paper, and its axes as a (rows, columns) array."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH_INCHES, height), layout="constrained")
        FigureCanvasAgg(figure)
        return figure, figure.subplots(rows, columns, squeeze=False, **options)


def title(axes: Axes, text: str) -> None:
    """A panel's title."""
    axes.set_title(text, fontsize=8.5, fontweight="bold", loc="left", color=INK)


def with_interval(
    axes: Axes, x: float, point: Mapping[str, Any], colour: str, marker: str, filled: bool = True
) -> None:
    """One point with its interval; nothing where it is undefined."""
    if point["value"] is None:
        return
    if point["ci_low"] is not None:
        axes.plot([x, x], [point["ci_low"], point["ci_high"]], color=colour, linewidth=1.3)
    face = colour if filled else "white"
    axes.plot(
        [x], [point["value"]], marker=marker, color=colour, markerfacecolor=face, markersize=5.2
    )


def series_of(points: Iterable[Mapping[str, Any]], key: str) -> list[str]:
    """The distinct values of a field, in the order of drawing."""
    ordered = sorted(points, key=lambda point: int(point["order"]))
    return list(dict.fromkeys(str(point[key]) for point in ordered))


def legend_of(figure: Figure, axes: Axes, names: Sequence[str]) -> None:
    """A legend of series above the panels: colour and marker, never colour alone."""
    handles = [
        axes.plot([], [], color=colour, marker=marker, linewidth=1.3, label=name)[0]
        for name, colour, marker in zip(names, COLOURS, MARKERS, strict=False)
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(names), fontsize=8,
                  frameon=False)  # fmt: skip


def to_png(figure: Figure) -> bytes:
    """The figure as PNG bytes: the same figure gives the same bytes."""
    sink = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        figure.savefig(sink, format="png", dpi=DPI, metadata={"Software": None})
    return sink.getvalue()

"""How all figures look: type, colours that the colour-blind can tell apart, markers, PNG bytes."""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

DPI = 200
WIDTH_INCHES = 6.3
"""The width of the text on a page of two columns, so that 8 points print as 8 points."""
INK, QUIET = "#1b1f24", "#6b7280"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9")
MARKERS = ("o", "s", "^", "D", "v")
NAMES = {"human-written": "human-written", "gpt2": "GPT-2"}
"""How figures name the writers of stories."""
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
    """A figure as wide as a page's text, and its axes as a (rows, columns) array."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH_INCHES, height), layout="constrained")
        FigureCanvasAgg(figure)
        figure.get_layout_engine().set(w_pad=0.07)  # type: ignore[union-attr,call-arg]
        return figure, figure.subplots(rows, columns, squeeze=False, **options)


def title(axes: Axes, text: str) -> None:
    """A panel's title."""
    axes.set_title(text, fontsize=8.5, fontweight="bold", loc="left", color=INK)


def with_interval(
    axes: Axes, point: Mapping[str, Any], y: float, colour: str, marker: str = "o",
    filled: bool = True,
) -> None:  # fmt: skip
    """One point at height y with its horizontal interval; nothing where it is undefined."""
    if point["value"] is None:
        return
    if point["ci_low"] is not None:
        ends = [point["ci_low"], point["ci_high"]]
        axes.plot(ends, [y, y], color=colour, linewidth=1.1, marker="|", markersize=4.5)
    face = colour if filled else "white"
    axes.plot([point["value"]], [y], marker=marker, color=colour, markerfacecolor=face,
              markersize=4.4, linestyle="")  # fmt: skip


def rows_of(axes: Axes, labels: Sequence[str]) -> None:
    """Name the rows of a panel; a quiet grid of the values, no ticks on the rows."""
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(-0.6, max(len(labels) - 0.4, 0.6))
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#e5e7eb", linewidth=0.6)
    axes.set_axisbelow(True)


def signed(text: str) -> str:
    """A text of numbers with true minus signs."""
    return text.replace("-", "\N{MINUS SIGN}")


def series_of(points: Iterable[Mapping[str, Any]], key: str) -> list[str]:
    """The distinct values of a field, in the order of drawing."""
    ordered = sorted(points, key=lambda point: int(point["order"]))
    return list(dict.fromkeys(str(point[key]) for point in ordered))


def legend_of(figure: Figure, axes: Axes, names: Sequence[str]) -> None:
    """A legend of series above the panels: colour and marker, never colour alone."""
    handles = [
        axes.plot([], [], color=colour, marker=marker, markersize=4.4, linestyle="", label=name)[0]
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

"""A page to draw on: text, rules and tints at places in inches from its top left corner."""

import io
from collections.abc import Iterable
from typing import Literal

from matplotlib import style
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from retrial.tables.render.type import Face, typeset, width

PIXELS_WIDE = 2400
DPI_LOWEST, DPI_HIGHEST = 140, 220
PIXELS_HIGHEST, PIXELS_IN_ALL = 60_000, 80_000_000

Align = Literal["left", "center", "right"]
Segment = tuple[str, Face, str | None]
"""A text, its face, and the tint behind it."""


class Canvas:
    """One page of `wide` by `high` inches, drawn without any display."""

    def __init__(self, wide: float, high: float) -> None:
        """An empty white page."""
        self.wide, self.high = wide, high
        with style.context("default"):
            self.figure = Figure(figsize=(wide, high), dpi=resolution(wide, high))
            self.agg = FigureCanvasAgg(self.figure)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        face: Face,
        align: Align = "left",
    ) -> None:
        """Draw one line with its baseline at y. Dollars are dollars: no mathematics is read."""
        if not text.strip():
            return
        self.figure.text(
            x / self.wide,
            1 - y / self.high,
            typeset(text),
            fontproperties=face.properties,
            color=face.colour,
            ha=align,
            va="baseline",
            parse_math=False,
        )

    def segments(self, x: float, y: float, parts: Iterable[Segment]) -> None:
        """Draw texts one after the other on one baseline."""
        for text, face, tint in parts:
            wide = width(text, face)
            if tint:
                self.tint(x - 0.03, y - face.line * 0.72, wide + 0.06, face.line, tint)
            self.text(x, y, text, face)
            x += wide

    def rule(self, left: float, right: float, y: float, points: float, colour: str) -> None:
        """Draw a horizontal line of so many points."""
        ends = [left / self.wide, right / self.wide], [1 - y / self.high] * 2
        self.figure.add_artist(Line2D(*ends, linewidth=points, color=colour, solid_capstyle="butt"))

    def tint(self, x: float, y: float, wide: float, high: float, colour: str) -> None:
        """Fill a box whose top left corner is at x, y."""
        corner = x / self.wide, 1 - (y + high) / self.high
        size = wide / self.wide, high / self.high
        self.figure.add_artist(
            Rectangle(corner, *size, facecolor=colour, edgecolor="none", zorder=0)
        )

    def png(self) -> bytes:
        """The page as PNG: the same drawing gives the same bytes."""
        out = io.BytesIO()
        with style.context("default"):
            self.figure.savefig(
                out, format="png", dpi=self.figure.dpi, facecolor="white",
                metadata={"Software": None},
            )  # fmt: skip
        return out.getvalue()


def resolution(wide: float, high: float) -> int:
    """Dots per inch: 140 to 220, less only where the page would be too large to draw."""
    wanted = min(max(PIXELS_WIDE / wide, DPI_LOWEST), DPI_HIGHEST)
    return int(min(wanted, PIXELS_HIGHEST / high, (PIXELS_IN_ALL / (wide * high)) ** 0.5))

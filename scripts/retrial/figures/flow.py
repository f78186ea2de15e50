"""Columns of boxes with arrows between them, for figures that show how something is done."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from retrial.figures.style import COLOURS, INK, QUIET, WIDTH_INCHES, panels

LINE_INCHES, HEAD_INCHES, PAD_INCHES, GAP_INCHES = 0.112, 0.16, 0.07, 0.17
TITLE_INCHES, EDGE_INCHES = 0.24, 0.06
WRITTEN, TOLD = "#f6f8fa", "#ffffff"
TYPE = 6.2


@dataclass(frozen=True)
class Box:
    """A box: its head and its text; `written` is set in the type of a machine."""

    head: str
    text: str
    written: bool = False

    def lines(self, width: int) -> list[str]:
        """The text, wrapped to so many characters of a machine's type."""
        return [
            part for line in self.text.split("\n") for part in textwrap.wrap(line, width) or [""]
        ]

    def height(self, width: int) -> float:
        """Height in inches."""
        return HEAD_INCHES + LINE_INCHES * len(self.lines(width)) + 2 * PAD_INCHES


def draw_flows(flows: Mapping[str, Sequence[Box]], width: int) -> Figure:
    """One column for each flow, by its title; text wraps at `width` characters.

    All end at the same height: the arrows of a shorter column are longer.
    """
    height = max(_height(boxes, width) for boxes in flows.values())
    whole = height + TITLE_INCHES + 2 * EDGE_INCHES
    figure, axes = panels(1, len(flows), whole)
    figure.set_layout_engine("none")
    wide = WIDTH_INCHES / len(flows)
    for number, (name, boxes) in enumerate(flows.items()):
        panel = axes[0][number]
        panel.set_axis_off()
        panel.set_position(
            (number / len(flows), EDGE_INCHES / whole, 1 / len(flows), height / whole)
        )
        panel.set(xlim=(0, wide), ylim=(-height, 0))
        panel.text(EDGE_INCHES, 0.1, name, fontsize=8.5, fontweight="bold", color=INK)
        spare = height - _height(boxes, width)
        _column(panel, boxes, width, GAP_INCHES + spare / max(len(boxes) - 1, 1))
    return figure


def _height(boxes: Sequence[Box], width: int) -> float:
    return sum(box.height(width) for box in boxes) + GAP_INCHES * (len(boxes) - 1)


def _column(panel: Axes, boxes: Sequence[Box], width: int, gap: float) -> None:
    right = panel.get_xlim()[1]
    top = 0.0
    for number, box in enumerate(boxes):
        bottom = top - box.height(width)
        _box(panel, box, width, top, bottom, right)
        if number < len(boxes) - 1:
            both = box.written and boxes[number + 1].written
            _arrow(panel, right / 2, bottom, bottom - gap, "or" if both else "")
        top = bottom - gap


def _box(panel: Axes, box: Box, width: int, top: float, bottom: float, right: float) -> None:
    edge = EDGE_INCHES
    panel.add_patch(
        FancyBboxPatch(
            (edge, bottom), right - 2 * edge, top - bottom, linewidth=0.8,
            boxstyle="round,pad=0,rounding_size=0.05", edgecolor=QUIET,
            facecolor=WRITTEN if box.written else TOLD, clip_on=False,
        )
    )  # fmt: skip
    left = edge + PAD_INCHES
    panel.text(left, top - PAD_INCHES, box.head, fontsize=7, fontweight="bold", va="top",
               color=COLOURS[0])  # fmt: skip
    family = "DejaVu Sans Mono" if box.written else "DejaVu Sans"
    for number, line in enumerate(box.lines(width)):
        y = top - PAD_INCHES - HEAD_INCHES - LINE_INCHES * number
        # a dollar sign is money here, and not the start of a formula
        panel.text(left, y, line, fontsize=5.6 if box.written else TYPE, family=family, va="top",
                   color=INK, parse_math=False)  # fmt: skip


def _arrow(panel: Axes, x: float, start: float, end: float, word: str) -> None:
    """An arrow down, or a word between two boxes of which one is taken."""
    if word:
        panel.text(x, (start + end) / 2, word, fontsize=7, ha="center", va="center", color=QUIET)
        return
    panel.annotate("", (x, end), (x, start),
                   arrowprops={"arrowstyle": "-|>", "color": QUIET, "linewidth": 0.9,
                               "shrinkA": 1, "shrinkB": 1})  # fmt: skip

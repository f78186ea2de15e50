"""Where everything of a drawn table stands: column widths and row heights, in inches."""

from collections.abc import Sequence
from dataclasses import dataclass

from retrial.tables.render.cell import INFERRED_MARK, CellView
from retrial.tables.render.grid import Column, Grid, Row
from retrial.tables.render.type import Face, width, wrap

INK, QUIET, PRINT, RULE = "#1a1c20", "#5d636d", "#1f5687", "#c3c7cd"
TINTS = {"reproduced": "#e3eefa", "differs": "#fdebd6", "not comparable": "#eff0f2"}
OTHER_TINT = "#eff0f2"

TITLE = Face(12, INK, bold=True)
LEGEND, LEGEND_BOLD, LEGEND_PRINT = Face(7.6, QUIET), Face(7.6, INK, bold=True), Face(7.6, PRINT)
HEAD, HEAD_GROUP = Face(7.8, INK), Face(7.8, INK, bold=True)
LABEL, BLOCK = Face(8.4, INK), Face(8.6, INK, bold=True)
VALUE, BEST, LEDGER = Face(8.6, INK), Face(8.6, INK, bold=True), Face(7.6, QUIET)
PAPER, INTERVAL, NOTE = Face(7.2, PRINT), Face(6.3, QUIET), Face(5.6, QUIET)
TEXT = Face(8, INK)
FOOT = Face(7.4, QUIET)

MARGIN, PAD, GAP, GROUP_GAP = 0.28, 0.07, 0.05, 0.12
LABEL_WIDEST, TEXT_WIDEST, TEXT_NARROWEST = 2.6, 4.6, 1.3
PAGE_NARROWEST, PAGE_OF_TEXT = 6.4, 13.0


@dataclass(frozen=True)
class Box:
    """A column's place: left edge and width, and within it where values and signs end."""

    column: Column
    ledger: bool
    left: float
    wide: float
    value_end: float
    signs_end: float

    @property
    def middle(self) -> float:
        """Centre of the column."""
        return self.left + self.wide / 2


@dataclass(frozen=True)
class Layout:
    """Columns, the row labels' width, and the page's width."""

    boxes: tuple[Box, ...]
    label_wide: float
    page_wide: float

    @property
    def right(self) -> float:
        """Right end of the rules."""
        return self.page_wide - MARGIN


def value_face(cell: CellView, ledger: bool) -> Face:
    """The face of a cell's number or text."""
    if cell.is_text:
        return TEXT
    if ledger:
        return LEDGER
    return BEST if cell.best else VALUE


def superscript(cell: CellView) -> str:
    """The small signs behind a value: inferred, number of the footnote."""
    return (INFERRED_MARK if cell.inferred else "") + (str(cell.note) if cell.note else "")


def beside(cell: CellView) -> str:
    """The printed value with the verdict's mark before it."""
    return cell.mark + cell.published


def lay_out(grid: Grid) -> Layout:
    """Columns as wide as their content; columns of sentences share what a page leaves them."""
    rows = [row for block in grid.blocks for row in block.rows]
    labels = [width(row.label, LABEL) for row in rows] + [width(grid.row_header, HEAD)]
    label = min(max(labels, default=0.5), LABEL_WIDEST) + 3 * PAD
    needs = [_need(column, rows, group.ledger) for group in grid.groups for column in group.columns]
    gaps = GROUP_GAP * max(len(grid.groups) - 1, 0)
    fixed = label + gaps + 2 * MARGIN
    wides = _share(grid.columns, [sum(need) for need in needs], fixed)
    spare = (PAGE_NARROWEST - fixed - sum(wides)) / max(len(wides), 1)
    wides = [wide + max(spare, 0.0) for wide in wides]
    boxes, left, at = [], MARGIN + label, 0
    for group in grid.groups:
        for column in group.columns:
            value, signs, paper, _ = needs[at]
            end = left + (wides[at] - value - signs - paper) / 2 + value
            boxes.append(Box(column, group.ledger, left, wides[at], end, end + signs))
            left, at = left + wides[at], at + 1
        left += GROUP_GAP
    return Layout(tuple(boxes), label, max(fixed + sum(wides), PAGE_NARROWEST))


def _need(column: Column, rows: Sequence[Row], ledger: bool) -> tuple[float, float, float, float]:
    """Widths of values, of signs behind and printed values beside them, and what is missing."""
    found = [row.cells[column.key] for row in rows if column.key in row.cells]
    value = max((_value_wide(c, ledger) for c in found), default=0.0)
    signs = max((width(superscript(c), NOTE) for c in found if beside(c)), default=0.0)
    paper = max((width(beside(c), PAPER) for c in found), default=0.0)
    paper += GAP if paper else 0.0
    words = [width(word, HEAD) for word in column.label.split()]
    interval = max((width(c.interval, INTERVAL) for c in found), default=0.0)
    inner = value + signs + paper
    return value, signs, paper, max([inner, interval, *words]) + 2 * PAD - inner


def _value_wide(cell: CellView, ledger: bool) -> float:
    face = value_face(cell, ledger)
    lines = cell.text.splitlines() if cell.is_text else [cell.text]
    return max((width(line, face) for line in lines), default=0.0)


def _share(columns: Sequence[Column], natural: Sequence[float], fixed: float) -> list[float]:
    """Numbers get what they need; texts up to an equal share of the rest of the page."""
    wides = list(natural)
    texts = sorted((i for i, c in enumerate(columns) if c.is_text), key=lambda i: natural[i])
    left = PAGE_OF_TEXT - fixed - sum(w for i, w in enumerate(natural) if i not in texts)
    for done, i in enumerate(texts):
        share = max(left / (len(texts) - done), TEXT_NARROWEST)
        wides[i] = min(natural[i], share, TEXT_WIDEST)
        left -= wides[i]
    return wides


def text_lines(cell: CellView, box: Box) -> list[str]:
    """A text cell in lines that fit its column."""
    return wrap(cell.text, TEXT, box.wide - 2 * PAD)


def row_height(row: Row, layout: Layout) -> float:
    """Height of a row: its label's lines, its texts' lines, or value and interval."""
    label = len(wrap(row.label, LABEL, layout.label_wide - 2 * PAD)) * LABEL.line
    highest = label
    for box in layout.boxes:
        cell = row.cells.get(box.column.key)
        if cell and cell.is_text:
            papers = PAPER.line if beside(cell) else 0.0
            highest = max(highest, len(text_lines(cell, box)) * TEXT.line + papers)
        elif cell:
            highest = max(highest, VALUE.line + (INTERVAL.line if cell.interval else 0.0))
    return highest + PAD

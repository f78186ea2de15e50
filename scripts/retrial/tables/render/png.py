"""A table of cells as one PNG image, drawn like the table of a paper."""

from collections.abc import Iterator

import pyarrow as pa

from retrial.tables.description import Description
from retrial.tables.render import layout as at
from retrial.tables.render.canvas import Align, Canvas, Segment
from retrial.tables.render.cell import INFERRED_MARK, MARKS, CellView
from retrial.tables.render.grid import Block, Grid, Row, build_grid
from retrial.tables.render.layout import MARGIN, PAD, Box, Layout
from retrial.tables.render.type import Face, width, wrap

RULE_HEAVY, RULE_LIGHT, RULE_HAIR = 1.2, 0.7, 0.5
BLOCK_HIGH = at.BLOCK.line + 0.13


def render_png(cells: pa.Table, description: Description) -> bytes:
    """The image: reproduced value, interval below it, printed value and verdict beside it.

    Its size follows from rows, columns and texts, about 2,400 pixels wide where that keeps type
    legible; the same cells give the same bytes. Sentences are wrapped. Undefined values are
    dashes with the reason in a footnote.
    """
    return draw_page(build_grid(cells, description)).png()


def draw_page(grid: Grid) -> Canvas:
    """The whole table drawn on a page of the size that it needs."""
    plan = at.lay_out(grid)
    canvas = Canvas(plan.page_wide, _Page(grid, plan, None).draw())
    _Page(grid, plan, canvas).draw()
    return canvas


class _Page:
    """Draws from top to bottom; without a canvas it only measures how far down it comes."""

    def __init__(self, grid: Grid, plan: Layout, canvas: Canvas | None) -> None:
        self.grid, self.plan, self.canvas = grid, plan, canvas
        self.y = MARGIN

    def draw(self) -> float:
        """Draw all; returns the page's height in inches."""
        self._lines(self.grid.title, at.TITLE)
        self._legend()
        self._rule(RULE_HEAVY, at.INK)
        self._head()
        self._rule(RULE_LIGHT, at.INK)
        for number, block in enumerate(self.grid.blocks):
            self._block(block, first=number == 0)
        if not self.grid.blocks:
            self.y += PAD
            self._lines("This table has no cells.", at.LABEL)
        self.y += PAD / 2
        self._rule(RULE_HEAVY, at.INK)
        self.y += 0.08
        for number, reason in enumerate(self.grid.reasons, start=1):
            self._lines(f"{number}. {reason}", at.FOOT)
        for note in self.grid.notes:
            self._lines(note, at.FOOT)
        return self.y + MARGIN * 0.6

    def _legend(self) -> None:
        parts = list(_legend(self.grid))
        if not parts:
            self.y += PAD
            return
        self.y += 0.03
        x = MARGIN
        line: list[Segment] = []
        for part in parts:
            wide = sum(width(text, face) for text, face, _ in part) + 0.2
            if line and x + wide - 0.2 > self.plan.right:
                self._segments(line)
                x, line = MARGIN, []
            line += [*part, ("      ", at.LEGEND, None)]
            x += wide
        self._segments(line)
        self.y += 0.07

    def _segments(self, line: list[Segment]) -> None:
        if self.canvas:
            self.canvas.segments(MARGIN, self.y + at.LEGEND.line * 0.8, line)
        self.y += at.LEGEND.line * 1.15

    def _head(self) -> None:
        if any(group.title for group in self.grid.groups):
            self.y += 0.03
            self._group_titles()
            self.y += at.HEAD_GROUP.line + 0.05
        heads = [wrap(box.column.label, at.HEAD, box.wide - PAD) for box in self.plan.boxes]
        header = wrap(self.grid.row_header, at.HEAD, self.plan.label_wide - 2 * PAD)
        most = max([len(lines) for lines in heads] + [len(header)])
        high = most * at.HEAD.line
        bottom = self.y + high + 0.02 - at.HEAD.line * 0.22
        self._stack(header, MARGIN + PAD / 2, bottom - (len(header) - 1) * at.HEAD.line, at.HEAD)
        for box, lines in zip(self.plan.boxes, heads, strict=True):
            base = bottom - (len(lines) - 1) * at.HEAD.line
            face = Face(at.HEAD.size, at.QUIET) if box.ledger else at.HEAD
            if box.column.is_text:
                self._stack(lines, box.left + PAD, base, face)
            else:
                self._stack(lines, box.middle, base, face, centred=True)
        self.y += high + 0.07

    def _group_titles(self) -> None:
        first = 0
        for group in self.grid.groups:
            boxes = self.plan.boxes[first : first + len(group.columns)]
            first += len(boxes)
            left, right = boxes[0].left, boxes[-1].left + boxes[-1].wide
            if self.canvas and group.title:
                base = self.y + at.HEAD_GROUP.line * 0.8
                self.canvas.text((left + right) / 2, base, group.title, at.HEAD_GROUP, "center")
                self.canvas.rule(left, right, base + 0.06, RULE_HAIR, at.QUIET)

    def _block(self, block: Block, first: bool) -> None:
        if block.name:
            if not first:
                self.y += 0.05
                self._rule(RULE_HAIR, at.RULE)
            if self.canvas:
                base = self.y + BLOCK_HIGH - 0.07
                self.canvas.text(MARGIN + PAD / 2, base, block.name, at.BLOCK)
            self.y += BLOCK_HIGH
        before = False
        for row in block.rows:
            if row.reference and not before:
                self.y += 0.025
                self._rule(RULE_HAIR, at.RULE)
            before = row.reference
            self._row(row)

    def _row(self, row: Row) -> None:
        high = at.row_height(row, self.plan)
        if self.canvas:
            face = Face(at.LABEL.size, at.INK, italic=row.reference)
            lines = wrap(row.label, face, self.plan.label_wide - 2 * PAD)
            self._stack(lines, MARGIN + 1.5 * PAD, self._base, face)
            for box in self.plan.boxes:
                if cell := row.cells.get(box.column.key):
                    self._cell(self.canvas, cell, box, high)
        self.y += high

    @property
    def _base(self) -> float:
        """The first baseline of a row that begins here."""
        return self.y + PAD / 2 + at.VALUE.line * 0.78

    def _cell(self, canvas: Canvas, cell: CellView, box: Box, high: float) -> None:
        if cell.verdict:
            tint = at.TINTS.get(cell.verdict, at.OTHER_TINT)
            canvas.tint(box.left + 0.01, self.y + 0.005, box.wide - 0.02, high - 0.01, tint)
        base = self._base
        signs = at.superscript(cell)
        if cell.is_text:
            lines = at.text_lines(cell, box)
            self._stack(lines, box.left + PAD, base, at.TEXT)
            end = box.left + PAD + width(lines[-1], at.TEXT)
            low = base + (len(lines) - 1) * at.TEXT.line
            canvas.text(end, low - 0.04, signs, at.NOTE)
            canvas.text(box.left + PAD, low + at.PAPER.line, at.beside(cell), at.PAPER)
            return
        face = at.value_face(cell, box.ledger)
        if cell.kind == "published":
            face = Face(face.size, at.PRINT)
        paper = at.beside(cell)
        end = box.value_end if paper else box.middle + width(cell.text, face) / 2
        canvas.text(end, base, cell.text, face, "right")
        canvas.text(end, base - 0.045, signs, at.NOTE)
        canvas.text(box.signs_end + at.GAP, base, paper, at.PAPER)
        canvas.text(box.middle, base + at.INTERVAL.line, cell.interval, at.INTERVAL, "center")

    def _lines(self, text: str, face: Face) -> None:
        lines = wrap(text, face, self.plan.right - MARGIN)
        self._stack(lines, MARGIN, self.y + 0.78 * face.line, face)
        self.y += len(lines) * face.line + 0.02

    def _stack(
        self, lines: list[str], x: float, base: float, face: Face, centred: bool = False
    ) -> None:
        for number, line in enumerate(lines):
            if self.canvas and line:
                align: Align = "center" if centred else "left"
                self.canvas.text(x, base + number * face.line, line, face, align)

    def _rule(self, points: float, colour: str) -> None:
        if self.canvas:
            self.canvas.rule(MARGIN, self.plan.right, self.y, points, colour)


def _legend(grid: Grid) -> Iterator[list[Segment]]:
    """How to read a cell: one list of segments for each thing that occurs in the table."""
    cells = grid.cells
    if any(cell.published or cell.interval for cell in cells):
        yield [("0.00", at.LEGEND_BOLD, None), (" recomputed here", at.LEGEND, None)]
    if any(cell.interval for cell in cells):
        yield [("[low, high]", at.INTERVAL, None), (" 95 % interval", at.LEGEND, None)]
    if any(cell.published for cell in cells):
        yield [("0.00", at.LEGEND_PRINT, None), (" printed in the paper", at.LEGEND, None)]
    for verdict, mark in MARKS.items():
        if any(cell.verdict == verdict for cell in cells):
            yield [(mark, at.LEGEND_PRINT, at.TINTS[verdict]), (f"  {verdict}", at.LEGEND, None)]
    if any(cell.best for cell in cells):
        yield [("bold", at.LEGEND_BOLD, None), (" best of its block", at.LEGEND, None)]
    if any(cell.inferred for cell in cells):
        yield [(f"{INFERRED_MARK} rests on inferred links", at.LEGEND, None)]
    if any(row.reference for block in grid.blocks for row in block.rows):
        yield [
            ("italic", Face(7.6, at.INK, italic=True), None),
            (" reference row", at.LEGEND, None),
        ]

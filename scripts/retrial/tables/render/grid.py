"""The cells of one table, laid out as blocks of rows and groups of columns, ready to be drawn.

Everything that a rendering prints is decided here as text, so that HTML and PNG cannot differ.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from retrial.errors import RetrialError
from retrial.tables.description import Description
from retrial.tables.render.best import best_rows
from retrial.tables.render.cell import CellView, anchors, view_of


class RenderError(RetrialError):
    """Cells that cannot be drawn as one table."""


@dataclass(frozen=True)
class Row:
    """One row: its key, its label within the block, and its cells by column key."""

    key: str
    label: str
    reference: bool
    cells: Mapping[str, CellView]


@dataclass(frozen=True)
class Block:
    """Rows that are compared with each other; `name` may be empty."""

    name: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Column:
    """One column. `is_text` when at least one of its cells holds text."""

    key: str
    label: str
    is_text: bool


@dataclass(frozen=True)
class Group:
    """Columns under one heading; `ledger` groups are drawn quietly."""

    title: str
    columns: tuple[Column, ...]
    ledger: bool


@dataclass(frozen=True)
class Grid:
    """A whole table as text."""

    table: str
    title: str
    row_header: str
    groups: tuple[Group, ...]
    blocks: tuple[Block, ...]
    reasons: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns, left to right."""
        return tuple(column for group in self.groups for column in group.columns)

    @property
    def cells(self) -> tuple[CellView, ...]:
        """All cells in reading order."""
        rows = (row for block in self.blocks for row in block.rows)
        keys = [column.key for column in self.columns]
        return tuple(row.cells[k] for row in rows for k in keys if k in row.cells)


def build_grid(cells: pa.Table, description: Description) -> Grid:
    """The grid of a table of cells (the cells contract).

    Blocks stand in the order of their first row, rows by `row_order`, columns as described;
    columns that the description does not name follow at the end. A description's column
    without cells is left out.

    Raises RenderError for cells of more than one table, FormatError for a cell's bad format.
    """
    records: list[dict[str, Any]] = cells.to_pylist()
    tables = sorted({record["table"] for record in records})
    if len(tables) > 1:
        raise RenderError(f"cells of {', '.join(tables)}: give one table at a time")
    groups = _groups(records, description)
    keys = [column.key for group in groups for column in group.columns]
    records.sort(key=lambda r: (r["row_order"], keys.index(r["column"])))
    names = list(dict.fromkeys(record["block"] for record in records))
    ordered = [r for name in names for r in records if r["block"] == name]
    reasons = tuple(dict.fromkeys(r["reason"] for r in ordered if r["reason"]))
    marked = best_rows(ordered, description)
    views = _views(ordered, reasons, marked)
    return Grid(
        table=tables[0] if tables else "",
        title=description.title,
        row_header=description.row_header,
        groups=groups,
        blocks=tuple(_block(name, ordered, views, description) for name in names),
        reasons=reasons,
        notes=description.notes,
    )


def _groups(records: Sequence[Mapping[str, Any]], description: Description) -> tuple[Group, ...]:
    texts = {r["column"] for r in records if r["value"] is None and r["value_text"]}
    present = dict.fromkeys(r["column"] for r in sorted(records, key=lambda r: r["column_order"]))
    wanted = [(g.title, g.columns, False) for g in description.groups]
    named = {key for _, columns, _ in wanted for key, _ in columns}
    named |= {key for key, _ in description.ledger_columns}
    wanted.append(("", tuple((key, key) for key in present if key not in named), False))
    wanted.append(("", description.ledger_columns, True))
    groups = []
    for title, pairs, ledger in wanted:
        columns = tuple(Column(key, label, key in texts) for key, label in pairs if key in present)
        if columns:
            groups.append(Group(title, columns, ledger))
    return tuple(groups)


def _views(
    records: Sequence[Mapping[str, Any]], reasons: Sequence[str], marked: set[tuple[str, str]]
) -> dict[tuple[str, str], CellView]:
    ids = anchors((r["row"], r["column"]) for r in records)
    numbers = {reason: number for number, reason in enumerate(reasons, start=1)}
    return {
        (r["row"], r["column"]): view_of(r, anchor, numbers.get(r["reason"]), key in marked)
        for r, (key, anchor) in zip(records, ids.items(), strict=True)
    }


def _block(
    name: str,
    records: Sequence[Mapping[str, Any]],
    views: Mapping[tuple[str, str], CellView],
    description: Description,
) -> Block:
    mine = [r for r in records if r["block"] == name]
    rows = [
        Row(
            key=key,
            label=key.removeprefix(f"{name} / "),
            reference=key in description.reference_rows,
            cells={r["column"]: views[key, r["column"]] for r in mine if r["row"] == key},
        )
        for key in dict.fromkeys(r["row"] for r in mine)
    ]
    return Block(name, tuple(rows))

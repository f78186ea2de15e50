"""Printed cells by table, row and column."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from retrial.errors import RetrialError
from retrial.published import PublishedValue, block_half_units


class MissingCellError(RetrialError):
    """A check needs a printed cell that is not at hand."""


class Grid:
    """Look-up of printed cells; raises MissingCellError, naming the cell, when one is absent."""

    def __init__(self, values: Iterable[PublishedValue]) -> None:
        """Index the cells of one study."""
        self._cells = {(v.table, v.row, v.column): v for v in values}
        self._half = self._half_units()

    def tables(self) -> list[str]:
        """Tables, in file order."""
        return list(dict.fromkeys(table for table, _, _ in self._cells))

    def rows(self, table: str) -> list[str]:
        """Rows of a table, in file order."""
        return list(dict.fromkeys(row for t, row, _ in self._cells if t == table))

    def columns(self, table: str, row: str | None = None) -> list[str]:
        """Columns of a table, or of one of its rows, in file order."""
        return list(dict.fromkeys(c for t, r, c in self._cells if t == table and row in (None, r)))

    def has(self, table: str, row: str, column: str) -> bool:
        """Whether the cell was printed and its number is at hand."""
        cell = self._cells.get((table, row, column))
        return cell is not None and cell.at_hand

    def cell(self, table: str, row: str, column: str) -> PublishedValue:
        """The printed cell."""
        if not self.has(table, row, column):
            raise MissingCellError(
                f"{table}[{row}, {column}] is not at hand; add its line to the published values"
            )
        return self._cells[table, row, column]

    def value(self, table: str, row: str, column: str) -> float:
        """The printed number."""
        return self.cell(table, row, column).value

    def box(self, table: str, row: str, column: str) -> tuple[float, float]:
        """Lowest and highest number that prints as the cell does, both ends included."""
        value = self.value(table, row, column)
        half = self._half[table, row, column]
        return value - half, value + half

    def _half_units(self) -> dict[tuple[str, str, str], float]:
        blocks: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
        for key in self._cells:
            blocks.setdefault((key[0], key[2]), []).append(key)
        half: dict[tuple[str, str, str], float] = {}
        for keys in blocks.values():
            halves = block_half_units([self._cells[key] for key in keys])
            half.update(zip(keys, halves, strict=True))
        return half


def best_rows(grid: Grid, table: str, rows: Sequence[str], column: str) -> set[str]:
    """Rows that hold the highest number of a column, all of them when tied."""
    values = {row: grid.value(table, row, column) for row in rows}
    top = max(values.values(), default=math.nan)
    return {row for row, value in values.items() if value == top}

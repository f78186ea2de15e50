"""How a table is presented: its title, column groups, notes and reference rows.

What the cells hold does not depend on any of this.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class ColumnGroup:
    """Columns under one heading; `columns` are pairs of column key and short label."""

    title: str
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Description:
    """What a reader of the table sees around its cells.

    `ledger_columns` (key, label) stand at the right in a quieter style. `best` names the columns
    in which the best row of a block is marked, and whether high or low is good. `row_header` heads
    the column of row labels. `reference_rows` are exact row keys (such as the human ceiling): they
    are set apart and never marked as best.
    """

    title: str
    groups: tuple[ColumnGroup, ...]
    notes: tuple[str, ...] = ()
    ledger_columns: tuple[tuple[str, str], ...] = ()
    best: Mapping[str, Literal["high", "low"]] = field(default_factory=dict)
    row_header: str = ""
    reference_rows: frozenset[str] = frozenset()

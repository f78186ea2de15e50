"""The tables of a run as the report sees them: cells, how they were declared, and their job."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from retrial.audit.sidecars import Sidecar
from retrial.record import CELLS, read
from retrial.report.behind import Behind
from retrial.report.names import cell_names
from retrial.report.studies import study_of, table_title
from retrial.tables import declaration_of
from retrial.tables.declare import CellSpec, Declaration
from retrial.tables.render.cell import CellView
from retrial.tables.render.grid import Grid, build_grid

Key = tuple[str, str]
RECOMPUTED = ("measured", "derived", "ledger")
OUTCOMES = {
    "reproduced": "the recomputed value agrees with the printed one",
    "differs": "the recomputed value does not agree with the printed one",
    "not comparable": "there is a printed value, but no ground to compare ours with it",
    "recomputed": "recomputed here; no printed value is at hand",
    "undefined": "the number can't be computed; the reason is stated",
}
"""What may become of a cell, in the order in which the report counts them."""


@dataclass(frozen=True)
class ReportCell:
    """One cell: its record, its view as printed, and its page below the site's root."""

    record: dict[str, Any]
    view: CellView
    page: str
    spec: CellSpec | None

    @property
    def key(self) -> Key:
        """Row and column."""
        return self.record["row"], self.record["column"]

    @property
    def name(self) -> str:
        """The cell as `retrial audit` names it."""
        return f"{self.record['table']}[{self.record['row']}].{self.record['column']}"

    @property
    def outcome(self) -> str:
        """One of OUTCOMES."""
        if self.record["verdict"] in OUTCOMES:
            return str(self.record["verdict"])
        return "undefined" if self.view.undefined else "recomputed"


@dataclass(eq=False)
class ReportTable:
    """One table with its cells, as read from the results folder."""

    id: str
    sidecar: Sidecar
    records: list[dict[str, Any]]
    grid: Grid
    declaration: Declaration
    cells: dict[Key, ReportCell] = field(default_factory=dict)

    @property
    def study(self) -> str:
        """Id of the study."""
        return study_of(self.id)

    @property
    def title(self) -> str:
        """Short title, such as Table 2."""
        return table_title(self.id)

    @property
    def page(self) -> str:
        """Its page below the site's root."""
        return f"tables/{self.id}.html"

    @property
    def is_findings(self) -> bool:
        """Whether it holds findings of arithmetic and no ratings."""
        return self.sidecar.rule == "check_consistency"

    @cached_property
    def columns(self) -> dict[str, str]:
        """The label of each column with the heading of its group, for a title."""
        return {
            column.key: f"{group.title}, {column.label}" if group.title else column.label
            for group in self.grid.groups
            for column in group.columns
        }

    def of_outcome(self, outcome: str) -> list[ReportCell]:
        """The cells with that outcome, in reading order."""
        return [c for c in self.cells.values() if c.outcome == outcome]


def load_tables(behind: Behind, tables: Iterable[str]) -> list[ReportTable]:
    """The tables in order. Raises RetrialError for one that is missing or damaged."""
    return [load_table(behind, table) for table in tables]


def load_table(behind: Behind, table: str) -> ReportTable:
    """One table."""
    place = f"tables/{table}.parquet"
    sidecar = behind.sidecar(place)
    declaration = _declaration(sidecar, table)
    cells = read(Path(behind.root, place), CELLS)
    grid = build_grid(cells, declaration.description)
    found = ReportTable(table, sidecar, cells.to_pylist(), grid, declaration)
    found.cells = _cells(found)
    return found


def _declaration(sidecar: Sidecar, table: str) -> Declaration:
    return declaration_of({**sidecar.parameters, "table": table})


def _cells(table: ReportTable) -> dict[Key, ReportCell]:
    specs = {(s.row, s.column): s for s in table.declaration.cells}
    records = {(r["row"], r["column"]): r for r in table.records}
    views = _views(table.grid)
    names = cell_names(views)
    return {
        key: ReportCell(records[key], view, _page(table, key, names), specs.get(key))
        for key, view in views.items()
    }


def _page(table: ReportTable, key: Key, names: dict[Key, str]) -> str:
    if table.is_findings:  # a finding is one row, and its section is on the table's page
        return f"{table.page}#{names[key[0], table.grid.columns[0].key]}"
    return f"cells/{table.id}/{names[key]}.html"


def _views(grid: Grid) -> dict[Key, CellView]:
    keys: Sequence[str] = [column.key for column in grid.columns]
    rows = (row for block in grid.blocks for row in block.rows)
    return {(row.key, k): row.cells[k] for row in rows for k in keys if k in row.cells}

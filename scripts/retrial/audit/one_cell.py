"""One cell made again from its ratings, without making its table."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from retrial.audit.find_cell import CellName, load_cell
from retrial.audit.sidecars import Sidecar, load_sidecar, locate
from retrial.errors import RetrialError
from retrial.published import PublishedValue, load_published
from retrial.record import Contract, read, sidecar_path
from retrial.tables import declaration_of
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.declare import CellSpec, Declaration, Holm, Ledger, Listing, Selection
from retrial.tables.samples import DRAWS, Drawn, draw
from retrial.tables.select import Results, Selected
from retrial.tables.texts import listed_ratings

PLACES = ("row_order", "column_order")
"""What of a cell depends on the rest of its table."""


class RecordsOnly(Results):
    """Results of which one cell's records are read: damage elsewhere in a file does not matter."""

    def _read(self, file: str, contract: Contract) -> pa.Table:
        if file not in self._tables:
            every = [field.name for field in contract.fields]
            self._tables[file] = read(self.root / file, contract, every)
        return self._tables[file]


@dataclass(frozen=True, eq=False)
class OneCell:
    """A cell as recorded, its table's sidecar, and the means to make it again."""

    root: Path
    name: CellName
    recorded: dict[str, Any]
    sidecar: Sidecar

    @cached_property
    def results(self) -> Results:
        """The results below the root, each file read once."""
        return RecordsOnly(self.root)

    @property
    def is_finding(self) -> bool:
        """Whether the cell belongs to a consistency table."""
        return self.sidecar.rule == "check_consistency"

    @cached_property
    def declaration(self) -> Declaration:
        """The table's declaration, from the parameters of the job that made it."""
        return declaration_of(self.sidecar.parameters)

    @cached_property
    def spec(self) -> CellSpec:
        """The cell's declaration. Raises RetrialError when the parameters declare no such cell."""
        found = self._specs.get((self.name.row, self.name.column))
        if found is None:
            raise RetrialError(f"the parameters of {self.name.table} declare no such cell")
        return found

    @cached_property
    def _specs(self) -> dict[tuple[str, str], CellSpec]:
        return {(spec.row, spec.column): spec for spec in self.declaration.cells}

    @cached_property
    def selections(self) -> list[Selection]:
        """The selections that the cell declares, in order."""
        return [p for p in vars(self.spec.sample).values() if isinstance(p, Selection)]

    @cached_property
    def drawn(self) -> Drawn | None:
        """The sample that the metric reads; None for text, ledger and derived cells."""
        known = type(self.spec.sample) in DRAWS
        return draw(self.spec.sample, self.results) if known else None

    @cached_property
    def selected(self) -> list[Selected]:
        """The ratings that the cell was made from, by selection."""
        if self.drawn is not None:
            return list(self.drawn.selected)
        sample = self.spec.sample
        if isinstance(sample, Ledger):
            return [self.results.select(sample.judge)]
        return [listed_ratings(sample, self.results)] if isinstance(sample, Listing) else []

    @cached_property
    def links_file(self) -> str | None:
        """The links that the cell joins through, if it does."""
        found = getattr(self.spec.sample, "links", None)
        return str(found) if found else None

    @cached_property
    def published_file(self) -> tuple[str, Path | None]:
        """The recorded path of the published values, and where they lie now."""
        kept = [p for p in self.sidecar.inputs if p.endswith(".csv")]
        return (kept[0], locate(self.root, kept[0])) if kept else ("", None)

    @cached_property
    def printed(self) -> list[PublishedValue]:
        """The published values of the table's file; none when it is not at hand."""
        path = self.published_file[1]
        return load_published(path) if path else []

    def recompute(self) -> dict[str, Any]:
        """The cell again, in the cells contract. Raises RetrialError."""
        specs = [self.spec]
        statistics = self.sidecar.parameters["statistics"]
        resamples = statistics["resamples"]
        if isinstance(self.spec.sample, Holm):
            specs = [self._specs[key] for key in self.spec.sample.family] + specs
            resamples = 1  # p values have no interval
        cells = build_cells(
            Declaration(self.name.table, tuple(specs), self.declaration.description),
            self.results,
            Printed.of(self.printed),
            Bootstrap(resamples, statistics["level"], statistics["seed"]),
        ).to_pylist()
        return next(
            c for c in cells if (c["row"], c["column"]) == (self.name.row, self.name.column)
        )


def open_cell(root: Path, name: CellName) -> OneCell:
    """A cell and its table's sidecar. Raises RetrialError when either is missing or damaged."""
    table = root / "tables" / f"{name.table}.parquet"
    path = sidecar_path(table)
    if not path.is_file():
        raise RetrialError(f"{path}: no such sidecar; nothing says how {name} was made")
    sidecar = load_sidecar(root, path)
    if sidecar.fault:
        raise RetrialError(f"{path}: {sidecar.fault}")
    return OneCell(root, name, load_cell(root, name), sidecar)

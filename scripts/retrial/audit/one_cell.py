"""One cell made again from its ratings, without making its table."""

from dataclasses import dataclass, replace
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
from retrial.tables.arms import Contrast, Held
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.declare import (
    CellSpec,
    Declaration,
    Holm,
    JudgeDifference,
    Ledger,
    Listing,
    ParseExample,
    Selection,
)
from retrial.tables.derived import rests_on
from retrial.tables.parse_ledger import parsed
from retrial.tables.samples import DRAWS, Drawn, draw
from retrial.tables.select import Results, Selected
from retrial.tables.selection import each, selections_of
from retrial.tables.texts import listed_ratings
from retrial.tables.title_pairs import TitlePairs

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
        return list(selections_of(self.spec.sample))

    @cached_property
    def drawn(self) -> Drawn | None:
        """The sample that the metric reads; None for text, ledger and derived cells."""
        sample = self.spec.sample
        sample = sample.contrast if isinstance(sample, Held) else sample
        return draw(sample, self.results) if type(sample) in DRAWS else None

    @cached_property
    def selected(self) -> list[Selected]:
        """The ratings that the cell was made from, by selection."""
        if self.drawn is not None:
            return list(self.drawn.selected)
        sample = self.spec.sample
        if isinstance(sample, Ledger):
            return [self.results.select(part) for part in each(sample.judge)]
        if isinstance(sample, Listing):
            return [listed_ratings(sample, self.results)]
        return [self.results.select(part) for part in self.selections]

    @cached_property
    def quoted(self) -> frozenset[str] | None:
        """The requests whose answers the cell quotes; None for a cell about all of its ratings."""
        sample = self.spec.sample
        if not isinstance(sample, ParseExample):
            return None
        request = parsed(replace(sample, field="request"), self.results).get("value_text")
        return frozenset({request} if request else ())

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
        """The published values of the table's files; none when they are not at hand."""
        files = [locate(self.root, p) for p in self.sidecar.inputs if p.endswith(".csv")]
        return [value for path in files if path for value in load_published(path)]

    def _behind(self, spec: CellSpec) -> list[CellSpec]:
        """The cells that a derived cell rests on, each after those that it rests on itself."""
        found: dict[tuple[str, str], CellSpec] = {}
        for key in rests_on(spec.sample):
            for other in (*self._behind(self._specs[key]), self._specs[key]):
                found[other.row, other.column] = other
        return list(found.values())

    def recompute(self) -> dict[str, Any]:
        """The cell again, in the cells contract. Raises RetrialError."""
        statistics = self.sidecar.parameters["statistics"]
        resamples = statistics["resamples"]
        behind = self._behind(self.spec)
        specs = [*behind, self.spec]
        if isinstance(self.spec.sample, Holm) and not any(_resampled(spec) for spec in behind):
            resamples = 1  # these p values rest on no resample
        cells = build_cells(
            replace(self.declaration, cells=tuple(specs)),
            self.results,
            Printed.of(self.printed),
            Bootstrap(resamples, statistics["level"], statistics["seed"]),
        ).to_pylist()
        return next(
            c for c in cells if (c["row"], c["column"]) == (self.name.row, self.name.column)
        )


def _resampled(spec: CellSpec) -> bool:
    """Whether the cell's p value is a bootstrap's."""
    return isinstance(spec.sample, JudgeDifference | Contrast | TitlePairs)


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

"""The ratings behind a cell: each recorded selection, taken again and compared by its digest."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from retrial.errors import RetrialError
from retrial.report.model import ReportCell
from retrial.tables.declare import Listing
from retrial.tables.select import Results, Selected
from retrial.tables.selection import selections_of
from retrial.tables.texts import listed_ratings

STRATA_FIRST = ("where", "strata", "split", "items_of")


@dataclass(frozen=True, eq=False)
class Taken:
    """One recorded selection, and the ratings as taken again; None when they can't be.

    `same` says whether the ratings taken again have the recorded digest.
    """

    recorded: dict[str, Any]
    selected: Selected | None
    same: bool

    @property
    def filter(self) -> list[tuple[str, str]]:
        """The recorded filter as labels and values."""
        found = json.loads(self.recorded["filter"])
        return list(_flat({k: found[k] for k in STRATA_FIRST if k in found}))


@dataclass
class Selections:
    """Takes selections again, each once for all cells that share it."""

    results: Results
    _taken: dict[tuple[str, ...], Taken] = field(default_factory=dict)

    def of(self, cell: ReportCell) -> list[Taken]:
        """The recorded selections of a cell in order."""
        return [self._take(cell, recorded) for recorded in cell.record["selections"]]

    def _take(self, cell: ReportCell, recorded: dict[str, Any]) -> Taken:
        key = (recorded["role"], recorded["file"], recorded["filter"], recorded["members_sha256"])
        if key not in self._taken:
            self._taken[key] = self._find(cell, recorded)
        return self._taken[key]

    def _find(self, cell: ReportCell, recorded: dict[str, Any]) -> Taken:
        first = None
        try:
            for selected in _candidates(cell, recorded, self.results):
                first = first or selected
                if selected.members_sha256 == recorded["members_sha256"]:
                    return Taken(recorded, selected, True)
        except RetrialError:
            return Taken(recorded, None, False)
        return Taken(recorded, first, False)


def _candidates(cell: ReportCell, recorded: dict[str, Any], results: Results) -> Iterator[Selected]:
    """Selections of the cell's declaration that may be the recorded one, the likeliest first."""
    if cell.spec is None:
        return
    parts = list(selections_of(cell.spec.sample))
    limited = "items_of" in json.loads(recorded["filter"])
    for part in parts:
        if (part.role, part.file) != (recorded["role"], recorded["file"]):
            continue
        if limited:
            judges = (p for p in parts if p.role == "judge")
            yield from (results.select_rated_by(part, judge) for judge in judges)
        yield results.select(part)
    if isinstance(cell.spec.sample, Listing):
        yield listed_ratings(cell.spec.sample, results)


def _flat(values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        label = "only items of" if name == "items_of" else name
        if isinstance(value, dict):
            inner = "" if name in ("where", "strata") else f"{label}: "
            yield from _flat(value, prefix + inner)
        else:
            yield f"{prefix}{label}", str(value)

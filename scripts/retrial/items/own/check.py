"""Dialogues of a user's files, checked one by one and together."""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from retrial.items.base import Dialogue, HumanRating
from retrial.items.own import fields, values
from retrial.items.own.faults import Faults, Place
from retrial.items.own.options import OwnOptions
from retrial.items.own.row import Row

COLUMNS = frozenset({"id", "turns", "split", "ratings", "ratings_by"})
USES = ("rating_columns", "strata_columns")


class Checker:
    """Turns rows into dialogues, and keeps what can only be said of all rows together."""

    def __init__(self, wanted: OwnOptions, strata: Mapping[str, str], faults: Faults) -> None:
        self.wanted, self.strata, self.faults = wanted, strata, faults
        self._ids: dict[str, Place] = {}
        self._columns: set[str] = set()
        self._parts: dict[str | None, Place] = {}
        self._unrated: list[Place] = []
        self._rated = False

    def dialogue(self, row: Row, source: str) -> Dialogue:
        """The row's dialogue; not to be used where the row added a fault."""
        self._note_columns(row)
        own, split = self._id(row), fields.part(row)
        if split != "":
            self._parts.setdefault(split, row.place)
        return Dialogue(
            turns=fields.turns(row),
            source=source,
            source_line=row.place.number,
            strata={**self.strata, **fields.strata(row, self.wanted), "id": own},
            ratings=self._ratings(row),
            split=split,
        )

    def finish(self, paths: Iterable[Path]) -> None:
        """Adds the faults that only the whole of the files shows."""
        names = ", ".join(map(str, paths))
        if not self._ids:
            return
        for option in USES:
            for name in getattr(self.wanted, option):
                if name not in self._columns:
                    self.faults.add(names, f"no column {name!r}, which the option {option} names")
        if self._rated and not self.wanted.leave_out_unrated:
            for place in self._unrated:
                place.add("", "has no rating, and others do; rate it, or set leave_out_unrated")
        if len(self._parts) > 1 and None in self._parts:
            self._parts[None].add("split", "is missing here and given elsewhere")
        elif "train" in self._parts and "test" not in self._parts:
            self._parts["train"].add("split", "is train for every dialogue; none is test")

    def _id(self, row: Row) -> str:
        own = row.place.attempt("id", partial(values.name, row.fields.get("id")))
        if own is None:
            return ""
        first = self._ids.setdefault(own, row.place)
        if first is not row.place:
            what = f"{own!r} stands at {first} of {first.path.name} too; an id names one dialogue"
            row.place.add("id", what)
        return own

    def _ratings(self, row: Row) -> tuple[HumanRating, ...]:
        before = self.faults.count
        found = tuple(fields.ratings(row, self.wanted))
        if found:
            self._rated = True
        elif self.faults.count == before:
            self._unrated.append(row.place)
        return found

    def _note_columns(self, row: Row) -> None:
        """Remembers the columns; tells of each unknown one once."""
        known = COLUMNS.union(*(getattr(self.wanted, use) for use in (*USES, "ignored_columns")))
        for key in row.fields:
            if key not in self._columns and key not in known:
                what = f"the column is unknown; name it in {', '.join(USES)} or ignored_columns"
                row.place.add(key, what)
        self._columns.update(row.fields)

"""Which ratings a sample reads: selections of files, one or several for each role."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any


@dataclass(frozen=True)
class Selection:
    """Ratings of one role: those of a file whose columns equal `where`, on items of `strata`.

    `items` names the items file when `split` or `strata` filter by what the item is.
    """

    role: str
    file: str
    where: tuple[tuple[str, str | int], ...] = ()
    items: str | None = None
    split: str | None = None
    strata: tuple[tuple[str, str], ...] = ()

    def filter(self) -> dict[str, Any]:
        """The filter as it is recorded in the cell."""
        found: dict[str, Any] = {"where": dict(self.where)}
        if self.split:
            found["split"] = self.split
        if self.strata:
            found["strata"] = dict(self.strata)
        return found


Ratings = Selection | tuple[Selection, ...]
"""Ratings of one role: one selection, or one of each dataset whose items are pooled."""


def each(ratings: Ratings) -> tuple[Selection, ...]:
    """The selections of one role, in order."""
    return ratings if isinstance(ratings, tuple) else (ratings,)


def selections_of(sample: object) -> Iterator[Selection]:
    """Every selection that a sample names, in order, those within tuples and samples too."""
    if isinstance(sample, Selection):
        yield sample
    elif isinstance(sample, tuple):
        for part in sample:
            yield from selections_of(part)
    elif is_dataclass(sample) and not isinstance(sample, type):
        for part in fields(sample):
            yield from selections_of(getattr(sample, part.name))

"""Ratings of a benign title and of its attacked form, joined by the pair that both belong to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retrial.errors import RetrialError
from retrial.tables.selection import Selection

if TYPE_CHECKING:
    from retrial.metrics import Matrix
    from retrial.tables.select import Selected

LEAST_PAIRS = 10
"""Of fewer pairs a bootstrap says nothing: of one pair every resample is the same."""


@dataclass(frozen=True)
class TitlePairs:
    """A metric of `benign` minus that of `attacked`, over the pairs of which both were rated.

    There is none with fewer than LEAST_PAIRS of them.

    `items` is the items file that tells which items belong to one pair.
    """

    benign: Selection
    attacked: Selection
    items: str


def paired(
    benign: Selected, attacked: Selected, items: Iterable[Mapping[str, Any]]
) -> tuple[list[str], Matrix, Matrix]:
    """The benign items, and both sides' ratings, aligned by pair: (raters, pairs) each.

    Pairs are in the order of their ids. Raises RetrialError where two items of one side belong
    to one pair.
    """
    pair_of = {item["item_id"]: item["pair_id"] for item in items}
    one, two = (_by_pair(side, pair_of) for side in (benign, attacked))
    both = sorted(one.keys() & two.keys())
    ids = [one[pair] for pair in both]
    return ids, benign.matrix(ids), attacked.matrix([two[pair] for pair in both])


def too_few(pairs: int) -> str:
    """Why so many pairs can't be compared; empty when they can."""
    if pairs >= LEAST_PAIRS:
        return ""
    return f"{pairs} pairs of which both were rated; a comparison needs {LEAST_PAIRS}"


def _by_pair(side: Selected, pair_of: Mapping[str, str | None]) -> dict[str, str]:
    """The rated item of each pair; items that belong to none are left out."""
    found: dict[str, str] = {}
    for item_id in sorted(set(side.used["item_id"].to_pylist())):
        pair = pair_of.get(item_id)
        if pair is None:
            continue
        if pair in found:
            raise RetrialError(
                f"{side.selection.file}: items {found[pair]} and {item_id} belong to one pair "
                f"({pair}) and to one selection, {side.selection.filter()}; select one attack"
            )
        found[pair] = item_id
    return found

"""Arms of a comparison over one list of items."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from retrial.metrics.base import FloatArray, Pairs

if TYPE_CHECKING:
    from retrial.tables.samples import Drawn


def aligned(
    drawn: Mapping[Hashable, tuple[Hashable, Drawn]],
) -> tuple[list[str], dict[Hashable, list[Pairs]]]:
    """All items of the arms, sorted, and each arm's replicates over them; NaN where it has none.

    `drawn` gives for each arm the human ratings that it is held against, and its sample. Of
    arms on the same human ratings, only items that all of them scored keep their scores.
    """
    ids = sorted({item for _, part in drawn.values() for item in part.item_ids})
    place = {item: number for number, item in enumerate(ids)}
    spread = {arm: _spread(part, place) for arm, (_, part) in drawn.items()}
    found: dict[Hashable, list[Pairs]] = {}
    for arm, (people, _) in drawn.items():
        fellows = [spread[other] for other, (same, _) in drawn.items() if same == people]
        kept = np.all([_complete(samples, len(ids)) for samples in fellows], axis=0)
        found[arm] = [
            Pairs(np.where(kept, pairs.first, np.nan), np.where(kept, pairs.second, np.nan))
            for pairs in spread[arm]
        ]
    return ids, found


def _spread(part: Drawn, place: Mapping[str, int]) -> list[Pairs]:
    places = np.array([place[item] for item in part.item_ids], dtype=np.int64)
    return [
        Pairs(_over(pairs.first, places, len(place)), _over(pairs.second, places, len(place)))
        for pairs in part.samples
        if isinstance(pairs, Pairs)
    ]


def _over(scores: FloatArray, places: np.ndarray, items: int) -> FloatArray:
    found = np.full(items, np.nan)
    found[places] = scores
    return found


def _complete(samples: Sequence[Pairs], items: int) -> np.ndarray:
    if not samples:
        return np.zeros(items, dtype=bool)
    return np.asarray(np.all([pairs.complete for pairs in samples], axis=0))

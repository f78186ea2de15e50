"""The human ceiling: how well one person agrees with the mean of the others."""

from __future__ import annotations

import numpy as np

from retrial.metrics.base import Matrix, Pairs
from retrial.metrics.ratings import item_sums
from retrial.metrics.weights import ratio

CEILING_DRAWS = 200


def human_ceiling_pairs(
    matrix: Matrix, *, draws: int = CEILING_DRAWS, seed: int = 0
) -> list[Pairs]:
    """Return ``draws`` samples of one rater per item (first) against the mean of the rest (second).

    In each draw every item with two ratings or more gives one of them, each with the same chance;
    an item with fewer is NaN. The ceiling of a metric is its mean over the draws, and its interval
    moves items, not draws: :func:`retrial.metrics.bootstrap.replicate_mean` of the returned list.
    Each draw holds every item once, so an item with many raters counts no more than another, and
    no order or identity of the raters is assumed (rows may be mere positions, as in USS).
    ``matrix`` is ``(raters, items)``; the result is a list of ``Pairs`` over the same items.
    """
    items = np.flatnonzero(matrix.counts >= 2)
    counts = matrix.counts[items]
    sums = item_sums(matrix)[items]
    present_first = np.argsort(np.isnan(matrix.values[:, items]), axis=0, kind="stable")
    generator = np.random.Generator(np.random.PCG64(seed))
    samples = []
    for _ in range(draws):
        chosen = generator.integers(0, counts)
        rows = present_first[chosen, np.arange(items.size)]
        first, second = np.full(matrix.items, np.nan), np.full(matrix.items, np.nan)
        first[items] = matrix.values[rows, items]
        second[items] = ratio(sums - first[items], (counts - 1).astype(np.float64))
        samples.append(Pairs(first, second))
    return samples

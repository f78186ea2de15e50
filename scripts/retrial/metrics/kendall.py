"""Kendall's tau-b, at one sample and under resampling weights."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from retrial.metrics.base import (
    MINIMUM_PAIRS,
    Estimate,
    FloatArray,
    IntArray,
    Pairs,
    WeightArray,
    register,
    undefined,
)
from retrial.metrics.correlation import complete_scores, reason_undefined
from retrial.metrics.weights import group_sums, in_blocks, is_constant, of_items, ratio, tie_levels

TREE_NUMBERS = 1 << 18
"""Weights at once: the tree is walked item by item, so a step must be worth its start."""


def kendall_weighted(sample: Pairs, weights: WeightArray) -> FloatArray:
    """Kendall's tau-b at each resample: weights ``(B, items)`` to values ``(B,)``.

    Items are first pooled into the cells of the table of distinct scores, so the cost grows with
    the number of *distinct* pairs of scores (times its logarithm), not with that of the items.
    """
    first, second = complete_scores(sample)
    if is_constant(first) or is_constant(second):
        return np.full(weights.shape[0], np.nan)
    x, x_count = tie_levels(first)
    y, y_count = tie_levels(second)
    cell_names, cells = np.unique(x * y_count + y, return_inverse=True)
    x_of, y_of = cell_names // y_count, cell_names % y_count

    def kernel(block: FloatArray) -> FloatArray:
        joint = group_sums(block, cells, cell_names.size)
        total = joint.sum(axis=1)
        all_pairs = total * (total - 1) / 2
        tied_x = _tied_pairs(group_sums(joint, x_of, x_count))
        tied_y = _tied_pairs(group_sums(joint, y_of, y_count))
        concordant = _concordant_pairs(joint, x_of, y_of, y_count)
        discordant = all_pairs - concordant - tied_x - tied_y + _tied_pairs(joint)
        spread = np.sqrt(all_pairs - tied_x) * np.sqrt(all_pairs - tied_y)
        value = ratio(concordant - discordant, spread)
        return np.asarray(np.where(total >= MINIMUM_PAIRS, np.clip(value, -1.0, 1.0), np.nan))

    return in_blocks(kernel, of_items(weights, sample.complete), TREE_NUMBERS)


@register("kendall-b", "Kendall tau-b", "pairs", weighted=kendall_weighted)
def kendall_b(sample: Pairs) -> Estimate:
    """Kendall's tau-b between the two scores, over the items that have both.

    Formula: (C - D) / sqrt((P - Tx)(P - Ty)) with C concordant and D discordant of the P pairs of
    items, Tx and Ty those tied on either side; scores within 1e-9 are tied. ``extra["p"]`` is the
    two-sided p value against independence (exact for small samples without ties).
    Domain: ordered scores; value in [-1, 1].
    Undefined: NaN when fewer than three items have both scores, or when one side is constant.
    """
    from scipy import stats

    first, second = complete_scores(sample)
    reason = reason_undefined(first, second)
    if reason:
        return undefined(reason, first.size)
    result = stats.kendalltau(tie_levels(first)[0], tie_levels(second)[0], variant="b")
    return Estimate(float(result.statistic), first.size, extra={"p": float(result.pvalue)})


def _tied_pairs(counts: FloatArray) -> FloatArray:
    """Pairs within each column's count, summed: exact, since the counts are whole numbers."""
    squares = np.einsum("bn,bn->b", counts, counts)
    return np.asarray((squares - counts.sum(axis=1)) / 2)


def _concordant_pairs(
    joint: FloatArray, x_of: IntArray, y_of: IntArray, y_count: int
) -> FloatArray:
    """Count pairs ordered alike on both sides, ``(b,)``, from cell weights ``(b, cells)``.

    Cells come in ascending order of x. A Fenwick tree over y, one column per resample, holds the
    weight of the cells with smaller x, so all resamples advance together.
    """
    tree = np.zeros((y_count + 1, joint.shape[0]))
    concordant = np.zeros(joint.shape[0])
    by_cell = np.ascontiguousarray(joint.T)
    below = [_prefix_nodes(level) for level in range(y_count)]
    above = [_update_nodes(level + 1, y_count) for level in range(y_count)]
    starts = np.flatnonzero(np.diff(x_of, prepend=-1, append=-1))
    for start, stop in pairwise(starts):
        for cell in range(start, stop):
            concordant += by_cell[cell] * tree[below[y_of[cell]]].sum(axis=0)
        for cell in range(start, stop):
            tree[above[y_of[cell]]] += by_cell[cell]
    return concordant


def _prefix_nodes(length: int) -> IntArray:
    """Return the tree nodes that sum the first ``length`` levels."""
    nodes = []
    while length > 0:
        nodes.append(length)
        length -= length & -length
    return np.array(nodes, dtype=np.int64)


def _update_nodes(position: int, size: int) -> IntArray:
    """Return the tree nodes that hold the level at the 1-based ``position``."""
    nodes = []
    while position <= size:
        nodes.append(position)
        position += position & -position
    return np.array(nodes, dtype=np.int64)

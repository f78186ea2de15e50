"""Correlations of two scores over items: Pearson's r, Spearman's rho, and a paired difference."""

from __future__ import annotations

import numpy as np

from retrial.metrics.base import (
    MINIMUM_PAIRS,
    BoolArray,
    Estimate,
    FloatArray,
    IntArray,
    Pairs,
    WeightArray,
    register,
    undefined,
)
from retrial.metrics.weights import (
    group_sums,
    in_blocks,
    is_constant,
    near_origin,
    of_items,
    ratio,
    tie_levels,
)


def complete_scores(pairs: Pairs) -> tuple[FloatArray, FloatArray]:
    """Return the scores of the items that have both, two arrays of shape ``(complete,)``."""
    return pairs.first[pairs.complete], pairs.second[pairs.complete]


def reason_undefined(first: FloatArray, second: FloatArray) -> str:
    """Say why no correlation of these complete scores exists; empty when one does."""
    if first.size < MINIMUM_PAIRS:
        return f"fewer than {MINIMUM_PAIRS} items have both scores ({first.size})"
    for name, scores in (("first", first), ("second", second)):
        if is_constant(scores):
            return f"the {name} scores are all equal"
    return ""


def pearson_weighted(sample: Pairs, weights: WeightArray) -> FloatArray:
    """Pearson's r at each resample: weights ``(B, items)`` to values ``(B,)``."""
    first, second = complete_scores(sample)
    if is_constant(first) or is_constant(second):
        return np.full(weights.shape[0], np.nan)
    levels = [tie_levels(first), tie_levels(second)]
    x, y = near_origin(first), near_origin(second)

    def kernel(block: FloatArray) -> FloatArray:
        total = block.sum(axis=1)
        mean_x, mean_y = ratio(block @ x, total), ratio(block @ y, total)
        varying = total >= MINIMUM_PAIRS
        for numbers, count in levels:
            varying &= (group_sums(block, numbers, count) > 0).sum(axis=1) > 1
        covariance = ratio(block @ (x * y), total) - mean_x * mean_y
        variances = (ratio(block @ x**2, total) - mean_x**2) * (
            ratio(block @ y**2, total) - mean_y**2
        )
        return _bounded(covariance, variances, varying)

    return in_blocks(kernel, of_items(weights, sample.complete))


@register("pearson", "Pearson correlation", "pairs", weighted=pearson_weighted)
def pearson(sample: Pairs) -> Estimate:
    """Pearson's r between the two scores, over the items that have both.

    Formula: covariance / (SD first x SD second); ``extra["p"]`` is the two-sided t test's p value.
    Domain: real scores; value in [-1, 1].
    Undefined: NaN when fewer than three items have both scores, or when one side is constant
    (all its scores within 1e-9), since floating-point residue would else decide the value.
    """
    from scipy import stats

    first, second = complete_scores(sample)
    reason = reason_undefined(first, second)
    if reason:
        return undefined(reason, first.size)
    result = stats.pearsonr(first, second)
    return Estimate(float(result.statistic), first.size, extra={"p": float(result.pvalue)})


def spearman_weighted(sample: Pairs, weights: WeightArray) -> FloatArray:
    """Spearman's rho at each resample: weights ``(B, items)`` to values ``(B,)``.

    An item drawn w times stands w times in the ranking. Scores are sorted once; the average rank
    of a score follows from the cumulative weights, and sums of such ranks are exact in float64.
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
        x_weights, x_ranks = _centred_ranks(joint, x_of, x_count)
        y_weights, y_ranks = _centred_ranks(joint, y_of, y_count)
        covariance = (joint * x_ranks[:, x_of] * y_ranks[:, y_of]).sum(axis=1)
        variances = (x_weights * x_ranks**2).sum(axis=1) * (y_weights * y_ranks**2).sum(axis=1)
        return _bounded(covariance, variances, total >= MINIMUM_PAIRS)

    return in_blocks(kernel, of_items(weights, sample.complete))


@register("spearman", "Spearman correlation", "pairs", weighted=spearman_weighted)
def spearman(sample: Pairs) -> Estimate:
    """Spearman's rho between the two scores, over the items that have both.

    Formula: Pearson's r of the ranks, ties at their average rank; scores within 1e-9 are tied.
    ``extra["p"]`` is the two-sided p value of the t approximation.
    Domain: ordered scores; value in [-1, 1].
    Undefined: NaN when fewer than three items have both scores, or when one side is constant.
    """
    from scipy import stats

    first, second = complete_scores(sample)
    reason = reason_undefined(first, second)
    if reason:
        return undefined(reason, first.size)
    result = stats.spearmanr(tie_levels(first)[0], tie_levels(second)[0])
    return Estimate(float(result.statistic), first.size, extra={"p": float(result.pvalue)})


def paired_gap_weighted(sample: Pairs, weights: WeightArray) -> FloatArray:
    """Mean of first minus second at each resample: weights ``(B, items)`` to values ``(B,)``."""
    first, second = complete_scores(sample)
    gaps = first - second
    return in_blocks(lambda w: ratio(w @ gaps, w.sum(axis=1)), of_items(weights, sample.complete))


@register("paired-gap", "Mean paired difference", "pairs", weighted=paired_gap_weighted)
def paired_gap(sample: Pairs) -> Estimate:
    """Mean of first minus second over the items that have both, with the paired t test.

    Formula: mean(first - second); ``extra`` holds ``t``, ``df`` = n - 1 and the two-sided ``p``.
    Domain: real scores of the same items (for stories: of the same prompts).
    Undefined: NaN when no item has both scores. The test is left out when fewer than two items
    have both or when all differences are equal.
    """
    from scipy import stats

    first, second = complete_scores(sample)
    gaps = first - second
    if gaps.size == 0:
        return undefined("no item has both scores", 0)
    if gaps.size < 2 or is_constant(gaps):
        return Estimate(float(gaps.mean()), gaps.size)
    test = stats.ttest_1samp(gaps, 0.0)
    extra = {"t": float(test.statistic), "df": gaps.size - 1.0, "p": float(test.pvalue)}
    return Estimate(float(gaps.mean()), gaps.size, extra=extra)


def _centred_ranks(
    joint: FloatArray, level_of: IntArray, count: int
) -> tuple[FloatArray, FloatArray]:
    """Return weights and average ranks less their mean, both ``(b, count)``, of each level."""
    level_weights = group_sums(joint, level_of, count)
    below = np.cumsum(level_weights, axis=1)
    return level_weights, below - (level_weights + below[:, -1:]) / 2


def _bounded(
    covariance: FloatArray,
    variances: FloatArray,
    defined: BoolArray,
) -> FloatArray:
    """Divide covariance by the root of the variances' product; NaN where not defined."""
    value = ratio(covariance, np.sqrt(np.maximum(variances, 0.0)))
    return np.asarray(np.where(defined, np.clip(value, -1.0, 1.0), np.nan))

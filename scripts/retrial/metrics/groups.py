"""Comparison of two sets of items: the gap of their means, and Welch's t test of it."""

from __future__ import annotations

import warnings

import numpy as np

from retrial.metrics.base import Estimate, FloatArray, TwoGroups, WeightArray, register, undefined
from retrial.metrics.ratings import item_means, mean, mean_weighted
from retrial.metrics.weights import is_constant


def gap_weighted(sample: TwoGroups, weights: tuple[WeightArray, WeightArray]) -> FloatArray:
    """Gap at each resample: weights ``(B, items first), (B, items second)`` to ``(B,)``."""
    return mean_weighted(sample.first, weights[0]) - mean_weighted(sample.second, weights[1])


@register("gap", "Gap of mean ratings", "two-groups", weighted=gap_weighted)
def gap(sample: TwoGroups) -> Estimate:
    """Mean rating of the first group minus that of the second, over all ratings.

    Formula: mean(first) - mean(second). Domain: real ratings; ``n`` counts rated items of both.
    Undefined: NaN when a group has no rating.
    """
    first, second = mean(sample.first), mean(sample.second)
    if first.reason or second.reason:
        return undefined("a group has no rating", first.n + second.n)
    return Estimate(first.value - second.value, first.n + second.n)


@register("welch-ratings", "Welch t over ratings", "two-groups")
def welch_ratings(sample: TwoGroups) -> Estimate:
    """Welch's t between the two groups with every rating as one observation.

    Formula: (mean first - mean second) / sqrt(var first / n + var second / m), variances with
    ddof 1; ``extra`` holds ``df`` (Welch-Satterthwaite) and the two-sided ``p``.
    Domain: real ratings. The test counts several ratings of one item as independent, so t is too
    large by about sqrt(1 + (k - 1) ICC) for k ratings an item; ``welch-items`` is the sound test.
    Undefined: NaN when a group has fewer than two ratings, or when both groups are constant.
    """
    values = [m.values[~np.isnan(m.values)] for m in (sample.first, sample.second)]
    rated = sum(int((m.counts > 0).sum()) for m in (sample.first, sample.second))
    return _welch(values[0], values[1], rated, "ratings")


@register("welch-items", "Welch t over item means", "two-groups")
def welch_items(sample: TwoGroups) -> Estimate:
    """Welch's t between the two groups with every item's mean rating as one observation.

    Formula: as for ``welch-ratings``, over item means; ``extra`` holds ``df`` and ``p``.
    Domain: real ratings.
    Undefined: NaN when a group has fewer than two rated items, or when both are constant.
    """
    means = [item_means(m) for m in (sample.first, sample.second)]
    first, second = (m[~np.isnan(m)] for m in means)
    return _welch(first, second, first.size + second.size, "items")


def _welch(first: FloatArray, second: FloatArray, items: int, unit: str) -> Estimate:
    from scipy import stats

    if min(first.size, second.size) < 2:
        return undefined(f"a group has fewer than two {unit}", items)
    if is_constant(first) and is_constant(second):
        return undefined("both groups are constant", items)
    with warnings.catch_warnings():  # scipy warns when one group is constant, which is allowed
        warnings.simplefilter("ignore", RuntimeWarning)
        test = stats.ttest_ind(first, second, equal_var=False)
    extra = {"p": float(test.pvalue), "df": float(test.df)}
    return Estimate(float(test.statistic), items, extra=extra)

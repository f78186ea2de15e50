"""Mean and spread of a matrix of ratings."""

from __future__ import annotations

import numpy as np

from retrial.metrics.base import Estimate, FloatArray, Matrix, WeightArray, register, undefined
from retrial.metrics.weights import in_blocks, near_origin, ratio


def item_sums(matrix: Matrix) -> FloatArray:
    """Sum the ratings of each item, shape ``(items,)``; 0 where there is none.

    Ratings are sorted first, so the sum does not depend on the order of the raters.
    """
    return np.asarray(np.nansum(np.sort(matrix.values, axis=0), axis=0))


def item_means(matrix: Matrix) -> FloatArray:
    """Mean rating of each item, shape ``(items,)``; NaN for an item without ratings.

    One sum and one division: adding up thirds would make false non-ties of equal means.
    """
    return ratio(item_sums(matrix), matrix.counts.astype(np.float64))


def mean_weighted(sample: Matrix, weights: WeightArray) -> FloatArray:
    """Mean over all ratings at each resample: weights ``(B, items)`` to values ``(B,)``."""
    sums, counts = item_sums(sample), sample.counts.astype(np.float64)
    return in_blocks(lambda w: ratio(w @ sums, w @ counts), weights)


@register("mean", "Mean rating", "matrix", weighted=mean_weighted)
def mean(sample: Matrix) -> Estimate:
    """Mean over all ratings (not over item means: the two differ when raters are missing).

    Formula: sum of ratings / number of ratings. Domain: real ratings; ``n`` counts rated items.
    Undefined: NaN when there is no rating.
    """
    rated = int((sample.counts > 0).sum())
    if rated == 0:
        return undefined("there is no rating", 0)
    return Estimate(float(item_sums(sample).sum() / sample.counts.sum()), rated)


def sd_weighted(sample: Matrix, weights: WeightArray) -> FloatArray:
    """SD over all ratings at each resample: weights ``(B, items)`` to values ``(B,)``."""
    counts = sample.counts.astype(np.float64)
    if counts.sum() == 0:
        return np.full(weights.shape[0], np.nan)
    values = near_origin(sample.values)
    sums, squares = item_sums(Matrix(values)), item_sums(Matrix(values**2))

    def kernel(block: FloatArray) -> FloatArray:
        total = block @ counts
        variance = ratio(total * (block @ squares) - (block @ sums) ** 2, total**2)
        return np.asarray(np.where(total >= 2, np.sqrt(np.maximum(variance, 0.0)), np.nan))

    return in_blocks(kernel, weights)


@register("sd", "SD of ratings", "matrix", weighted=sd_weighted)
def sd(sample: Matrix) -> Estimate:
    """Standard deviation over all ratings, dividing by their number (ddof 0).

    Formula: sqrt(mean((rating - mean)^2)). Domain: real ratings; ``n`` counts rated items.
    Undefined: NaN when there are fewer than two ratings; 0 when all are equal.
    """
    rated = int((sample.counts > 0).sum())
    if sample.counts.sum() < 2:
        return undefined("there are fewer than two ratings", rated)
    return Estimate(float(np.nanstd(sample.values)), rated)

"""Agreement between the raters of a matrix: Krippendorff's alpha and exact agreement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from retrial.metrics.base import (
    BoolArray,
    Estimate,
    FloatArray,
    IntArray,
    Matrix,
    WeightArray,
    register,
    undefined,
)
from retrial.metrics.weights import (
    TOLERANCE,
    drawn_range,
    in_blocks,
    near_origin,
    of_items,
    ratio,
    tie_levels,
)

Level = Literal["interval", "ordinal", "nominal"]
_Disagreement = Callable[[FloatArray], tuple[FloatArray, FloatArray]]

_ALPHA_DOC = """Krippendorff's alpha of the ratings, {level} difference.

    Formula: 1 - D_observed / D_expected over the coincidences of ratings of the same item, with
    the squared difference {difference}. Items with one rating are left out; missing ratings are
    left out, never filled. Half points are kept as they are; ratings within 1e-9 are one value.
    Domain: ratings of shape (raters, items); at most 1, and negative when raters disagree more
    than chance. Near-constant ratings give values near 0 however often raters agree: see
    ``exact-agreement``.
    Undefined: NaN when no item has two ratings, or when all ratings are equal (0/0).
    """

_DIFFERENCE = {
    "interval": "of the values",
    "ordinal": "of the values' average ranks among all ratings used",
    "nominal": "0 for equal values and 1 for others",
}


def alpha_weighted(sample: Matrix, weights: WeightArray, *, level: Level) -> FloatArray:
    """Alpha at each resample: weights ``(B, items)`` to values ``(B,)``; linear in the weights."""
    pairable = sample.counts >= 2
    values = sample.values[:, pairable]
    if _reason_undefined(values):
        return np.full(weights.shape[0], np.nan)
    lowest, highest = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    disagreements = _DISAGREEMENTS[level](values)

    def kernel(block: FloatArray) -> FloatArray:
        observed, expected = disagreements(block)
        alpha = 1 - ratio(observed, expected)
        return np.asarray(np.where(drawn_range(block, lowest, highest) >= TOLERANCE, alpha, np.nan))

    return in_blocks(kernel, of_items(weights, pairable))


def alpha(sample: Matrix, *, level: Level) -> Estimate:
    """Krippendorff's alpha of a ``(raters, items)`` matrix; NaN when nothing varies or pairs."""
    pairable = sample.counts >= 2
    items = int(pairable.sum())
    reason = _reason_undefined(sample.values[:, pairable])
    if reason:
        return undefined(reason, items)
    value = alpha_weighted(sample, np.ones((1, sample.items)), level=level)[0]
    return Estimate(float(value), items)


def exact_weighted(sample: Matrix, weights: WeightArray) -> FloatArray:
    """Exact agreement at each resample: weights ``(B, items)`` to percentages ``(B,)``."""
    pairable = sample.counts >= 2
    agree = _all_agree(sample.values[:, pairable]).astype(np.float64)
    return in_blocks(lambda w: 100 * ratio(w @ agree, w.sum(axis=1)), of_items(weights, pairable))


@register("exact-agreement", "Exact agreement (%)", "matrix", weighted=exact_weighted)
def exact_agreement(sample: Matrix) -> Estimate:
    """Share of items, in percent, to which all raters present gave the same rating.

    Formula: 100 x (items with equal ratings) / (items with two ratings or more).
    Domain: real ratings, equal when within 1e-9; value in [0, 100].
    Undefined: NaN when no item has two ratings.
    """
    pairable = sample.counts >= 2
    if not pairable.any():
        return undefined("no item has two ratings", 0)
    share = _all_agree(sample.values[:, pairable]).mean()
    return Estimate(100 * float(share), int(pairable.sum()))


def _all_agree(values: FloatArray) -> BoolArray:
    if values.shape[1] == 0:
        return np.zeros(0, dtype=np.bool_)
    return np.asarray(np.nanmax(values, axis=0) - np.nanmin(values, axis=0) < TOLERANCE)


def _reason_undefined(values: FloatArray) -> str:
    if values.shape[1] == 0:
        return "no item has two ratings"
    if np.nanmax(values) - np.nanmin(values) < TOLERANCE:
        return "no variation: all ratings are equal"
    return ""


class _Moments:
    """Observed and expected interval disagreement from sums per item."""

    def __init__(self, values: FloatArray) -> None:
        centred = near_origin(values)
        self.count = (~np.isnan(values)).sum(axis=0).astype(np.float64)
        self.total = np.nansum(centred, axis=0)
        self.square = np.nansum(centred**2, axis=0)
        spread = centred - np.nanmean(centred, axis=0)
        within = np.nansum(spread**2, axis=0)
        self.observed = 2 * self.count * within / (self.count - 1)

    def __call__(self, block: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return observed and expected disagreement, ``(b,)`` each, times the ratings' number."""
        n = block @ self.count
        expected = 2 * (n * (block @ self.square) - (block @ self.total) ** 2)
        return block @ self.observed, ratio(expected, n - 1)


class _Counts:
    """Observed and expected nominal disagreement from counts of each value per item."""

    def __init__(self, values: FloatArray) -> None:
        self.levels, self.size = _levels(values)
        self.counts = _counts(self.levels, self.size)
        self.per_item = self.counts.sum(axis=1)
        unequal = self.per_item**2 - (self.counts**2).sum(axis=1)
        self.observed = unequal / (self.per_item - 1)

    def __call__(self, block: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return observed and expected disagreement, ``(b,)`` each, times the ratings' number."""
        n = block @ self.per_item
        expected = n**2 - ((block @ self.counts) ** 2).sum(axis=1)
        return block @ self.observed, ratio(expected, n - 1)


class _Ranks(_Counts):
    """Observed and expected ordinal disagreement: interval alpha of each resample's ranks."""

    def __call__(self, block: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return observed and expected disagreement, ``(b,)`` each, times the ratings' number."""
        level_counts = block @ self.counts
        n = level_counts.sum(axis=1)
        ranks = np.cumsum(level_counts, axis=1) - (level_counts + n[:, None]) / 2
        expected = 2 * n * (level_counts * ranks**2).sum(axis=1)
        total, square = np.zeros_like(block), np.zeros_like(block)
        padded = np.concatenate([ranks, np.zeros((block.shape[0], 1))], axis=1)
        for row in self.levels:
            rank = padded[:, row]
            total += rank
            square += rank**2
        per_item = 2 * (self.per_item * square - total**2) / (self.per_item - 1)
        return np.asarray((block * per_item).sum(axis=1)), ratio(expected, n - 1)


def _levels(values: FloatArray) -> tuple[IntArray, int]:
    """Number the distinct ratings of ``(raters, items)``; a missing one gets the last number."""
    present = ~np.isnan(values)
    numbers, size = tie_levels(values[present])
    levels = np.full(values.shape, size, dtype=np.int64)
    levels[present] = numbers
    return levels, size


def _counts(levels: IntArray, size: int) -> FloatArray:
    """Count each value per item, shape ``(items, size)``."""
    items = levels.shape[1]
    flat = (levels + np.arange(items) * (size + 1)).ravel()
    table = np.bincount(flat, minlength=items * (size + 1)).reshape(items, size + 1)
    return table[:, :size].astype(np.float64)


_DISAGREEMENTS: dict[Level, Callable[[FloatArray], _Disagreement]] = {
    "interval": _Moments,
    "ordinal": _Ranks,
    "nominal": _Counts,
}


def _register_alpha(level: Level) -> None:
    def compute(sample: Matrix) -> Estimate:
        return alpha(sample, level=level)

    def weighted(sample: Matrix, weights: WeightArray) -> FloatArray:
        return alpha_weighted(sample, weights, level=level)

    doc = _ALPHA_DOC.format(level=level, difference=_DIFFERENCE[level])
    register(
        f"alpha-{level}", f"Krippendorff alpha ({level})", "matrix", weighted=weighted, doc=doc
    )(compute)


for _level in get_args(Level):
    _register_alpha(_level)

"""Array tools for metrics under resampling weights: blocks, ties, sums by group."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from retrial.metrics.base import BoolArray, FloatArray, IntArray, WeightArray

TOLERANCE = 1e-9
"""Scores closer than this are one score: differences below it are floating-point residue."""

BLOCK_NUMBERS = 1 << 21
"""Weights drawn at once (16 MiB of float64), so that memory does not grow with resamples."""

KERNEL_NUMBERS = 1 << 16
"""Weights that a metric works on at once: what it makes of them stays in a processor's cache."""


def tie_levels(values: FloatArray) -> tuple[IntArray, int]:
    """Number the distinct values of ``(n,)`` in ascending order; return ``(numbers, how many)``.

    Neighbours in sorted order that differ by less than ``TOLERANCE`` share a number, so means of
    the same ratings that were summed in another order stay ties. Values must not be NaN.
    """
    if values.size == 0:
        return np.zeros(0, dtype=np.int64), 0
    order = np.argsort(values, kind="stable")
    steps = np.diff(values[order]) >= TOLERANCE
    numbers = np.zeros(values.size, dtype=np.int64)
    numbers[order[1:]] = np.cumsum(steps)
    return numbers, int(steps.sum()) + 1


def is_constant(values: FloatArray) -> bool:
    """Whether the values (none NaN) hold at most one distinct score, up to ``TOLERANCE``."""
    return tie_levels(values)[1] <= 1


def group_sums(weights: FloatArray, groups: IntArray, count: int) -> FloatArray:
    """Sum the columns of ``(B, n)`` weights by group number; return ``(B, count)``.

    Every number in ``range(count)`` must occur in ``groups``.
    """
    order = np.argsort(groups, kind="stable")
    ordered = weights[:, order]
    if count == groups.size:
        return ordered
    starts = np.searchsorted(groups[order], np.arange(count))
    return np.asarray(np.add.reduceat(ordered, starts, axis=1))


def blocks(resamples: int, items: int, numbers: int = BLOCK_NUMBERS) -> Iterator[slice]:
    """Cut ``resamples`` rows into slices of at most ``numbers`` weights, or one row."""
    rows = max(1, numbers // max(items, 1))
    for start in range(0, resamples, rows):
        yield slice(start, min(start + rows, resamples))


def in_blocks(
    kernel: Callable[[FloatArray], FloatArray],
    weights: WeightArray,
    numbers: int = KERNEL_NUMBERS,
) -> FloatArray:
    """Apply a kernel from ``(b, n)`` weights to ``(b,)`` values block by block; return ``(B,)``.

    Integer weights are converted to float64, a block of at most ``numbers`` at a time.
    """
    resamples, items = weights.shape
    values = np.full(resamples, np.nan)
    for part in blocks(resamples, items, numbers):
        values[part] = kernel(np.asarray(weights[part], dtype=np.float64))
    return values


def drawn_range(weights: FloatArray, lowest: FloatArray, highest: FloatArray) -> FloatArray:
    """Return highest less lowest score among the items drawn, ``(b,)``; -inf where none is.

    ``weights`` are ``(b, n)``; ``lowest`` and ``highest`` are each item's own, ``(n,)``.
    """
    drawn = weights > 0
    upwards, downwards = np.argsort(lowest), np.argsort(-highest)
    low = lowest[upwards[drawn[:, upwards].argmax(axis=1)]]
    high = highest[downwards[drawn[:, downwards].argmax(axis=1)]]
    return np.asarray(np.where(drawn.any(axis=1), high - low, -np.inf))


def of_items(weights: WeightArray, chosen: BoolArray) -> WeightArray:
    """Return the columns of ``(B, items)`` weights for the chosen items; all without copying."""
    return weights if chosen.all() else weights[:, chosen]


def near_origin(values: FloatArray) -> FloatArray:
    """Shift values so that their mean is near 0; NaN stays NaN, and at least one is not.

    The shift is a multiple of one half: sums of half-point ratings and of their squares stay
    exact, so equal ratings have variance 0 and not a residue.
    """
    return np.asarray(values - np.round(2 * np.nanmean(values)) / 2)


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Divide elementwise; NaN where the denominator is not positive."""
    defined = denominator > 0
    return np.asarray(
        np.divide(numerator, denominator, out=np.full_like(denominator, np.nan), where=defined)
    )

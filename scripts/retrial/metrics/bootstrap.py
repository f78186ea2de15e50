"""Percentile bootstrap over items: intervals, paired differences, means of replicates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from retrial.errors import RetrialError
from retrial.metrics.base import (
    Estimate,
    FloatArray,
    Matrix,
    Metric,
    Pairs,
    Sample,
    TwoGroups,
    undefined,
)
from retrial.metrics.weights import BLOCK_NUMBERS, TOLERANCE, blocks

RESAMPLES = 2000
LEVEL = 0.95
UNDEFINED_ALLOWED = 0.05
"""Share of resamples that may be undefined; beyond it the percentiles would describe only the
samples that happen to be easy, so there is no interval."""

Weights = FloatArray | tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class Interval:
    """Ends of a bootstrap interval, NaN with a ``reason`` when there is none.

    ``resamples_used`` counts the resamples in which the metric was defined.
    """

    low: float
    high: float
    resamples_used: int
    reason: str = ""


@dataclass(frozen=True)
class Difference:
    """Metric of the first sample minus that of the second: value, interval, two-sided p value."""

    estimate: Estimate
    interval: Interval
    p: float


def draw_weights(items: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """Yield blocks ``(b, items)`` of how often each item is drawn, ``resamples`` rows in all.

    Rows are multinomial: ``items`` draws with equal chances, from PCG64 with this seed.
    """
    if items * resamples <= BLOCK_NUMBERS:
        yield _one_block(items, resamples, seed)
        return
    generator = np.random.Generator(np.random.PCG64(seed))
    for part in blocks(resamples, items):
        yield _draw(generator, items, part.stop - part.start)


@lru_cache(maxsize=4)
def _one_block(items: int, resamples: int, seed: int) -> FloatArray:
    """All resamples at once: the cells of a table share them, so they are drawn once."""
    generator = np.random.Generator(np.random.PCG64(seed))
    drawn = _draw(generator, items, resamples)
    drawn.flags.writeable = False
    return drawn


def interval(
    metric: Metric,
    sample: Sample,
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int,
    **parameters: Any,
) -> Interval:
    """Percentile bootstrap interval of a metric; items are redrawn with all their scores.

    Items with missing scores are drawn like the others. The two groups of a ``TwoGroups`` are
    redrawn independently. ``level`` is the coverage, ``seed`` that of PCG64.
    NaN with a reason when the metric itself is undefined, or when it is undefined in more than
    ``UNDEFINED_ALLOWED`` of the resamples. Raises RetrialError for a metric without intervals.
    """
    _check(metric, resamples, level)
    estimate = metric.compute(sample, **parameters)
    if estimate.reason:
        return Interval(math.nan, math.nan, 0, estimate.reason)
    values = np.concatenate(
        [_values(metric, sample, w, parameters) for w in _draws(sample, resamples, seed)]
    )
    return percentile_interval(values, level)


def replicate_mean(
    metric: Metric,
    samples: Sequence[Sample],
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int,
    skip_undefined: bool = False,
    **parameters: Any,
) -> tuple[Estimate, Interval]:
    """Mean of a metric over replicates of the same items, and its interval over items.

    All replicates of an item move together. ``n`` is the smallest of the replicates', and
    ``extra`` holds ``replicates`` and ``replicate_sd`` (ddof 1) where there are two or more.
    NaN with a reason when any replicate is undefined; with `skip_undefined` (for many random
    draws of which a few may be constant), when half of them or more are. Raises RetrialError
    when the list is empty or the replicates have different numbers of items.
    """
    _check(metric, resamples, level)
    _check_aligned(samples)
    estimates = [metric.compute(s, **parameters) for s in samples]
    if skip_undefined:
        defined = [e for e in estimates if not e.reason]
        estimates = defined if 2 * len(defined) > len(estimates) else estimates
    estimate = _mean_estimate(estimates)
    if estimate.reason:
        return estimate, Interval(math.nan, math.nan, 0, estimate.reason)
    values = []
    for weights in _draws(samples[0], resamples, seed):
        drawn = np.stack([_values(metric, s, weights, parameters) for s in samples])
        values.append(_mean_defined(drawn) if skip_undefined else drawn.mean(axis=0))
    return estimate, percentile_interval(np.concatenate(values), level)


def paired_difference(
    metric: Metric,
    first: Sample,
    second: Sample,
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int,
    **parameters: Any,
) -> Difference:
    """Metric of ``first`` minus metric of ``second`` over the same items, drawn together.

    Each sample leaves out its own missing scores, so the value is the difference of the two cells
    as printed. p = 2 min((1 + #{d <= 0}) / (B + 1), (1 + #{d >= 0}) / (B + 1)), at most 1, over
    the B resamples in which both are defined: the level at which the percentile interval just
    reaches 0. NaN with a reason when either is undefined (see :func:`interval`).
    """
    _check(metric, resamples, level)
    _check_aligned([first, second])
    left, right = metric.compute(first, **parameters), metric.compute(second, **parameters)
    reason = left.reason or right.reason
    if reason:
        none = Interval(math.nan, math.nan, 0, reason)
        return Difference(undefined(reason, min(left.n, right.n)), none, math.nan)
    values = np.concatenate(
        [
            _values(metric, first, w, parameters) - _values(metric, second, w, parameters)
            for w in _draws(first, resamples, seed)
        ]
    )
    estimate = Estimate(left.value - right.value, min(left.n, right.n))
    ends = percentile_interval(values, level)
    return Difference(estimate, ends, math.nan if ends.reason else two_sided_p(values))


def percentile_interval(values: FloatArray, level: float) -> Interval:
    """Return the central ``level`` of resampled values ``(B,)``, NaN values left out."""
    used = values[~np.isnan(values)]
    lost = values.size - used.size
    if lost > UNDEFINED_ALLOWED * values.size:
        reason = f"undefined in {lost} of {values.size} resamples"
        return Interval(math.nan, math.nan, used.size, reason)
    low, high = np.quantile(used, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), used.size)


def two_sided_p(values: FloatArray) -> float:
    """Return the two-sided bootstrap p value of resampled differences ``(B,)`` against 0.

    Differences within ``TOLERANCE`` of 0 are 0: in small samples many are, but for residue.
    """
    used = values[~np.isnan(values)]
    tail = min(int((used <= TOLERANCE).sum()), int((used >= -TOLERANCE).sum()))
    return min(1.0, 2 * (1 + tail) / (used.size + 1))


def _mean_defined(values: FloatArray) -> FloatArray:
    """Mean over the defined replicates (R, B) to (B,); NaN where half of them or more are NaN."""
    defined = ~np.isnan(values)
    counts = defined.sum(axis=0)
    total = np.where(defined, values, 0.0).sum(axis=0)
    enough = 2 * counts > values.shape[0]
    return np.asarray(np.where(enough, total / np.maximum(counts, 1), np.nan))


def _values(
    metric: Metric, sample: Sample, weights: Weights, parameters: dict[str, Any]
) -> FloatArray:
    assert metric.weighted is not None  # _check has refused metrics without
    return metric.weighted(sample, weights, **parameters)


def _draws(sample: Sample, resamples: int, seed: int) -> Iterator[Weights]:
    if isinstance(sample, Pairs | Matrix):
        yield from draw_weights(sample.items, resamples, seed)
        return
    first, second = _sizes(sample)
    generator = np.random.Generator(np.random.PCG64(seed))
    for part in blocks(resamples, first + second):
        rows = part.stop - part.start
        yield _draw(generator, first, rows), _draw(generator, second, rows)


def _draw(generator: np.random.Generator, items: int, rows: int) -> FloatArray:
    drawn = generator.integers(0, items, (rows, items)) + items * np.arange(rows)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=rows * items)
    return counts.reshape(rows, items).astype(np.float64)


def _sizes(sample: Sample) -> tuple[int, ...]:
    if isinstance(sample, TwoGroups):
        return sample.first.items, sample.second.items
    return (sample.items,)


def _mean_estimate(estimates: list[Estimate]) -> Estimate:
    n = min(e.n for e in estimates)
    missing = [e for e in estimates if e.reason]
    if missing:
        reason = f"{len(missing)} of {len(estimates)} replicates: {missing[0].reason}"
        return undefined(reason, n, replicates=len(estimates))
    values = np.array([e.value for e in estimates])
    extra = {"replicates": float(values.size)}
    if values.size > 1:
        extra["replicate_sd"] = float(values.std(ddof=1))
    return Estimate(float(values.mean()), n, extra=extra)


def _check(metric: Metric, resamples: int, level: float) -> None:
    if metric.weighted is None:
        raise RetrialError(
            f"Metric {metric.id!r} has no interval: it is a test; read its p value from extra."
        )
    if resamples < 1 or not 0 < level < 1:
        raise RetrialError(
            f"Bootstrap of {metric.id!r}: resamples={resamples}, level={level}; "
            "resamples must be positive and level between 0 and 1."
        )


def _check_aligned(samples: Sequence[Sample]) -> None:
    if not samples:
        raise RetrialError("Bootstrap over replicates: the list of samples is empty.")
    sizes = {_sizes(s) for s in samples}
    if len(sizes) > 1:
        raise RetrialError(
            f"Samples that are drawn together list different items (numbers: {sorted(sizes)}); "
            "join them by item id first."
        )

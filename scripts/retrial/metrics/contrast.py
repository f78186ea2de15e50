"""Paired bootstrap of arms against arms over the same items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from retrial.errors import RetrialError
from retrial.metrics.base import Estimate, FloatArray, Metric, Pairs, undefined
from retrial.metrics.bootstrap import (
    LEVEL,
    RESAMPLES,
    Difference,
    Interval,
    draw_weights,
    percentile_interval,
    two_sided_p,
)


@dataclass(frozen=True, eq=False)
class Scored:
    """One arm: its replicates over one list of items, and the metric's parameters for it.

    The metric of an arm is its mean over the replicates.
    """

    replicates: Sequence[Pairs]
    parameters: Mapping[str, Any] = field(default_factory=dict)


Sides = tuple[Sequence[Scored], Sequence[Scored]]


def contrast(
    metric: Metric,
    matches: Sequence[Sides],
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int,
) -> Difference:
    """Mean over matches of (best of the first arms - best of the second), drawn together.

    All arms list the same items, NaN where an item is not theirs. ``n`` counts the items that any
    arm scored. The two-sided p value is that of :func:`retrial.metrics.bootstrap.two_sided_p`. An
    arm whose metric is undefined can't be the best of several; NaN with a reason where a side has
    no other. Raises RetrialError for arms of different numbers of items.
    """
    arms = _arms(matches)
    items = _items(arms)
    complete = np.zeros(items, dtype=bool)
    for arm in arms:
        for pairs in arm.replicates:
            complete |= pairs.complete
    n = int(complete.sum())
    estimates = {id(arm): _estimate(metric, arm) for arm in arms}
    values = {key: np.array([found.value]) for key, found in estimates.items()}
    value = float(_differences(matches, values)[0])
    if math.isnan(value):
        reason = next(found.reason for found in estimates.values() if found.reason)
        return Difference(undefined(reason, n), Interval(math.nan, math.nan, 0, reason), math.nan)
    drawn = []
    for weights in draw_weights(items, resamples, seed):
        resampled = {id(arm): _resampled(metric, arm, weights) for arm in arms}
        drawn.append(_differences(matches, resampled))
    every = np.concatenate(drawn)
    ends = percentile_interval(every, level)
    p = math.nan if ends.reason else two_sided_p(every)
    return Difference(Estimate(value, n), ends, p)


def differences(metric: Metric, matches: Sequence[Sides]) -> FloatArray:
    """The difference of each match, shape ``(matches,)``; NaN where undefined."""
    values = {id(arm): np.array([_estimate(metric, arm).value]) for arm in _arms(matches)}
    return np.array([_match(match, values)[0] for match in matches])


def with_parameters(matches: Sequence[Sides], parameters: Mapping[str, Any]) -> list[Sides]:
    """The same matches, every arm with the metric's parameters and its own in their place.

    What an arm states beyond them is of another metric and is left out.
    """
    found: dict[int, Scored] = {}
    for arm in _arms(matches):
        own = {name: value for name, value in arm.parameters.items() if name in parameters}
        found[id(arm)] = Scored(arm.replicates, {**parameters, **own})
    return [([found[id(a)] for a in one], [found[id(b)] for b in two]) for one, two in matches]


def _arms(matches: Sequence[Sides]) -> list[Scored]:
    """Every arm once."""
    every = {id(arm): arm for match in matches for side in match for arm in side}
    return list(every.values())


def _items(arms: Sequence[Scored]) -> int:
    sizes = {pairs.items for arm in arms for pairs in arm.replicates}
    if len(sizes) != 1:
        raise RetrialError(
            f"Arms that are drawn together list different items (numbers: {sorted(sizes)}); "
            "align them by item id first."
        )
    return sizes.pop()


def _estimate(metric: Metric, arm: Scored) -> Estimate:
    found = [metric.compute(pairs, **arm.parameters) for pairs in arm.replicates]
    if missing := [estimate for estimate in found if estimate.reason]:
        return missing[0]
    return Estimate(float(np.mean([e.value for e in found])), min(e.n for e in found))


def _resampled(metric: Metric, arm: Scored, weights: FloatArray) -> FloatArray:
    if metric.weighted is None:
        raise RetrialError(f"Metric {metric.id!r} has no interval: it is a test.")
    values = [metric.weighted(pairs, weights, **arm.parameters) for pairs in arm.replicates]
    return np.asarray(np.mean(values, axis=0))


def _differences(matches: Sequence[Sides], values: Mapping[int, FloatArray]) -> FloatArray:
    return np.asarray(np.mean([_match(match, values) for match in matches], axis=0))


def _match(match: Sides, values: Mapping[int, FloatArray]) -> FloatArray:
    first, second = (np.fmax.reduce([values[id(arm)] for arm in side]) for side in match)
    return np.asarray(first - second)

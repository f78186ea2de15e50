"""Laws that every metric with an interval obeys, whatever its form."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from retrial.metrics.base import (
    REGISTRY,
    FloatArray,
    IntArray,
    Matrix,
    Metric,
    Pairs,
    Sample,
    TwoGroups,
    get,
)
from retrial.metrics.weights import BLOCK_NUMBERS, blocks, tie_levels

QUICK = settings(deadline=None, max_examples=12)

WITH_INTERVAL = sorted(m.id for m in REGISTRY.values() if m.has_interval)

scores = st.one_of(st.integers(2, 10).map(lambda k: k / 2), st.just(math.nan))


@st.composite
def matrices(draw: st.DrawFn) -> Matrix:
    shape = draw(st.tuples(st.integers(1, 4), st.integers(1, 8)))
    return Matrix(draw(arrays(np.float64, shape, elements=scores)))


@st.composite
def samples(draw: st.DrawFn, form: str) -> Sample:
    if form == "matrix":
        return draw(matrices())
    if form == "two-groups":
        return TwoGroups(draw(matrices()), draw(matrices()))
    n = draw(st.integers(1, 12))
    first, second = (draw(arrays(np.float64, n, elements=scores)) for _ in range(2))
    return Pairs(first, second)


def sizes(sample: Sample) -> list[int]:
    if isinstance(sample, TwoGroups):
        return [sample.first.items, sample.second.items]
    return [sample.items]


def take(sample: Sample, chosen: list[IntArray]) -> Sample:
    """Return the sample with these items, in this order."""
    if isinstance(sample, Pairs):
        return Pairs(sample.first[chosen[0]], sample.second[chosen[0]])
    if isinstance(sample, Matrix):
        return Matrix(sample.values[:, chosen[0]])
    first, second = sample.first.values[:, chosen[0]], sample.second.values[:, chosen[1]]
    return TwoGroups(Matrix(first), Matrix(second))


def weighted(metric: Metric, sample: Sample, weights: list[Any]) -> FloatArray:
    assert metric.weighted is not None
    return metric.weighted(sample, tuple(weights) if len(weights) == 2 else weights[0])


def assert_same(value: float, expected: float) -> None:
    assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("metric_id", WITH_INTERVAL)
@QUICK
@given(data=st.data())
def test_each_item_once_is_the_metric_itself(metric_id: str, data: st.DataObject) -> None:
    metric = get(metric_id)
    sample = data.draw(samples(metric.form))
    once = [np.ones((2, n), dtype=np.int64) for n in sizes(sample)]
    estimate = metric.compute(sample)
    for value in weighted(metric, sample, once):
        assert_same(value, estimate.value)
    assert math.isnan(estimate.value) == bool(estimate.reason)


@pytest.mark.parametrize("metric_id", WITH_INTERVAL)
@QUICK
@given(data=st.data())
def test_weights_are_repetitions_of_items(metric_id: str, data: st.DataObject) -> None:
    metric = get(metric_id)
    sample = data.draw(samples(metric.form))
    times = [data.draw(arrays(np.int64, n, elements=st.integers(0, 3))) for n in sizes(sample)]
    repeated = take(sample, [np.repeat(np.arange(t.size), t) for t in times])
    value = weighted(metric, sample, [t[None, :] for t in times])[0]
    assert_same(value, metric.compute(repeated).value)


@pytest.mark.parametrize("metric_id", sorted(REGISTRY))
@QUICK
@given(data=st.data())
def test_order_of_items_does_not_matter(metric_id: str, data: st.DataObject) -> None:
    metric = get(metric_id)
    sample = data.draw(samples(metric.form))
    orders = [np.array(data.draw(st.permutations(range(n))), dtype=np.int64) for n in sizes(sample)]
    moved, original = metric.compute(take(sample, orders)), metric.compute(sample)
    assert moved.value == pytest.approx(original.value, rel=1e-9, abs=1e-12, nan_ok=True)
    assert (moved.n, moved.reason) == (original.n, original.reason)


@pytest.mark.parametrize("metric_id", sorted(REGISTRY))
def test_nothing_at_all_is_undefined(metric_id: str) -> None:
    metric = get(metric_id)
    for values in (np.zeros((2, 0)), np.full((2, 4), np.nan)):
        sample: dict[str, Sample] = {
            "pairs": Pairs(values[0], values[1]),
            "matrix": Matrix(values),
            "two-groups": TwoGroups(Matrix(values), Matrix(values)),
        }
        estimate = metric.compute(sample[metric.form])
        assert math.isnan(estimate.value)
        assert estimate.reason
        assert estimate.n == 0


@pytest.mark.parametrize("metric_id", [m for m in WITH_INTERVAL if get(m).form == "pairs"])
def test_blocks_of_resamples_join_without_a_seam(
    metric_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    sample = Pairs(rng.integers(1, 6, 20) / 1.0, rng.integers(1, 6, 20) / 1.0)
    weights = rng.integers(0, 3, (17, 20))
    whole = weighted(get(metric_id), sample, [weights])
    monkeypatch.setattr("retrial.metrics.weights.BLOCK_NUMBERS", 60)
    assert weighted(get(metric_id), sample, [weights]) == pytest.approx(whole, abs=1e-12)


@QUICK
@given(resamples=st.integers(0, 5000), items=st.integers(0, 10_000_000))
def test_blocks_cover_all_resamples_within_the_bound(resamples: int, items: int) -> None:
    parts = list(blocks(resamples, items))
    assert sum(p.stop - p.start for p in parts) == resamples
    assert all(a.stop == b.start for a, b in pairwise(parts))
    assert all(p.stop - p.start == 1 or (p.stop - p.start) * items <= BLOCK_NUMBERS for p in parts)


@QUICK
@given(arrays(np.float64, st.integers(0, 30), elements=st.integers(0, 8).map(float)), st.data())
def test_tie_levels_number_distinct_scores_in_order(
    values: FloatArray, data: st.DataObject
) -> None:
    residue = data.draw(arrays(np.float64, values.size, elements=st.floats(-1e-11, 1e-11)))
    numbers, count = tie_levels(values + residue)
    expected = np.unique(values, return_inverse=True)[1]
    assert numbers.tolist() == expected.tolist()
    assert count == len(set(values))

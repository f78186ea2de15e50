"""Pearson, Spearman and the paired gap against scipy and worked answers."""

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from retrial.metrics.base import FloatArray, Pairs, get

QUICK = settings(deadline=None, max_examples=40)

CORRELATIONS = ["pearson", "spearman", "kendall-b"]
NAN = math.nan
LIBRARY: dict[str, Any] = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall-b": stats.kendalltau,
}

half_points = st.integers(2, 10).map(lambda k: k / 2)
continuous = st.integers(-(10**6), 10**6).map(lambda k: k / 1000)


def pairs(first: list[float], second: list[float]) -> Pairs:
    return Pairs(np.array(first), np.array(second))


@st.composite
def varied(draw: st.DrawFn, scores: st.SearchStrategy[float]) -> Pairs:
    n = draw(st.integers(3, 30))
    first, second = (draw(arrays(np.float64, n, elements=scores)) for _ in range(2))
    first[0], first[1] = 1.0, 2.0  # neither side is constant
    second[0], second[-1] = 1.0, 2.0
    return Pairs(first, second)


@pytest.mark.parametrize("metric_id", CORRELATIONS)
@QUICK
@given(sample=st.one_of(varied(half_points), varied(continuous)))
def test_equal_to_scipy(metric_id: str, sample: Pairs) -> None:
    estimate = get(metric_id).compute(sample)
    expected = LIBRARY[metric_id](sample.first, sample.second)
    assert estimate.value == pytest.approx(expected.statistic, abs=1e-12)
    assert estimate.extra["p"] == pytest.approx(expected.pvalue, abs=1e-12)
    assert estimate.n == sample.items


@pytest.mark.parametrize("metric_id", CORRELATIONS)
@QUICK
@given(sample=st.one_of(varied(half_points), varied(continuous)), data=st.data())
def test_weighted_form_equals_scipy_on_repeated_items(
    metric_id: str, sample: Pairs, data: st.DataObject
) -> None:
    times = data.draw(arrays(np.int64, (3, sample.items), elements=st.integers(0, 3)))
    metric = get(metric_id)
    assert metric.weighted is not None
    for row, value in zip(times, metric.weighted(sample, times), strict=True):
        first, second = np.repeat(sample.first, row), np.repeat(sample.second, row)
        if first.size < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
            assert math.isnan(value)
        else:
            expected = LIBRARY[metric_id](first, second).statistic
            assert value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("metric_id", CORRELATIONS)
@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ([], [], "fewer than 3 items"),
        ([1, 2], [1, 2], r"fewer than 3 items have both scores \(2\)"),
        ([NAN] * 5, [1, 2, 3, 4, 5], r"\(0\)"),
        ([1, NAN, 3, 4], [1, 2, NAN, 4], r"\(2\)"),
        ([3, 3, 3, 3], [1, 2, 3, 4], "first scores are all equal"),
        ([1, 2, 3, 4], [3, 3, 3, 3], "second scores are all equal"),
    ],
)
def test_undefined_is_nan_with_a_reason(
    metric_id: str, first: list[float], second: list[float], reason: str
) -> None:
    estimate = get(metric_id).compute(pairs(first, second))
    assert math.isnan(estimate.value)
    assert re.search(reason, estimate.reason)


def test_residue_of_a_constant_judge_does_not_become_a_correlation() -> None:
    wobble = np.array([3.0, 3.0, 3.0 + 4e-16, 3.0 + 4e-16])
    scores = np.array([1.0, 3.0, 3.0, 4.0])
    assert np.ptp(wobble) > 0
    with pytest.warns(stats.NearConstantInputWarning):
        assert abs(stats.pearsonr(wobble, scores).statistic) > 0.4  # what must not be printed
    for metric_id in CORRELATIONS:
        assert math.isnan(get(metric_id).compute(Pairs(wobble, scores)).value)


def test_missing_scores_are_left_out_pairwise_and_counted() -> None:
    sample = pairs([1, NAN, 2, 4, 3, 5], [2, 3, 1, NAN, 3, 4])
    for metric_id in CORRELATIONS:
        estimate = get(metric_id).compute(sample)
        expected = LIBRARY[metric_id]([1, 2, 3, 5], [2, 1, 3, 4]).statistic
        assert estimate.n == 4
        assert estimate.value == pytest.approx(expected, abs=1e-12)


def test_spearman_gives_ties_their_average_rank() -> None:
    # Ranks 3, 3, 3, 5, 1 against 1..5: products sum to -2, squares to 8 and 10.
    estimate = get("spearman").compute(pairs([3, 3, 3, 4, 2], [1, 2, 3, 4, 5]))
    assert estimate.value == pytest.approx(-2 / math.sqrt(80), abs=1e-12)


def test_means_summed_in_another_order_stay_tied() -> None:
    ratings = np.array([[1.0, 1.5, 2.5], [2.5, 1.0, 1.5], [1.5, 2.5, 1.0], [5.0, 4.0, 4.5]])
    thirds: FloatArray = ratings[:, 0] / 3 + ratings[:, 1] / 3 + ratings[:, 2] / 3
    exact = ratings.sum(axis=1) / 3
    judge = np.array([1.0, 2.0, 3.0, 4.0])
    assert len(set(thirds[:3])) > 1  # the trap is there
    for metric_id in ("spearman", "kendall-b"):
        values = [get(metric_id).compute(Pairs(judge, x)).value for x in (thirds, exact)]
        assert values[0] == values[1]


@QUICK
@given(sample=varied(continuous))
def test_paired_gap_equals_the_paired_t_test(sample: Pairs) -> None:
    estimate = get("paired-gap").compute(sample)
    assert estimate.value == pytest.approx((sample.first - sample.second).mean(), abs=1e-9)
    if "t" in estimate.extra:
        expected = stats.ttest_rel(sample.first, sample.second)
        assert estimate.extra["t"] == pytest.approx(expected.statistic, rel=1e-9)
        assert estimate.extra["p"] == pytest.approx(expected.pvalue, abs=1e-9)
        assert estimate.extra["df"] == sample.items - 1


def test_paired_gap_without_spread_has_no_test() -> None:
    estimate = get("paired-gap").compute(pairs([2, 3, 4], [1, 2, 3]))
    assert (estimate.value, dict(estimate.extra)) == (1.0, {})
    assert math.isnan(get("paired-gap").compute(pairs([NAN], [1])).value)

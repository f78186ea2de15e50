"""Mean, SD, gaps and Welch's t: worked answers and scipy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from retrial.metrics.base import FloatArray, Matrix, TwoGroups, get
from retrial.metrics.ratings import item_means, item_sums

QUICK = settings(deadline=None, max_examples=40)

N = math.nan
GAPPY = Matrix(np.array([[1.0, 4.0, N, N], [2.0, N, N, 5.0], [3.0, N, N, 5.0]]))


def test_mean_and_sd_are_over_ratings_not_over_items() -> None:
    ratings = [1, 2, 3, 4, 5, 5]
    mean, sd = get("mean").compute(GAPPY), get("sd").compute(GAPPY)
    assert (mean.value, mean.n) == (20 / 6, 3)
    assert sd.value == pytest.approx(np.std(ratings))
    assert sd.value != pytest.approx(np.std(ratings, ddof=1))
    assert np.nanmean(item_means(GAPPY)) != pytest.approx(mean.value)


def test_item_means_leave_out_missing_ratings() -> None:
    assert item_means(GAPPY) == pytest.approx([2.0, 4.0, N, 5.0], nan_ok=True)
    assert item_sums(GAPPY).tolist() == [6.0, 4.0, 0.0, 10.0]


@QUICK
@given(arrays(np.float64, (5, 4), elements=st.floats(1, 5)), st.permutations(range(5)))
def test_item_means_do_not_depend_on_the_order_of_raters(
    values: FloatArray, order: list[int]
) -> None:
    assert item_means(Matrix(values)).tolist() == item_means(Matrix(values[order])).tolist()


def test_adding_thirds_breaks_ties_that_item_means_keep() -> None:
    half_points = np.arange(2, 11) / 2
    triples = np.array(np.meshgrid(half_points, half_points, half_points)).reshape(3, -1)
    thirds = triples[0] / 3 + triples[1] / 3 + triples[2] / 3
    means = item_means(Matrix(triples))
    assert len(set(thirds)) > len(set(triples.sum(axis=0)))
    assert len(set(means)) == len(set(triples.sum(axis=0)))


def test_sd_of_one_rating_is_undefined_and_of_equal_ratings_zero() -> None:
    assert math.isnan(get("sd").compute(Matrix(np.array([[4.0, N]]))).value)
    assert get("sd").compute(Matrix(np.full((2, 3), 4.0))).value == 0.0


groups = arrays(np.float64, (3, 7), elements=st.integers(2, 10).map(lambda k: k / 2))


@pytest.mark.filterwarnings("ignore:Precision loss")  # scipy, when a group is constant
@QUICK
@given(first=groups, second=groups)
def test_welch_equals_scipy(first: FloatArray, second: FloatArray) -> None:
    sample = TwoGroups(Matrix(first), Matrix(second))
    units = {
        "welch-ratings": (first.ravel(), second.ravel()),
        "welch-items": (first.mean(axis=0), second.mean(axis=0)),
    }
    for metric_id, (a, b) in units.items():
        estimate = get(metric_id).compute(sample)
        if np.ptp(a) < 1e-9 and np.ptp(b) < 1e-9:
            assert math.isnan(estimate.value)
            continue
        expected = stats.ttest_ind(a, b, equal_var=False)
        assert estimate.value == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
        assert estimate.extra["p"] == pytest.approx(expected.pvalue, abs=1e-9)
        assert estimate.extra["df"] == pytest.approx(expected.df, rel=1e-9)
        assert estimate.n == 14


def test_welch_worked_by_hand() -> None:
    # Means 2 and 5, variances 1 and 4 over three: t = -3 / sqrt(5/3), df = 25/9 / (1/18 + 16/18).
    sample = TwoGroups(Matrix(np.array([[1.0, 2, 3]])), Matrix(np.array([[3.0, 5, 7]])))
    estimate = get("welch-items").compute(sample)
    assert estimate.value == pytest.approx(-3 / math.sqrt(5 / 3), abs=1e-12)
    assert estimate.extra["df"] == pytest.approx((25 / 9) / (17 / 18), abs=1e-12)
    assert get("gap").compute(sample).value == -3.0


def test_repeated_ratings_inflate_t_but_item_means_do_not() -> None:
    rng = np.random.default_rng(4)
    first, second = rng.normal(0.5, 1, 50), rng.normal(0.0, 1, 50)
    three = TwoGroups(Matrix(np.tile(first, (3, 1))), Matrix(np.tile(second, (3, 1))))
    single = stats.ttest_ind(first, second, equal_var=False).statistic
    assert get("welch-items").compute(three).value == pytest.approx(single)
    # Perfectly correlated samples: ICC 1, so t grows by about sqrt(1 + 2).
    ratio = get("welch-ratings").compute(three).value / single
    assert ratio == pytest.approx(math.sqrt(3), rel=0.02)


@pytest.mark.parametrize("metric_id", ["welch-ratings", "welch-items"])
def test_welch_undefined(metric_id: str) -> None:
    flat, varied = Matrix(np.full((2, 4), 3.0)), Matrix(np.array([[1.0, 2, 3, 4]]))
    empty, single = Matrix(np.full((1, 2), N)), Matrix(np.array([[3.0, N]]))
    assert get(metric_id).compute(TwoGroups(flat, flat)).reason == "both groups are constant"
    assert "fewer than two" in get(metric_id).compute(TwoGroups(varied, empty)).reason
    assert "fewer than two" in get(metric_id).compute(TwoGroups(single, varied)).reason
    assert not get(metric_id).compute(TwoGroups(flat, varied)).reason
    assert get("gap").compute(TwoGroups(varied, empty)).reason == "a group has no rating"

"""Krippendorff's alpha and exact agreement: worked answers and the krippendorff package."""

import math
import random

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from retrial.metrics.agreement import Level
from retrial.metrics.base import FloatArray, Matrix, get

QUICK = settings(deadline=None, max_examples=40)

N = math.nan
LEVELS: list[Level] = ["nominal", "ordinal", "interval"]
# The worked example of Krippendorff's own description of alpha: four raters, twelve units.
CANONICAL = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
        [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
    ]
)


def alpha(values: FloatArray | list[list[float]], level: str) -> float:
    return get(f"alpha-{level}").compute(Matrix(np.array(values, dtype=float))).value


@st.composite
def ratings(draw: st.DrawFn) -> FloatArray:
    shape = draw(st.tuples(st.integers(2, 5), st.integers(2, 10)))
    scores = st.one_of(st.integers(2, 10).map(lambda k: k / 2), st.just(N))
    values = draw(arrays(np.float64, shape, elements=scores))
    values[0, :2], values[1, :2] = [1.0, 4.0], [2.0, 4.0]  # something varies and pairs
    return values


@pytest.mark.parametrize(
    ("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_canonical_example(level: str, expected: float) -> None:
    assert round(alpha(CANONICAL, level), 3) == expected


def test_rows_are_raters() -> None:
    assert round(alpha(CANONICAL.T, "interval"), 3) == -0.035


@pytest.mark.parametrize("level", LEVELS)
@QUICK
@given(values=ratings())
def test_equal_to_the_krippendorff_package(level: Level, values: FloatArray) -> None:
    expected = krippendorff.alpha(values, level_of_measurement=level)
    assert alpha(values, level) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("level", LEVELS)
@QUICK
@given(values=ratings(), data=st.data())
def test_weighted_form_equals_the_package_on_repeated_items(
    level: Level, values: FloatArray, data: st.DataObject
) -> None:
    times = data.draw(arrays(np.int64, values.shape[1], elements=st.integers(0, 3)))
    metric = get(f"alpha-{level}")
    assert metric.weighted is not None
    value = metric.weighted(Matrix(values), times[None, :])[0]
    repeated = np.repeat(values, times, axis=1)
    pairable = repeated[:, (~np.isnan(repeated)).sum(axis=0) >= 2]
    if pairable.size == 0 or np.nanmax(pairable) == np.nanmin(pairable):
        assert math.isnan(value)
    else:
        expected = krippendorff.alpha(pairable, level_of_measurement=level)
        assert value == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("level", LEVELS)
@QUICK
@given(values=ratings(), order=st.randoms(use_true_random=False))
def test_order_of_raters_and_items_does_not_matter(
    level: Level, values: FloatArray, order: random.Random
) -> None:
    shuffled = values.T.copy()
    for item in shuffled:  # raters are exchangeable within each item
        order.shuffle(item)
    order.shuffle(rows := list(shuffled))
    assert alpha(np.array(rows).T, level) == pytest.approx(alpha(values, level), abs=1e-12)


@QUICK
@given(values=ratings())
def test_interval_alpha_ignores_shift_and_scale(values: FloatArray) -> None:
    assert alpha(10 - 3 * values, "interval") == pytest.approx(alpha(values, "interval"), abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
def test_all_equal_ratings_are_undefined_with_full_agreement(level: str) -> None:
    same = Matrix(np.full((3, 5), 4.0))
    estimate = get(f"alpha-{level}").compute(same)
    assert math.isnan(estimate.value)
    assert "no variation" in estimate.reason
    assert get("exact-agreement").compute(same).value == 100.0


@pytest.mark.parametrize("level", LEVELS)
def test_near_constant_ratings_have_no_alpha_to_speak_of(level: str) -> None:
    values = [[4, 4, 4, 4], [4, 4, 4, 4], [4, 4, 4, 5]]
    assert alpha(np.array(values, dtype=float), level) == pytest.approx(0.0, abs=1e-12)
    exact = get("exact-agreement").compute(Matrix(np.array(values, dtype=float)))
    assert exact.value == 75.0


MISSING = np.array([[1, 2, 3, N], [1, 2, 3, 4], [1, 2, 4, 4]])


def test_missing_ratings_are_left_out_not_filled() -> None:
    assert alpha(MISSING, "interval") == pytest.approx(0.9383, abs=5e-5)
    assert alpha(MISSING, "nominal") == pytest.approx(0.7778, abs=5e-5)
    assert alpha(np.nan_to_num(MISSING), "interval") == pytest.approx(0.2305, abs=5e-5)
    assert alpha(MISSING[:, :3], "interval") == pytest.approx(0.9, abs=5e-5)


def test_half_points_are_kept() -> None:
    values = [[4, 4.5, 3, 5], [4, 4, 3.5, 5], [4.5, 4.5, 3, 5]]
    found = {level: round(alpha(values, level), 4) for level in LEVELS}
    assert found == {"nominal": 0.4107, "ordinal": 0.8640, "interval": 0.8787}


def test_alpha_may_be_negative() -> None:
    assert alpha([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]], "interval") == pytest.approx(-0.8)
    assert alpha([[1, 2, 1, 2], [2, 1, 2, 1]], "interval") == pytest.approx(-0.75)


def test_items_with_one_rating_are_left_out() -> None:
    alone = np.array([[1, 2, 3, N, 5], [1, 3, 3, 2, N]])
    estimate = get("alpha-interval").compute(Matrix(alone))
    assert estimate.n == 3
    assert estimate.value == pytest.approx(alpha(alone[:, :3], "interval"), abs=1e-12)
    exact = get("exact-agreement").compute(Matrix(alone))
    assert exact.n == 3
    assert exact.value == pytest.approx(200 / 3)


@pytest.mark.parametrize("metric_id", ["alpha-nominal", "alpha-interval", "exact-agreement"])
@pytest.mark.parametrize("values", [np.zeros((3, 0)), np.full((3, 4), N), np.ones((1, 6))])
def test_no_pairable_item_is_undefined(metric_id: str, values: FloatArray) -> None:
    estimate = get(metric_id).compute(Matrix(values))
    assert math.isnan(estimate.value)
    assert (estimate.reason, estimate.n) == ("no item has two ratings", 0)

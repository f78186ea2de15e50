"""Label rules, the human ceiling and Holm's correction."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from retrial.errors import RetrialError
from retrial.metrics.base import FloatArray, Matrix, get
from retrial.metrics.bootstrap import replicate_mean
from retrial.metrics.ceiling import human_ceiling_pairs
from retrial.metrics.labels import label_items
from retrial.metrics.multiple import holm

QUICK = settings(deadline=None, max_examples=40)

N = math.nan
# Columns: a plain majority; a tie of 2 and 4; a missing first rater; nobody.
RATINGS = Matrix(
    np.array([[3, 4, N, N], [3, 2, 5, N], [4, 4, 1, N], [N, 2, 1, N]], dtype=np.float64)
)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("mean", [10 / 3, 3.0, 7 / 3, N]),
        ("max", [4.0, 4.0, 5.0, N]),
        ("median", [3.0, 3.0, 1.0, N]),
        ("majority", [3.0, 2.0, 1.0, N]),
        ("first", [3.0, 4.0, 5.0, N]),
    ],
)
def test_each_rule(rule: str, expected: list[float]) -> None:
    labels = label_items(RATINGS, rule)
    assert [None if math.isnan(x) else x for x in labels] == [
        None if math.isnan(x) else x for x in expected
    ]


def test_a_mean_of_exactly_three_is_exactly_three() -> None:
    for raters in range(1, 8):
        spread = np.resize([2.0, 4.0], raters)
        spread[-1] = 3.0 * raters - spread[:-1].sum()
        assert label_items(Matrix(spread[:, None]), "mean")[0] == 3.0


def test_unknown_rule_names_the_known_ones() -> None:
    with pytest.raises(RetrialError, match="mean, max, median, majority, first"):
        label_items(RATINGS, "mode")


@pytest.mark.parametrize("rule", ["mean", "max", "median", "majority", "first"])
def test_nobody_rated_anything(rule: str) -> None:
    assert np.isnan(label_items(Matrix(np.full((3, 2), N)), rule)).all()
    assert label_items(Matrix(np.zeros((3, 0))), rule).size == 0


def test_ceiling_pairs_set_one_rater_against_the_mean_of_the_others() -> None:
    draws = human_ceiling_pairs(RATINGS, draws=300, seed=1)
    seen = {(d.first[0], d.second[0]) for d in draws}
    assert seen == {(3.0, 3.5), (4.0, 3.0)}
    chosen = np.mean([d.first[0] == 4.0 for d in draws])
    assert chosen == pytest.approx(1 / 3, abs=0.1)  # each of the three raters alike
    assert {d.first[2] for d in draws} == {5.0, 1.0}
    assert all(np.isnan(d.first[3]) and np.isnan(d.second[3]) for d in draws)


def test_items_with_one_rater_have_no_ceiling() -> None:
    draw = human_ceiling_pairs(Matrix(np.array([[3.0, 4.0], [N, 2.0]])), draws=1)[0]
    assert draw.complete.tolist() == [False, True]
    assert np.isnan([draw.first[0], draw.second[0]]).all()


@QUICK
@given(arrays(np.float64, (3, 6), elements=st.integers(1, 5).map(float)), st.integers(0, 99))
def test_own_rating_and_the_others_make_up_the_sum(values: FloatArray, seed: int) -> None:
    for draw in human_ceiling_pairs(Matrix(values), draws=3, seed=seed):
        assert draw.first + 2 * draw.second == pytest.approx(values.sum(axis=0))


def test_ceiling_of_raters_who_agree_is_one_with_an_interval() -> None:
    same = Matrix(np.tile(np.arange(1.0, 21.0), (3, 1)))
    pairs = human_ceiling_pairs(same, draws=5)
    estimate, ends = replicate_mean(get("spearman"), pairs, seed=1, resamples=100)
    assert estimate.value == pytest.approx(1.0)
    assert [ends.low, ends.high] == pytest.approx([1.0, 1.0])


def test_holm_worked_by_hand() -> None:
    # Sorted .01, .02, .03, .04 times 4, 3, 2, 1 gives .04, .06, .06, .04; then running maxima.
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])


def test_holm_leaves_out_nan_and_refuses_nonsense() -> None:
    adjusted = holm([0.02, N, 0.6, 0.9])
    assert adjusted == pytest.approx([0.06, N, 1.0, 1.0], nan_ok=True)
    assert holm([]).size == 0
    with pytest.raises(RetrialError, match="outside"):
        holm([0.5, 1.2])


@QUICK
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_keeps_order_and_lies_between_raw_and_bonferroni(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    order = np.argsort(p_values, kind="stable")
    assert all(a <= b for a, b in pairwise(adjusted[order]))
    assert (adjusted >= np.array(p_values)).all()
    assert (adjusted <= min(1.0, len(p_values) * max(p_values))).all()
    assert adjusted[order[0]] == min(1.0, len(p_values) * min(p_values))

"""Verdicts: reproduced, differs, not comparable."""

import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.published import PublishedValue
from retrial.tables.declare import Comparison
from retrial.tables.verdict import DIFFERS, NOT_COMPARABLE, REPRODUCED, Measured, judge_cell

SAME = Comparison("same-ratings")
NAN = math.nan


def same(value: float, printed: str, comparison: Comparison = SAME) -> str:
    published = PublishedValue("s", "t", "r", "c", printed, "p. 1")
    measured = Measured(value, NAN, NAN, 10)
    return judge_cell(comparison, measured, published.value, published.half_unit, 0.95).word


@pytest.mark.parametrize(
    ("value", "printed", "word"),
    [
        (4.535, "4.54", REPRODUCED),
        (4.535, "4.53", REPRODUCED),
        (4.5351, "4.53", DIFFERS),
        (4.5349, "4.54", DIFFERS),
        (0.625, "62%", REPRODUCED),
        (0.625, "63%", REPRODUCED),
        (0.6251, "62%", DIFFERS),
        (-0.125, "-0.13", REPRODUCED),
        (-0.125, "-0.12", REPRODUCED),
        (3.0, "3", REPRODUCED),
        (3.5, "3", REPRODUCED),
        (3.51, "3", DIFFERS),
    ],
)
def test_the_same_ratings_agree_to_half_a_unit_both_ends_included(value, printed, word):
    assert same(value, printed) == word


def test_a_difference_of_two_printed_numbers_has_two_half_units():
    double = Comparison("same-ratings", half_units=2)
    assert same(0.12, "0.13", double) == REPRODUCED
    assert same(0.1199, "0.13", double) == DIFFERS


@given(st.integers(-500, 500), st.integers(0, 3))
def test_what_rounds_to_the_print_is_reproduced(units, decimals):
    printed = f"{units / 10**decimals:.{decimals}f}"
    for shift in (-0.4999, 0.0, 0.4999):
        assert same((units + shift) / 10**decimals, printed) == REPRODUCED
    for shift in (-0.501, 0.501):
        assert same((units + shift) / 10**decimals, printed) == DIFFERS


def new_sample(printed: float, *, value=0.5, low=0.3, high=0.7, n=50, paper_n=100, half=0.0):
    comparison = Comparison("new-sample", published_n=paper_n)
    return judge_cell(comparison, Measured(value, low, high, n), printed, half, 0.95)


def test_the_prediction_interval_holds_both_errors():
    """Ours at n = 50 is 0.2 wide to a side; the paper's at n = 100 is that by sqrt(50 / 100)."""
    z = NormalDist().inv_cdf(0.975)
    own, paper = 0.2 / z, 0.2 / z * math.sqrt(50 / 100)
    edge = 0.5 + z * math.hypot(own, paper)
    assert new_sample(edge - 1e-6).word == REPRODUCED
    assert new_sample(edge + 1e-6).word == DIFFERS
    assert new_sample(1.0 - edge + 1e-6).word == REPRODUCED
    assert new_sample(1.0 - edge - 1e-6).word == DIFFERS


def test_the_print_may_be_off_by_its_rounding():
    edge = 0.5 + 0.2 * math.sqrt(1.5)
    assert new_sample(edge + 0.004, half=0.005).word == REPRODUCED
    assert new_sample(edge + 0.006, half=0.005).word == DIFFERS


def test_a_larger_paper_and_a_smaller_sample_of_ours_change_the_width():
    narrow, wide = new_sample(0.72, paper_n=10_000), new_sample(0.72, paper_n=25)
    assert (narrow.word, wide.word) == (DIFFERS, REPRODUCED)
    assert "25 items" in wide.reason and "inside" in wide.reason and "outside" in narrow.reason


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_the_interval_is_read_at_its_own_level(level):
    """The quantile cancels: the ends of the interval are scaled, whatever its level."""
    comparison = Comparison("new-sample", published_n=50)
    measured = Measured(0.5, 0.3, 0.7, 50)
    inside = judge_cell(comparison, measured, 0.5 + 0.2 * math.sqrt(2) - 1e-6, 0.0, level)
    assert inside.word == REPRODUCED
    assert f"{level:.0%}" in inside.reason


def test_what_cannot_be_compared_says_why():
    reason = "internal data of the authors"
    verdict = judge_cell(Comparison("none", reason=reason), Measured(1, 1, 1, 9), 1.0, 0.5, 0.95)
    assert (verdict.word, verdict.reason) == (NOT_COMPARABLE, reason)


@pytest.mark.parametrize("comparison", [SAME, Comparison("new-sample", published_n=50)])
def test_an_undefined_value_differs_from_nothing(comparison):
    verdict = judge_cell(comparison, Measured(NAN, NAN, NAN, 0), 0.5, 0.005, 0.95)
    assert (verdict.word, verdict.reason) == (
        NOT_COMPARABLE, "the reproduced value is undefined"
    )  # fmt: skip


def test_without_an_interval_another_sample_is_not_comparable():
    assert new_sample(0.5, low=NAN, high=NAN).word == NOT_COMPARABLE
    assert new_sample(0.5, n=0).word == NOT_COMPARABLE

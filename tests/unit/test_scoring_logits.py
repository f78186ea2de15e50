"""Readings of rating-token probabilities (jia2024 Eq. 2)."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.scoring.logits import READINGS, expectation, log_literal


def logs(*probabilities: float) -> dict[str, float]:
    """Log-probabilities of the ratings 1, 2, ...; a probability of 0 is absent."""
    return {str(i): math.log(p) for i, p in enumerate(probabilities, start=1) if p}


def scored(read, logprobs, top_k=5, low_mass=0.05):
    reading = read(logprobs, top_k, low_mass)
    assert (reading.score is None) == (reading.status != "ok")
    return reading


SPREAD = logs(0.02, 0.08, 0.20, 0.50, 0.10)
HIGH = logs(0.01, 0.01, 0.01, 0.01, 0.96)
LOW = logs(0.96, 0.01, 0.01, 0.01, 0.01)


@pytest.mark.parametrize(
    ("logprobs", "right", "literal", "digits"),
    [(SPREAD, 3.644, 2.543, 3), (HIGH, 4.90, 2.51, 2), (LOW, 1.10, 3.49, 2)],
)
def test_known_expectations_and_the_equation_as_printed(logprobs, right, literal, digits):
    """3.28 / 0.90 = 3.644; with logarithms as weights the likeliest rating weighs least."""
    assert round(scored(expectation, logprobs).score, digits) == right
    assert round(scored(log_literal, logprobs).score, digits) == literal


def test_the_mass_is_that_of_all_ratings():
    assert scored(expectation, SPREAD).mass == pytest.approx(0.90, abs=1e-12)
    assert scored(expectation, SPREAD, top_k=2).mass == pytest.approx(0.90, abs=1e-12)


def test_probabilities_that_underflow_still_have_an_expectation():
    """exp(-800) is 0 in double precision; the weights are 1/(1+e^-1) = .731 and .269."""
    reading = scored(expectation, {"1": -800.0, "2": -801.0})
    assert reading.score == pytest.approx(1 + 0.2689414213699951, abs=1e-12)
    assert reading.mass == 0.0
    assert reading.reason and "low rating mass" in reading.reason


def test_one_certain_rating_has_no_literal_reading():
    reading = scored(log_literal, {"4": 0.0})
    assert (reading.status, reading.score) == ("undefined", None)
    assert scored(expectation, {"4": 0.0}).score == 4.0


def test_a_rating_of_no_probability_is_absent_and_does_not_count():
    assert scored(expectation, logs(0.0, 0.25, 0, 0.25)).score == pytest.approx(3.0)
    assert scored(log_literal, logs(0.0, 0.25, 0, 0.25)).score == pytest.approx(3.0)


@pytest.mark.parametrize("read", READINGS.values(), ids=list(READINGS))
def test_without_any_rating_token_there_is_no_score(read):
    reading = scored(read, {})
    assert (reading.score, reading.status, reading.mass) == (None, "no_rating_token", 0.0)


@pytest.mark.parametrize(
    ("top_k", "score"),
    [(1, 4.0), (2, (4 * 0.5 + 3 * 0.2) / 0.7), (3, (4 * 0.5 + 3 * 0.2 + 5 * 0.1) / 0.8)],
)
def test_only_the_likeliest_ratings_count(top_k, score):
    assert scored(expectation, SPREAD, top_k).score == pytest.approx(score, abs=1e-12)


def test_equally_likely_ratings_are_taken_lowest_first():
    """As numbers: 9 before 10."""
    level = {"10": math.log(0.5), "9": math.log(0.5)}
    assert scored(expectation, level, top_k=1).score == 9.0


@pytest.mark.parametrize(("low_mass", "noted"), [(0.90 + 1e-9, True), (0.90 - 1e-9, False)])
def test_a_low_mass_is_noted_and_the_score_kept(low_mass, noted):
    reading = scored(expectation, SPREAD, low_mass=low_mass)
    assert reading.status == "ok"
    assert (reading.reason is not None) == noted


PROBABILITIES = st.lists(st.floats(1e-9, 1.0), min_size=2, max_size=5).map(
    lambda ps: [p / (sum(ps) * 1.001) for p in ps]
)


@given(PROBABILITIES, st.integers(1, 5))
def test_an_expectation_lies_within_the_ratings_that_count(probabilities, top_k):
    reading = scored(expectation, logs(*probabilities), top_k)
    assert 1.0 - 1e-9 <= reading.score <= len(probabilities) + 1e-9
    assert 0.0 < reading.mass <= 1.0


@given(PROBABILITIES, st.floats(-50.0, 0.0))
def test_a_common_factor_changes_the_mass_only(probabilities, shift):
    whole = logs(*probabilities)
    shifted = {rating: value + shift for rating, value in whole.items()}
    assert scored(expectation, shifted).score == pytest.approx(
        scored(expectation, whole).score, abs=1e-9
    )


@given(PROBABILITIES)
def test_the_order_of_the_map_does_not_count(probabilities):
    whole = logs(*probabilities)
    turned = dict(reversed(whole.items()))
    for read in READINGS.values():
        assert scored(read, turned) == scored(read, whole)

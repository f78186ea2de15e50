"""Arms against arms: values, intervals and p values against plain resampling."""

import numpy as np
import pytest
from scipy import stats

from retrial.errors import RetrialError
from retrial.metrics.base import Pairs, get
from retrial.metrics.bootstrap import paired_difference
from retrial.metrics.contrast import Scored, contrast, differences, with_parameters

RNG = np.random.default_rng(4)
PEOPLE = RNG.integers(1, 6, 40).astype(np.float64)
JUDGES = [PEOPLE + RNG.normal(0, spread, 40) for spread in (0.5, 1.0, 2.0, 4.0)]
SPEARMAN, MACRO = get("spearman"), get("macro-f1")


def arm(*scores, **parameters):
    return Scored([Pairs(one, PEOPLE) for one in scores], parameters)


def rho(scores, rows=slice(None)):
    return stats.spearmanr(scores[rows], PEOPLE[rows]).statistic


def test_one_against_one_is_the_paired_difference():
    found = contrast(SPEARMAN, [([arm(JUDGES[0])], [arm(JUDGES[2])])], resamples=300, seed=2)
    plain = paired_difference(
        SPEARMAN, Pairs(JUDGES[0], PEOPLE), Pairs(JUDGES[2], PEOPLE), resamples=300, seed=2
    )
    assert found.estimate.value == pytest.approx(plain.estimate.value, abs=1e-12)
    assert (found.interval, found.p) == (plain.interval, plain.p)


def test_matches_are_averaged_and_the_best_is_chosen_in_every_resample():
    first, second, third, fourth = (arm(scores) for scores in JUDGES)
    matches = [([second, third], [fourth]), ([first], [second])]
    found = contrast(SPEARMAN, matches, resamples=200, level=0.9, seed=3)

    def value(rows):
        a, b, c, d = (rho(scores, rows) for scores in JUDGES)
        return (max(b, c) - d + a - b) / 2

    drawn = np.random.Generator(np.random.PCG64(3)).integers(0, 40, (200, 40))
    slow = np.array([value(rows) for rows in drawn])
    assert found.estimate.value == pytest.approx(value(slice(None)), abs=1e-12)
    ends = [found.interval.low, found.interval.high]
    assert ends == pytest.approx(np.quantile(slow, [0.05, 0.95]), abs=1e-9)
    tail = min((slow <= 0).sum(), (slow >= 0).sum())
    assert found.p == pytest.approx(min(1, 2 * (1 + tail) / 201))


def test_replicates_of_an_arm_are_averaged():
    both = arm(JUDGES[1], JUDGES[2])
    found = contrast(SPEARMAN, [([both], [arm(JUDGES[3])])], resamples=50, seed=1)
    expected = (rho(JUDGES[1]) + rho(JUDGES[2])) / 2 - rho(JUDGES[3])
    assert found.estimate.value == pytest.approx(expected, abs=1e-12)


def test_arms_on_other_items_are_drawn_together():
    left = np.arange(40) < 25
    one, two = (np.where(part, JUDGES[0], np.nan) for part in (left, ~left))
    found = contrast(SPEARMAN, [([arm(one)], [arm(two)])], resamples=50, seed=1)
    assert found.estimate.value == pytest.approx(rho(JUDGES[0], left) - rho(JUDGES[0], ~left))
    assert found.estimate.n == 40


def test_an_undefined_arm_is_no_best_and_alone_it_makes_the_difference_undefined():
    flat = arm(np.full(40, 3.0))
    beside = contrast(SPEARMAN, [([flat, arm(JUDGES[0])], [arm(JUDGES[2])])], resamples=50, seed=1)
    assert beside.estimate.value == pytest.approx(rho(JUDGES[0]) - rho(JUDGES[2]))
    alone = contrast(SPEARMAN, [([flat], [arm(JUDGES[2])])], resamples=50, seed=1)
    assert np.isnan(alone.estimate.value) and "all equal" in alone.estimate.reason
    assert np.isnan(alone.p) and alone.estimate.n == 40


def test_arms_have_parameters_of_their_own():
    strict, loose = arm(JUDGES[0]), arm(JUDGES[0], judge_rule="lt-3.5")
    matches = with_parameters([([loose], [strict])], {"judge_rule": "le-3"})
    found = differences(MACRO, matches)
    expected = [
        MACRO.compute(Pairs(JUDGES[0], PEOPLE), judge_rule=rule).value
        for rule in ("lt-3.5", "le-3")
    ]
    assert expected[0] != expected[1]
    assert found == pytest.approx([expected[0] - expected[1]])
    assert differences(SPEARMAN, with_parameters(matches, {})) == pytest.approx([0.0])


def test_arms_of_other_lengths_are_refused():
    short = Scored([Pairs(JUDGES[0][:10], PEOPLE[:10])])
    with pytest.raises(RetrialError, match="align them"):
        contrast(SPEARMAN, [([short], [arm(JUDGES[1])])], resamples=10, seed=1)

"""Bootstrap intervals, paired differences and replicate means."""

import math

import numpy as np
import pytest
from scipy import stats

from retrial.errors import RetrialError
from retrial.metrics.base import FloatArray, Matrix, Pairs, TwoGroups, get
from retrial.metrics.bootstrap import (
    Interval,
    draw_weights,
    interval,
    paired_difference,
    percentile_interval,
    replicate_mean,
    two_sided_p,
)

RNG = np.random.default_rng(8)
HUMAN = RNG.integers(1, 6, 80).astype(np.float64)
GOOD = HUMAN + RNG.normal(0, 0.5, 80)
NOISE = RNG.normal(size=80)
MEAN, SPEARMAN = get("mean"), get("spearman")


def one_row(values: FloatArray) -> Matrix:
    return Matrix(values[None, :])


def test_weights_are_draws_of_items_with_replacement() -> None:
    weights = np.concatenate(list(draw_weights(30, 4000, seed=1)))
    assert weights.shape == (4000, 30)
    assert (weights.sum(axis=1) == 30).all()
    # Multinomial: variance of each count 1 - 1/30, covariance of two counts -1/30.
    covariance = np.cov(weights.T)
    assert np.diag(covariance) == pytest.approx(np.full(30, 29 / 30), abs=0.15)
    off_diagonal = covariance[~np.eye(30, dtype=bool)]
    assert off_diagonal.mean() == pytest.approx(-1 / 30, abs=0.002)


def test_same_seed_same_interval() -> None:
    sample = Pairs(GOOD, HUMAN)
    once, again = (interval(SPEARMAN, sample, seed=5, resamples=300) for _ in range(2))
    assert once == again
    assert once != interval(SPEARMAN, sample, seed=6, resamples=300)


def test_interval_is_that_of_resampling_items_one_by_one() -> None:
    found = interval(SPEARMAN, Pairs(GOOD, HUMAN), seed=7, resamples=200, level=0.8)
    generator = np.random.Generator(np.random.PCG64(7))
    drawn = generator.integers(0, 80, (200, 80))
    slow = [stats.spearmanr(GOOD[rows], HUMAN[rows]).statistic for rows in drawn]
    assert [found.low, found.high] == pytest.approx(np.quantile(slow, [0.1, 0.9]), abs=1e-12)
    assert found.resamples_used == 200


def test_interval_of_a_mean_is_near_the_normal_one() -> None:
    found = interval(MEAN, one_row(HUMAN), seed=1, resamples=4000)
    margin = 1.96 * HUMAN.std() / math.sqrt(HUMAN.size)
    assert found.low == pytest.approx(HUMAN.mean() - margin, abs=0.1 * margin)
    assert found.high == pytest.approx(HUMAN.mean() + margin, abs=0.1 * margin)


def test_all_ratings_of_an_item_move_together() -> None:
    single = interval(MEAN, one_row(HUMAN), seed=1, resamples=500)
    tripled = interval(MEAN, Matrix(np.tile(HUMAN, (3, 1))), seed=1, resamples=500)
    assert [tripled.low, tripled.high] == pytest.approx([single.low, single.high], abs=1e-12)


def test_two_groups_are_drawn_independently() -> None:
    same = TwoGroups(one_row(HUMAN), one_row(HUMAN))
    found = interval(get("gap"), same, seed=1, resamples=2000)
    margin = 1.96 * HUMAN.std() * math.sqrt(2 / HUMAN.size)
    assert found.high == pytest.approx(margin, rel=0.1)
    assert found.low == pytest.approx(-margin, rel=0.1)


def test_parameters_reach_the_metric() -> None:
    sample = Pairs(GOOD, HUMAN)
    strict, loose = (
        interval(get("defect-recall"), sample, seed=1, resamples=200, judge_rule=rule)
        for rule in ("le-3", "lt-3.5")
    )
    assert loose.high > strict.high


def test_undefined_metric_has_no_interval() -> None:
    found = interval(SPEARMAN, Pairs(np.full(9, 3.0), np.arange(9.0)), seed=1)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert found.reason == "the first scores are all equal"


def test_often_undefined_metric_has_no_interval() -> None:
    judge = np.array([3.0] * 19 + [4.0])  # a resample without the last item is constant
    found = interval(SPEARMAN, Pairs(judge, np.arange(20.0)), seed=1, resamples=1000)
    assert math.isnan(found.low)
    lost = 1000 - found.resamples_used
    assert lost / 1000 == pytest.approx(0.95**20, abs=0.05)
    assert found.reason == f"undefined in {lost} of 1000 resamples"


def test_few_undefined_resamples_are_left_out_and_counted() -> None:
    values = np.append(np.linspace(0, 94, 95), [np.nan] * 5)
    assert percentile_interval(values, 0.5) == Interval(23.5, 70.5, 95)
    values[0] = np.nan
    assert percentile_interval(values, 0.5).reason == "undefined in 6 of 100 resamples"


def test_paired_difference_of_a_judge_with_itself_is_nothing() -> None:
    sample = Pairs(GOOD, HUMAN)
    found = paired_difference(SPEARMAN, sample, sample, seed=1, resamples=300)
    assert (found.estimate.value, found.interval.low, found.interval.high) == (0, 0, 0)
    assert found.p == 1.0


def test_paired_difference_sees_the_better_judge() -> None:
    better, worse = Pairs(GOOD, HUMAN), Pairs(NOISE, HUMAN)
    found = paired_difference(SPEARMAN, better, worse, seed=1, resamples=999)
    values = [SPEARMAN.compute(s).value for s in (better, worse)]
    assert found.estimate.value == values[0] - values[1]
    assert found.interval.low > 0
    assert found.p == pytest.approx(2 / 1000)
    opposite = paired_difference(SPEARMAN, worse, better, seed=1, resamples=999)
    assert opposite.interval.low == pytest.approx(-found.interval.high, abs=1e-12)
    assert opposite.p == found.p


def test_pairing_cancels_what_two_judges_share() -> None:
    shifted = paired_difference(MEAN, one_row(HUMAN + 0.1), one_row(HUMAN), seed=1, resamples=300)
    assert shifted.interval.low == pytest.approx(0.1, abs=1e-9)
    assert shifted.interval.high == pytest.approx(0.1, abs=1e-9)


def test_paired_difference_undefined() -> None:
    flat = Pairs(np.full(80, 3.0), HUMAN)
    found = paired_difference(SPEARMAN, Pairs(GOOD, HUMAN), flat, seed=1)
    assert found.estimate.reason == found.interval.reason == "the first scores are all equal"
    assert math.isnan(found.p)


def test_two_sided_p_counts_the_smaller_tail_twice() -> None:
    values = np.array([-1.0] * 4 + [1.0] * 95 + [np.nan])
    assert two_sided_p(values) == pytest.approx(2 * 5 / 100)
    assert two_sided_p(np.zeros(99)) == 1.0


def test_replicate_mean_of_equal_replicates_is_one_of_them() -> None:
    sample = Pairs(GOOD, HUMAN)
    estimate, ends = replicate_mean(SPEARMAN, [sample] * 3, seed=2, resamples=200)
    assert estimate.value == pytest.approx(SPEARMAN.compute(sample).value, abs=1e-15)
    assert estimate.extra == {"replicates": 3, "replicate_sd": pytest.approx(0, abs=1e-15)}
    single = interval(SPEARMAN, sample, seed=2, resamples=200)
    assert [ends.low, ends.high] == pytest.approx([single.low, single.high], abs=1e-12)


def test_mean_of_metrics_is_not_metric_of_the_mean_rating() -> None:
    judges = HUMAN + np.random.default_rng(1).normal(0, 2, (3, 80))
    replicates = [Pairs(j, HUMAN) for j in judges]
    estimate, ends = replicate_mean(SPEARMAN, replicates, seed=2, resamples=200)
    values = [SPEARMAN.compute(s).value for s in replicates]
    assert estimate.value == pytest.approx(np.mean(values), abs=1e-12)
    assert ends.low < estimate.value < ends.high
    assert SPEARMAN.compute(Pairs(judges.mean(axis=0), HUMAN)).value > max(values)


def test_replicate_mean_with_an_undefined_replicate() -> None:
    samples = [Pairs(GOOD, HUMAN), Pairs(np.full(80, 3.0), HUMAN)]
    estimate, ends = replicate_mean(SPEARMAN, samples, seed=1)
    assert estimate.reason == ends.reason == "1 of 2 replicates: the first scores are all equal"
    assert math.isnan(estimate.value)


def test_faulty_calls_are_refused() -> None:
    sample, shorter = Pairs(GOOD, HUMAN), Pairs(GOOD[1:], HUMAN[1:])
    groups = TwoGroups(one_row(HUMAN), one_row(HUMAN))
    with pytest.raises(RetrialError, match="different items"):
        paired_difference(SPEARMAN, sample, shorter, seed=1)
    with pytest.raises(RetrialError, match="empty"):
        replicate_mean(SPEARMAN, [], seed=1)
    with pytest.raises(RetrialError, match="'welch-items' has no interval"):
        interval(get("welch-items"), groups, seed=1)
    with pytest.raises(RetrialError, match="level=1"):
        interval(SPEARMAN, sample, seed=1, level=1.0)
    with pytest.raises(RetrialError, match="resamples=0"):
        interval(SPEARMAN, sample, seed=1, resamples=0)


def test_random_draws_may_be_undefined_now_and_then() -> None:
    rising = Pairs(np.arange(8.0), np.arange(8.0))
    constant = Pairs(np.full(8, 3.0), np.arange(8.0))
    options = {"resamples": 50, "seed": 1}
    metric = get("spearman")
    strict, _ = replicate_mean(metric, [rising, rising, constant], **options)
    assert np.isnan(strict.value) and strict.reason.startswith("1 of 3 replicates")
    skipping, ends = replicate_mean(
        metric, [rising, rising, constant], skip_undefined=True, **options
    )
    assert skipping.value == pytest.approx(1.0)
    assert ends.high == pytest.approx(1.0)
    mostly, _ = replicate_mean(metric, [rising, constant], skip_undefined=True, **options)
    assert np.isnan(mostly.value)

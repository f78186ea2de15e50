"""Kendall's tau-b: worked answers, and the weighted form at size."""

import math

import numpy as np
import pytest
from scipy import stats

from retrial.metrics.base import Pairs, get
from retrial.metrics.kendall import kendall_b, kendall_weighted


def test_the_value_is_tau_b() -> None:
    # C = 4, D = 0, six pairs, one tie on either side: tau-a 4/6, tau-b 4/5, tau-c 3/4.
    estimate = kendall_b(Pairs(np.array([1.0, 2, 2, 3]), np.array([1.0, 2, 3, 3])))
    assert estimate.value == pytest.approx(0.8, abs=1e-12)


def test_many_ratings_with_few_values() -> None:
    rng = np.random.default_rng(1)
    human = rng.integers(1, 6, 100_000).astype(np.float64)
    judge = np.clip(human + rng.choice([-1.0, 0.0, 1.5], human.size), 1.0, 5.0)
    weights = rng.multinomial(human.size, np.full(human.size, 1 / human.size), size=2)
    values = kendall_weighted(Pairs(judge, human), weights)
    for row, value in zip(weights, values, strict=True):
        expected = stats.kendalltau(np.repeat(judge, row), np.repeat(human, row)).statistic
        assert value == pytest.approx(expected, abs=1e-12)


def test_continuous_scores_need_no_table() -> None:
    rng = np.random.default_rng(2)
    human = rng.normal(size=300)
    judge = human + rng.normal(size=300)
    weights = rng.integers(0, 3, (5, 300))
    values = kendall_weighted(Pairs(judge, human), weights)
    for row, value in zip(weights, values, strict=True):
        expected = stats.kendalltau(np.repeat(judge, row), np.repeat(human, row)).statistic
        assert value == pytest.approx(expected, abs=1e-12)


def test_perfect_orders_reach_the_ends() -> None:
    x = np.arange(7.0)
    assert get("kendall-b").compute(Pairs(x, x**3)).value == 1.0
    assert get("kendall-b").compute(Pairs(x, -x)).value == -1.0


def test_resamples_without_order_are_nan() -> None:
    sample = Pairs(np.array([1.0, 1, 2, 3]), np.array([1.0, 2, 2, 3]))
    weights = np.array([[2, 2, 0, 0], [0, 2, 2, 0], [1, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]])
    undefined = [math.isnan(v) for v in kendall_weighted(sample, weights)]
    assert undefined == [True, True, True, True, False]

"""What recovered matrices say about chance."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from retrial.consistency.chance import (
    averaged_fit_probability,
    averaging_finding,
    chance_findings,
    row_chance,
)
from retrial.consistency.confusion import Matrix
from retrial.consistency.jia2024 import table2_matrices
from retrial.published import load_published

TABLE2 = Path(__file__).parents[2] / "data" / "published" / "jia2024_table2.csv"


@pytest.fixture(scope="module")
def matrices() -> dict[str, Matrix]:
    """The 28 matrices of jia2024 Table 2."""
    return table2_matrices(load_published(TABLE2))


@given(st.tuples(*[st.integers(0, 20)] * 4).filter(lambda c: sum(c) > 1))
def test_kappa_equals_scikit_learn(counts: tuple[int, int, int, int]) -> None:
    """Cohen's kappa, undefined where both sides are constant and equal."""
    tp, fn, fp, tn = counts
    kappa = row_chance(Matrix(sum(counts), *counts)).kappa
    if sum(counts) in (tp, tn):
        assert math.isnan(kappa)
        return
    truth = [1] * (tp + fn) + [0] * (fp + tn)
    guess = [1] * tp + [0] * fn + [1] * fp + [0] * tn
    assert kappa == pytest.approx(cohen_kappa_score(truth, guess), abs=1e-12)


def test_binomial_tail_by_hand() -> None:
    """3 of 4 right with a majority share of 1/2: P(X >= 3) = 5/16."""
    result = row_chance(Matrix(4, 2, 0, 1, 1))
    assert result.p_majority == pytest.approx(5 / 16)
    assert result.p_fisher == pytest.approx(1.0)
    assert result.beats_majority


def test_accuracy_equal_to_the_majority_share_does_not_beat_it() -> None:
    """The constant predictor does not beat itself."""
    assert not row_chance(Matrix(100, 0, 44, 0, 56)).beats_majority


def test_table_2_against_chance(matrices: dict[str, Matrix]) -> None:
    """5 of 28 rows beat the majority class, 1 of them significantly; 3 depend on the label."""
    findings = chance_findings("table2", matrices)
    above, dependence = findings[-2:]
    assert above.numbers == {"rows": 28, "above": 5, "significant": 1}
    assert "SGD / Zero-shot" in above.detail
    assert dependence.numbers["dependent"] == 3
    assert dependence.numbers["wrong_direction"] == 1
    assert "SGD / BERT-4" in dependence.detail
    assert dependence.numbers["negative_kappa"] == 9
    rows = {f.rows[0]: f for f in findings[:-2]}
    assert rows["SGD / Zero-shot"].verdict == "supported"
    assert rows["SGD / Zero-shot"].numbers["p_majority"] == pytest.approx(0.006, abs=5e-4)
    assert rows["CCPE / Zero-shot"].numbers["p_majority"] == pytest.approx(0.944, abs=5e-4)
    assert rows["CCPE / Zero-shot"].numbers["p_fisher"] == pytest.approx(0.5398, abs=5e-5)


@settings(max_examples=20, deadline=None)
@given(st.tuples(*[st.integers(0, 60)] * 4).filter(lambda c: sum(c) > 0))
def test_one_run_or_no_spread_always_fits(counts: tuple[int, int, int, int]) -> None:
    """A single run is one matrix, and so is the mean of equal runs."""
    matrix = Matrix(sum(counts), *counts)
    assert averaged_fit_probability(matrix, runs=1, draws=200) == 1.0
    assert averaged_fit_probability(matrix, runs=3, draws=200, spread=0.0) == 1.0


def test_random_rows_are_no_means_of_three_runs(matrices: dict[str, Matrix]) -> None:
    """All 8 random rows equal one matrix; averages of different runs rarely would."""
    rows = {row: matrix for row, matrix in matrices.items() if "Random" in row}
    finding = averaging_finding("table2", rows)
    numbers = finding.numbers
    assert numbers["rows"] == 8
    assert 0.01 < float(numbers["lowest"]) < float(numbers["highest"]) < 0.07
    assert 1e-13 < float(numbers["joint"]) < 1e-11
    assert float(numbers["lowest"]) < float(numbers["lowest_half_spread"])
    assert float(numbers["highest_half_spread"]) < 0.15
    assert finding.verdict == "suspicious"

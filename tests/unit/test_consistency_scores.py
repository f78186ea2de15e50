"""Precision, recall, F1 and F1-micro: which printed values can stand beside each other."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retrial.consistency.check import check_table
from retrial.consistency.grid import Grid
from retrial.consistency.microf1 import f1_findings, micro_findings
from retrial.consistency.scores import (
    ScoreRow,
    accuracy_range,
    f1_range,
    overlap,
    prevalence_range,
)
from retrial.published import PublishedValue, load_published

TABLE3 = Path(__file__).parents[2] / "data" / "published" / "jia2024_table3.csv"
DEFECT = (0.665, 0.675)
HALF = 0.005
SHARES = st.tuples(*[st.integers(1, 400)] * 4)


def around(value: float) -> tuple[float, float]:
    """The box of a number printed with two decimals."""
    return round(value, 2) - HALF, round(value, 2) + HALF


def printed_row(tp: int, fn: int, fp: int) -> ScoreRow:
    """The printed scores of the positive class."""
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    return ScoreRow(around(precision), around(recall), around(2 * tp / (2 * tp + fp + fn)))


@given(SHARES)
def test_true_accuracy_lies_in_the_range(counts: tuple[int, int, int, int]) -> None:
    """Whatever the confusion matrix, its printed row allows its accuracy and prevalence."""
    tp, fn, fp, tn = counts
    n = sum(counts)
    row, prevalence, accuracy = printed_row(tp, fn, fp), (tp + fn) / n, (tp + tn) / n
    found = accuracy_range(row, around(prevalence))
    assert found is not None
    assert found[0] - 1e-9 <= accuracy <= found[1] + 1e-9
    needed = prevalence_range(row, around(accuracy))
    assert needed is not None
    assert needed[0] - 1e-9 <= prevalence <= needed[1] + 1e-9


@given(SHARES, st.randoms(use_true_random=False))
def test_no_sampled_point_leaves_the_range(
    counts: tuple[int, int, int, int], rng: random.Random
) -> None:
    """Points drawn from the boxes that are possible never fall outside."""
    tp, fn, fp, _ = counts
    row, prevalence = printed_row(tp, fn, fp), around((tp + fn) / sum(counts))
    found = accuracy_range(row, prevalence)
    for _ in range(30):
        p, r = (min(1.0, max(1e-6, rng.uniform(*box))) for box in (row.precision, row.recall))
        pi = rng.uniform(*prevalence)
        negatives_used = pi * r * (1 / p - 1)
        f1 = 2 * p * r / (p + r)
        if negatives_used <= 1 - pi and row.f1[0] <= f1 <= row.f1[1]:
            assert found is not None
            assert found[0] - 1e-9 <= 1 - pi * (1 - r) - negatives_used <= found[1] + 1e-9


def test_range_is_tight_on_an_exact_row() -> None:
    """With boxes of no width the range is the one value: 67 defects, 60 found, 10 false alarms."""
    exact = ScoreRow((60 / 70,) * 2, (60 / 67,) * 2, (120 / 137,) * 2)
    found = accuracy_range(exact, (0.67, 0.67))
    assert found == pytest.approx((0.83, 0.83))
    assert prevalence_range(exact, (0.83, 0.83)) == pytest.approx((0.67, 0.67))


def test_more_false_alarms_than_negatives_is_impossible() -> None:
    """Precision .52 and recall .72 at 67 % need false alarms on 44.5 % of the items."""
    row = ScoreRow(around(0.52), around(0.72), around(0.60))
    assert accuracy_range(row, DEFECT) is None
    flipped = accuracy_range(row, (0.325, 0.335))
    assert flipped == pytest.approx((0.679, 0.696), abs=1e-3)


@given(st.floats(0.01, 1), st.floats(0.01, 1))
def test_f1_range_holds_the_f1(precision: float, recall: float) -> None:
    """F1 grows with both, so the ends give the range."""
    assume(precision + recall > 0)
    low, high = f1_range(around(precision), around(recall))
    assert low - 1e-9 <= 2 * precision * recall / (precision + recall) <= high + 1e-9


def test_f1_agrees_in_all_rows_of_table_3_and_a_slip_is_found() -> None:
    """12 of 12; and one F1 moved by .03 is the only one that does not."""
    values = load_published(TABLE3)
    assert [f.verdict for f in f1_findings(Grid(values), "table3")] == ["explained"] * 12
    changed = [
        PublishedValue(v.study, v.table, v.row, v.column, "0.71", v.source)
        if (v.row, v.column) == ("Llama-13b-sft-small", "f1")
        else v
        for v in values
    ]
    wrong = [f for f in f1_findings(Grid(changed), "table3") if f.verdict == "impossible"]
    assert [f.rows for f in wrong] == [("Llama-13b-sft-small",)]


def test_no_definition_of_f1_micro_fits_table_3() -> None:
    """Rows per definition, and the one row that fits none."""
    findings = micro_findings(Grid(load_published(TABLE3)), "table3", DEFECT)
    fits = {
        f.numbers["definition"]: set(f.rows) for f in findings if f.check == "f1-micro-definition"
    }
    flipped = {"Alpaca-7b", "Falcon-40b-instruct"}
    assert fits["accuracy, positive = defect"] == set()
    assert fits["accuracy, positive = non-defect"] == flipped
    assert fits["1 - accuracy, positive = defect"] == {"Llama-7b", "Falcon-40b-instruct"}
    all_rows = {v.row for v in load_published(TABLE3)}
    assert fits["five-rating accuracy, positive = defect"] == all_rows - flipped - {
        "Falcon-40b-instruct-sft-large"
    }
    rows = {f.rows[0]: f for f in findings if f.check == "f1-micro-row"}
    assert [r for r, f in rows.items() if f.verdict == "impossible"] == [
        "Falcon-40b-instruct-sft-large"
    ]
    odd = rows["Falcon-40b-instruct-sft-large"].numbers
    assert odd["accuracy_high_positive_defect"] == pytest.approx(0.666, abs=5e-4)
    assert odd["prevalence_needed_low"] == pytest.approx(0.60, abs=5e-3)
    assert odd["prevalence_needed_high"] == pytest.approx(0.62, abs=1e-2)
    assert findings[-1].verdict == "impossible"


def test_one_definition_is_recognised() -> None:
    """Rows whose F1-micro is binary accuracy at 67 % defects fit that definition."""
    cells = []
    for name, (tp, fn, fp, tn) in {"a": (60, 7, 10, 23), "b": (30, 37, 3, 30)}.items():
        scores = {
            "precision": tp / (tp + fp),
            "recall": tp / (tp + fn),
            "f1": 2 * tp / (2 * tp + fp + fn),
            "f1_micro": (tp + tn) / 100,
        }
        cells += [PublishedValue("s", "t", name, c, f"{x:.2f}", "") for c, x in scores.items()]
    findings = micro_findings(Grid(cells), "t", DEFECT)
    assert findings[-1].verdict == "explained"
    assert "accuracy, positive = defect" in findings[-1].detail


def test_missing_cell_makes_the_column_undecidable() -> None:
    """A gap in the table is said, with its place."""
    values = [v for v in load_published(TABLE3) if (v.row, v.column) != ("Llama-7b", "recall")]
    (finding,) = micro_findings(Grid(values), "table3", DEFECT)
    assert finding.verdict == "not-decidable"
    assert "table3[Llama-7b, recall]" in finding.detail


def test_check_table_on_table_3_names_the_equal_rows() -> None:
    """The generic checks need no knowledge of the study."""
    repeated = [f for f in check_table(TABLE3) if f.check == "identical-rows"]
    assert [f.rows for f in repeated] == [("Alpaca-7b-sft-large", "Llama-7b-sft-large")]


def test_overlap_includes_the_ends() -> None:
    """Boxes that only touch share a point."""
    assert overlap((0.0, 0.5), (0.5, 1.0))
    assert not overlap((0.0, 0.499), (0.5, 1.0))

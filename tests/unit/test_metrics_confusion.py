"""Classification metrics against the printed tables, scikit-learn and worked answers."""

import csv
import math
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    precision_recall_fscore_support,
)

from retrial.errors import RetrialError
from retrial.metrics.base import Pairs, get
from retrial.metrics.confusion import from_confusion, judge_rule, round_half_up

QUICK = settings(deadline=None, max_examples=40)

TABLE2 = Path(__file__).parent.parent / "data" / "table2_confusions.csv"
HALF_UNIT = Decimal("0.005")
PRINTED = {"P": "precision", "R": "recall", "F": "f1"}
CLASS = {"d": "defect", "n": "nondefect", "w": "weighted", "m": "macro"}

with TABLE2.open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))


def counts_of(row: dict[str, str]) -> list[int]:
    return [int(row[name]) for name in ("TP", "FN", "FP", "TN")]


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r['dataset']} {r['selection']}")
def test_printed_rows_of_jia2024_table_2(row: dict[str, str]) -> None:
    values = from_confusion(*counts_of(row))
    compared = 0
    for column, printed in row.items():
        if column.startswith("printed_"):
            _, measure, which = column.split("_")
            value = values[f"{CLASS[which]}-{PRINTED[measure]}"]
            assert abs(Decimal(str(round(float(value), 12))) - Decimal(printed)) <= HALF_UNIT, (
                column
            )
            compared += 1
    assert compared == 12


def test_all_rows_of_table_2_are_there() -> None:
    totals = {(r["dataset"], sum(counts_of(r))) for r in ROWS}
    assert len(ROWS) == 28
    assert totals == {("CCPE", 50), ("MWOZ", 100), ("ReDial", 100), ("SGD", 100)}


def test_two_printed_values_are_exact_ties_rounded_up() -> None:
    values = {(r["dataset"], r["selection"]): from_confusion(*counts_of(r)) for r in ROWS}
    assert float(values["MWOZ", "BERT-1"]["defect-precision"]) == 0.625  # printed .63
    assert float(values["SGD", "Zero-shot"]["defect-recall"]) == 0.625  # printed .63
    assert f"{0.625:.2f}" == "0.62"  # why half a unit, ends included, is the comparison


small = st.integers(0, 12)


@QUICK
@given(tp=small, fn=small, fp=small, tn=small)
def test_equal_to_scikit_learn(tp: int, fn: int, fp: int, tn: int) -> None:
    truth = [1] * (tp + fn) + [0] * (fp + tn)
    predicted = [1] * tp + [0] * fn + [1] * fp + [0] * tn
    values = from_confusion(tp, fn, fp, tn)
    if not truth:
        assert all(math.isnan(v) for v in values.values())
        return
    assert values["accuracy-binary"] == pytest.approx(accuracy_score(truth, predicted), abs=1e-12)
    for average in (None, "weighted", "macro", "micro"):
        found = precision_recall_fscore_support(
            truth, predicted, labels=[0, 1], average=average, zero_division=0
        )
        for measure, expected in zip(PRINTED.values(), found[:3], strict=True):
            if average is None:
                by_class = [values[f"{c}-{measure}"] for c in ("nondefect", "defect")]
                # scikit-learn fills in 0 where the value is 0/0.
                assert np.nan_to_num(by_class) == pytest.approx(expected, abs=1e-12)
            elif average == "micro":
                assert values["accuracy-binary"] == pytest.approx(expected, abs=1e-12)
            else:
                assert values[f"{average}-{measure}"] == pytest.approx(expected, abs=1e-12)


def test_everything_called_a_defect() -> None:
    values = from_confusion(67, 0, 33, 0)
    assert float(values["defect-precision"]) == 0.67
    assert float(values["defect-recall"]) == 1.0
    assert values["defect-f1"] == pytest.approx(134 / 167)
    assert np.isnan(values["nondefect-precision"])
    assert float(values["nondefect-f1"]) == 0.0
    assert values["macro-f1"] == pytest.approx(67 / 167)
    assert values["weighted-f1"] == pytest.approx(0.67 * 134 / 167)
    assert float(values["accuracy-binary"]) == 0.67


def test_nothing_called_a_defect() -> None:
    values = from_confusion(0, 5, 0, 5)
    assert np.isnan(values["defect-precision"])
    assert float(values["defect-recall"]) == 0.0
    assert float(values["defect-f1"]) == 0.0


def test_one_class_only_keeps_the_other_in_the_average() -> None:
    values = from_confusion(10, 0, 0, 0)
    assert float(values["macro-f1"]) == 0.5
    assert float(values["weighted-f1"]) == 1.0
    assert np.isnan(values["nondefect-f1"])


def test_counts_may_be_arrays() -> None:
    rows = np.array([counts_of(r) for r in ROWS])
    together = from_confusion(*rows.T)
    for index, row in enumerate(rows):
        for name, value in from_confusion(*row).items():
            assert together[name][index] == value


def test_negative_counts_are_refused() -> None:
    with pytest.raises(RetrialError, match="negative"):
        from_confusion(1, -1, 0, 0)


def test_judge_rules_differ_between_three_and_four() -> None:
    scores = np.array([2.0, 3.0, 3.0 + 4e-16, 3.2, 3.49, 3.5, 4.0])
    calls = {rule: judge_rule(rule)(scores).sum() for rule in ("le-3", "lt-3.5", "round")}
    assert calls == {"le-3": 3, "lt-3.5": 5, "round": 5}
    assert judge_rule("lt-0.5")(np.array([0.2, 0.5, 0.9])).tolist() == [True, False, False]


@pytest.mark.parametrize("name", ["", "three", "ge-3", "le-", "lt-x", "le-nan"])
def test_unknown_judge_rules_are_refused(name: str) -> None:
    with pytest.raises(RetrialError, match="judge_rule"):
        judge_rule(name)


def test_round_half_up_is_not_half_even() -> None:
    assert round_half_up(np.array([0.5, 1.5, 2.5, 3.5, 2.4999999999])).tolist() == [1, 2, 3, 4, 3]


JUDGE = np.array([2.0, 3.2, 4.0, 1.0, 5.0, math.nan, 3.0])
HUMAN = np.array([3.0, 2.0, 3.5, 3.25, 2.75, 1.0, math.nan])


def test_metrics_drop_and_count_incomplete_items() -> None:
    estimate = get("defect-f1").compute(Pairs(JUDGE, HUMAN))
    assert dict(estimate.extra) == {"tp": 1, "fn": 2, "fp": 1, "tn": 1, "dropped": 2}
    assert estimate.n == 5
    assert estimate.value == pytest.approx(2 / 5)


def test_parameters_move_the_classes() -> None:
    sample = Pairs(JUDGE, HUMAN)
    loose = get("defect-recall").compute(sample, judge_rule="lt-3.5")
    assert loose.value == pytest.approx(2 / 3)
    assert get("defect-rate").compute(sample).value == pytest.approx(3 / 5)
    assert get("defect-rate").compute(sample, human_threshold=2.5).value == pytest.approx(1 / 5)


def test_likert_accuracy_rounds_both_sides_half_up() -> None:
    judge = np.array([2.5, 3.4, 4.0, 5.0, math.nan])
    human = np.array([3.0, 3.0, 3.5, 4.0, 1.0])
    estimate = get("accuracy-likert").compute(Pairs(judge, human))
    assert (estimate.value, estimate.n, estimate.extra["dropped"]) == (0.75, 4, 1)


@pytest.mark.parametrize(
    ("metric_id", "judge", "human", "reason"),
    [
        ("defect-precision", [4, 4, 4], [1, 5, 5], "no item was predicted to be a defect"),
        ("defect-recall", [1, 4, 4], [5, 5, 5], "no item is a defect"),
        ("nondefect-precision", [1, 1, 1], [1, 5, 5], "predicted to be a non-defect"),
        ("defect-f1", [5, 5], [5, 5], "no item is, or was predicted to be, a defect"),
        ("macro-f1", [math.nan], [1], "both a judgement and a label"),
        ("accuracy-likert", [], [], "both a judgement and a label"),
    ],
)
def test_undefined_has_a_reason(
    metric_id: str, judge: list[float], human: list[float], reason: str
) -> None:
    estimate = get(metric_id).compute(Pairs(np.array(judge), np.array(human)))
    assert math.isnan(estimate.value)
    assert reason in estimate.reason

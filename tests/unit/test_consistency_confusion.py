"""The search for confusion matrices: exact, exhaustive, and able to name a wrong cell."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from retrial.consistency.confusion import (
    CELLS,
    METRICS,
    RATE,
    Matrix,
    SearchTooLargeError,
    blame,
    metric_matrix,
    solve,
)
from retrial.consistency.jia2024 import TEST_SIZES
from retrial.consistency.matrices import row_boxes
from retrial.published import load_published

PUBLISHED = Path(__file__).parents[2] / "data" / "published"
HALF = 0.005
COUNTS = st.tuples(*[st.integers(0, 25)] * 4).filter(lambda counts: sum(counts) > 0)


def exact_cells(tp: int, fn: int, fp: int, tn: int) -> dict[str, Fraction]:
    """Defect rate and metrics in exact fractions, written apart from the code under test."""

    def over(top: int, bottom: int) -> Fraction:
        return Fraction(top, bottom) if bottom else Fraction(0)

    n = tp + fn + fp + tn
    classes: dict[str, tuple[Fraction, ...]] = {
        "defect": (over(tp, tp + fp), over(tp, tp + fn), over(2 * tp, 2 * tp + fp + fn)),
        "nondefect": (over(tn, tn + fn), over(tn, tn + fp), over(2 * tn, 2 * tn + fp + fn)),
    }
    pairs = list(zip(classes["defect"], classes["nondefect"], strict=True))
    rate = Fraction(tp + fn, n)
    classes["weighted"] = tuple(rate * d + (1 - rate) * s for d, s in pairs)
    classes["macro"] = tuple((d + s) / 2 for d, s in pairs)
    flat = [value for group in classes.values() for value in group]
    return {RATE: rate, **dict(zip(METRICS, flat, strict=True))}


def half_up(value: Fraction) -> float:
    """Two decimals, ties upwards, exactly."""
    return math.floor(value * 100 + Fraction(1, 2)) / 100


def half_even(value: Fraction) -> float:
    """Two decimals, ties to the even digit, exactly."""
    return round(value * 100) / 100


def boxes_of(cells: dict[str, float]) -> dict[str, tuple[float, float]]:
    """Half a hundredth on either side of each cell."""
    return {name: (value - HALF, value + HALF) for name, value in cells.items()}


@given(COUNTS)
def test_metrics_equal_scikit_learn(counts: tuple[int, int, int, int]) -> None:
    """All twelve metrics, empty classes included."""
    tp, fn, fp, tn = counts
    truth = [1] * (tp + fn) + [0] * (fp + tn)
    guess = [1] * tp + [0] * fn + [1] * fp + [0] * tn
    per_class = precision_recall_fscore_support(truth, guess, labels=[1, 0], zero_division=0)
    expected = [float(per_class[m][c]) for c in (0, 1) for m in range(3)]
    for average in ("weighted", "macro"):
        mean = precision_recall_fscore_support(
            truth, guess, labels=[1, 0], average=average, zero_division=0
        )
        expected += [float(x) for x in mean[:3]]
    one = [np.array([k]) for k in (tp, fn, fp, tn)]
    assert metric_matrix(*one)[0] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=150, deadline=None)
@given(COUNTS, st.sampled_from([half_up, half_even]))
def test_every_matrix_is_found_from_its_printed_row(
    counts: tuple[int, int, int, int], rounding: Callable[[Fraction], float]
) -> None:
    """Whatever rule rounds a tie, the matrix behind a row is among the solutions."""
    row = {name: rounding(value) for name, value in exact_cells(*counts).items()}
    n = sum(counts)
    assert Matrix(n, *counts) in solve(boxes_of(row), [n])
    assert Matrix(n, *counts) in solve(boxes_of(row), range(max(1, n - 3), n + 4))


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 14), st.randoms(use_true_random=False), st.sets(st.sampled_from(CELLS)))
def test_search_equals_plain_enumeration(n: int, rng: random.Random, free: set[str]) -> None:
    """Against four nested loops in exact arithmetic, with any set of cells left free."""
    tp, fn, fp = (rng.randint(0, n // 3) for _ in range(3))
    cells = exact_cells(tp, fn, fp, n - tp - fn - fp)
    boxes = boxes_of({k: half_up(v) for k, v in cells.items() if k not in free})
    expected = [
        Matrix(n, a, b, c, n - a - b - c)
        for a in range(n + 1)
        for b in range(n + 1 - a)
        for c in range(n + 1 - a - b)
        if all(
            boxes[k][0] - 1e-9 <= float(v) <= boxes[k][1] + 1e-9
            for k, v in exact_cells(a, b, c, n - a - b - c).items()
            if k in boxes
        )
    ]
    assert solve(boxes, [n]) == sorted(expected)


def test_both_ends_of_a_tie_are_included() -> None:
    """10 of 16 is .625: printed .63 (half up) or .62 (half to even), both explain it."""
    exact = {name: float(value) for name, value in exact_cells(10, 45, 6, 39).items()}
    for shown in (0.62, 0.63):
        cells = {name: round(value, 2) for name, value in exact.items()}
        cells["defect_precision"] = shown
        assert solve(boxes_of(cells), [100]) == [Matrix(100, 10, 45, 6, 39)]


def test_no_solution_and_impossible_rate() -> None:
    """Cells that contradict each other have no matrix."""
    cells = {name: float(value) for name, value in exact_cells(30, 20, 10, 40).items()}
    assert solve(boxes_of(cells), [100])
    assert solve(boxes_of(cells), [7]) == []
    assert solve(boxes_of({**cells, "defect_f1": 0.99}), [100]) == []


def test_unbounded_search_is_refused() -> None:
    """With nothing printed the candidates are counted before they are made."""
    with pytest.raises(SearchTooLargeError, match="candidate matrices"):
        solve({}, range(20, 2000))


def test_each_changed_cell_of_table_2_is_found_and_named() -> None:
    """One printed cell moved by .03 to .3: the row has no matrix, and that cell alone mends it."""
    rows = row_boxes(load_published(PUBLISHED / "jia2024_table2.csv"), "table2")
    rng = random.Random(20240601)
    named_alone = 0
    for row, boxes in rows.items():
        sizes = TEST_SIZES[row.partition(" / ")[0]]
        for cell, (low, high) in boxes.items():
            step = rng.choice([-1, 1]) * rng.choice([0.03, 0.04, 0.1, 0.3])
            changed = {**boxes, cell: (low + step, high + step)}
            assert solve(changed, sizes) == [], (row, cell, step)
            sets = blame(changed, sizes)
            assert (cell,) in sets, (row, cell, step)
            named_alone += sets == [(cell,)]
    assert named_alone == len(rows) * len(CELLS)


def test_two_changed_cells_are_named_together() -> None:
    """When no single removal helps, the smallest set that does is found."""
    exact = exact_cells(24, 7, 9, 10)
    cells = {name: half_up(value) for name, value in exact.items()}
    changed = {**cells, "macro_f1": cells["macro_f1"] + 0.1}
    changed["weighted_recall"] = cells["weighted_recall"] - 0.1
    assert blame(boxes_of(changed), [50]) == [("weighted_recall", "macro_f1")]
    assert blame(boxes_of(changed), [50], at_most=1) == []

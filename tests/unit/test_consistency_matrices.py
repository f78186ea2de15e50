"""Findings on whole tables of classification metrics."""

from __future__ import annotations

from pathlib import Path

import pytest

from retrial.consistency.check import check_table
from retrial.consistency.confusion import Matrix
from retrial.consistency.finding import Finding
from retrial.consistency.jia2024 import (
    SIZE_SCAN,
    TABLE4_SCAN,
    TEST_SIZES,
    jia2024_findings,
    table2_matrices,
)
from retrial.consistency.matrices import matrix_findings
from retrial.published import load_published

PUBLISHED = Path(__file__).parents[2] / "data" / "published"
TABLE2 = PUBLISHED / "jia2024_table2.csv"
METHODS = ("Zero-shot", "Random-1", "BM25-1", "BERT-1", "Random-4", "BM25-4", "BERT-4")
# TP, FN, FP, TN of each row, found once by a separate program.
KNOWN = {
    "CCPE": "12,19,5,14 6,25,2,17 11,20,3,16 8,23,3,16 17,14,7,12 24,7,9,10 21,10,10,9",
    "MWOZ": "16,39,16,29 6,49,5,40 8,47,7,38 10,45,6,39 19,36,17,28 33,22,21,24 32,23,25,20",
    "Redial": "24,20,25,31 9,35,9,47 12,32,13,43 14,30,10,46 18,26,18,38 20,24,30,26 24,20,30,26",
    "SGD": "30,18,17,35 4,44,6,46 7,41,11,41 7,41,7,45 16,32,20,32 28,20,26,26 19,29,32,20",
}


def known_matrices() -> dict[str, Matrix]:
    """The 28 matrices, by row name."""
    found = {}
    for dataset, text in KNOWN.items():
        for method, counts in zip(METHODS, text.split(), strict=True):
            tp, fn, fp, tn = map(int, counts.split(","))
            found[f"{dataset} / {method}"] = Matrix(tp + fn + fp + tn, tp, fn, fp, tn)
    return found


def with_change(path: Path, target: Path, *changes: tuple[str, str]) -> Path:
    """A copy of a published file with some text replaced; each text must occur once."""
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    target.write_text(text, encoding="utf-8")
    return target


def of_row(findings: list[Finding], check: str, row: str) -> Finding:
    """The one finding of a check on a single row."""
    (found,) = [f for f in findings if f.check == check and f.rows == (row,)]
    return found


def test_all_rows_of_table_2_have_exactly_one_matrix() -> None:
    """28 of 28, equal to those found before."""
    values = load_published(TABLE2)
    assert table2_matrices(values) == known_matrices()
    findings = matrix_findings(values, "table2", TEST_SIZES, SIZE_SCAN)
    rows = [f for f in findings if f.check == "confusion"]
    assert len(rows) == 28
    assert {f.verdict for f in rows} == {"explained"}
    assert {f.numbers["matrices_found"] for f in rows} == {1}


def test_table_2_test_sizes_are_identified_up_to_a_multiple() -> None:
    """Of the sizes 20 to 300 only multiples of the true one fit all rows of a set."""
    findings = matrix_findings(load_published(TABLE2), "table2", TEST_SIZES, SIZE_SCAN)
    sizes = {f.rows[0].partition(" / ")[0]: f for f in findings if f.check == "test-size"}
    for dataset, (true,) in TEST_SIZES.items():
        multiples = ", ".join(str(n) for n in SIZE_SCAN if n % true == 0)
        assert sizes[dataset].numbers["sizes"] == multiples
        assert sizes[dataset].verdict == "explained"


def test_table_4_shares_a_test_set_from_382_items_on() -> None:
    """Both rows are explained, and few non-defect calls carry the first."""
    values = load_published(PUBLISHED / "jia2024_table4.csv")
    findings = matrix_findings(values, "table4", scan=TABLE4_SCAN)
    assert [f.verdict for f in findings] == ["explained"] * 3
    assert findings[-1].numbers["smallest_n"] == 382
    assert (findings[0].numbers["fn"], findings[0].numbers["tn"]) == (1, 2)
    calls = of_row(jia2024_findings(PUBLISHED), "few-calls", "Rating-first")
    assert calls.numbers["pairs"] == "(1, 2), (2, 4), (3, 6)"
    assert (calls.numbers["fewest_calls"], calls.numbers["most_calls"]) == (3, 9)


@pytest.mark.parametrize(
    ("row", "column", "old", "new"),
    [
        ("CCPE / BM25-4", "weighted_f1", "0.68", "0.64"),
        ("SGD / BERT-1", "defect_recall", "0.15", "0.51"),
        ("SGD / BERT-4", "defect_rate", "48%", "84%"),
        ("MWOZ / Random-1", "macro_precision", "0.5", "0.55"),
    ],
)
def test_changed_cell_is_named_without_knowing_the_size(
    tmp_path: Path, row: str, column: str, old: str, new: str
) -> None:
    """The other rows of the set give the size; the changed row gives the cell."""
    line = f"{row},{column},"
    path = with_change(TABLE2, tmp_path / "table.csv", (f"{line}{old},", f"{line}{new},"))
    findings = check_table(path)
    wrong = [f for f in findings if f.check == "confusion" and f.verdict == "impossible"]
    assert [(f.rows, f.columns) for f in wrong] == [((row,), (column,))]
    assert column in wrong[0].detail


def test_a_row_alone_is_searched_over_all_sizes(tmp_path: Path) -> None:
    """One row of a file of another study, with and without a slip."""
    lines = TABLE2.read_text(encoding="utf-8").splitlines(keepends=True)
    row = "".join(line for line in lines if "MWOZ / Zero-shot" in line)
    path = tmp_path / "one.csv"
    path.write_text(lines[0] + row.replace("MWOZ / Zero-shot", "Mine"), encoding="utf-8")
    (finding,) = check_table(path)
    assert finding.verdict == "explained"
    changed = with_change(path, path, ("macro_recall,0.47", "macro_recall,0.74"))
    (finding,) = check_table(changed)
    assert (finding.verdict, finding.columns) == ("impossible", ("macro_recall",))


def test_missing_cell_is_left_free(tmp_path: Path) -> None:
    """A cell that is not at hand bounds nothing and is not counted."""
    change = ("CCPE / BM25-4,weighted_f1,0.68,", "CCPE / BM25-4,weighted_f1,,")
    path = with_change(TABLE2, tmp_path / "table.csv", change)
    finding = of_row(check_table(path), "confusion", "CCPE / BM25-4")
    assert finding.verdict == "explained"
    assert "weighted_f1" not in finding.columns
    assert "All 12 cells" in finding.detail


def test_table_without_rates_or_metrics(tmp_path: Path) -> None:
    """Without the defect rate the metrics still decide; without metrics no check applies."""
    lines = TABLE2.read_text(encoding="utf-8").splitlines(keepends=True)
    path = tmp_path / "table.csv"
    path.write_text("".join(x for x in lines if "defect_rate" not in x), encoding="utf-8")
    findings = check_table(path)
    assert {f.verdict for f in findings if f.check == "confusion"} == {"explained"}
    assert check_table(PUBLISHED / "jia2024_table1.csv") == []

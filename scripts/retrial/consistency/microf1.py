"""Findings about rows of precision, recall, F1 and F1-micro."""

from __future__ import annotations

from collections.abc import Callable

from retrial.consistency.finding import Finding, Numbers, Verdict
from retrial.consistency.grid import Grid, MissingCellError
from retrial.consistency.scores import (
    Box,
    ScoreRow,
    accuracy_range,
    f1_range,
    overlap,
    prevalence_range,
)

SCORES = ("precision", "recall", "f1")
MICRO = "f1_micro"
_NOT_PER_CLASS = ("weighted_", "macro_")


def f1_findings(grid: Grid, table: str) -> list[Finding]:
    """For each precision, recall, F1 triple of one class: whether F1 agrees with the other two.

    Triples are columns that share a prefix ("precision", "defect_precision"); weighted and
    macro averages are left out, since their F1 does not follow from their precision and recall.
    """
    findings: list[Finding] = []
    for row in grid.rows(table):
        for column in grid.columns(table, row):
            prefix = column.removesuffix("precision")
            if prefix != column and prefix not in _NOT_PER_CLASS:
                names = tuple(prefix + score for score in SCORES)
                if all(grid.has(table, row, name) for name in names):
                    findings.append(_f1_finding(grid, table, row, names))
    return findings


def _f1_finding(grid: Grid, table: str, row: str, names: tuple[str, ...]) -> Finding:
    precision, recall, f1 = (grid.box(table, row, name) for name in names)
    low, high = f1_range(precision, recall)
    agrees = overlap((low, high), f1)
    printed = grid.cell(table, row, names[2]).printed
    return Finding(
        "f1-agreement",
        table,
        (row,),
        names,
        "explained" if agrees else "impossible",
        f"Precision and recall give F1 between {low:.4f} and {high:.4f}; printed is {printed}.",
        {"f1_low": low, "f1_high": high, "f1_printed": grid.value(table, row, names[2])},
    )


def micro_findings(grid: Grid, table: str, prevalence: Box) -> list[Finding]:
    """What the column F1-micro can mean, by definition and row (jia2024 Table 3).

    `prevalence` is the share of defects. For single-label data micro-averaged F1 is accuracy;
    the definitions tried are binary accuracy with defect as the positive class, the same with
    non-defect, accuracy over the five ratings (never above binary accuracy), and one minus
    binary accuracy. Each is feasible for a row if some confusion matrix of shares prints as its
    precision, recall, F1 and F1-micro. One finding per row, one per definition, and a verdict
    on the column.
    """
    try:
        fits = {row: _row_fits(grid, table, row, prevalence) for row in grid.rows(table)}
    except MissingCellError as error:
        return [Finding("f1-micro", table, (), (MICRO,), "not-decidable", str(error))]
    findings = [_row_finding(grid, table, row, prevalence, fit) for row, fit in fits.items()]
    for name in _DEFINITIONS:
        rows = tuple(row for row, fit in fits.items() if fit[name])
        findings.append(_definition_finding(table, name, rows, len(fits)))
    whole = [name for name in _DEFINITIONS if all(fit[name] for fit in fits.values())]
    detail = (
        f"One definition fits every row: {', '.join(whole)}."
        if whole
        else "No one definition fits every row: the column is not identifiable."
    )
    verdict: Verdict = "explained" if whole else "impossible"
    findings.append(Finding("f1-micro", table, tuple(fits), (MICRO,), verdict, detail))
    return findings


def _accuracy_fits(accuracy: Box | None, micro: Box) -> bool:
    return accuracy is not None and overlap(accuracy, micro)


def _likert_fits(accuracy: Box | None, micro: Box) -> bool:
    return accuracy is not None and overlap((0.0, accuracy[1]), micro)


def _error_fits(accuracy: Box | None, micro: Box) -> bool:
    return accuracy is not None and overlap((1 - accuracy[1], 1 - accuracy[0]), micro)


# Definition: (whether defect is the positive class, test of F1-micro against binary accuracy).
_DEFINITIONS: dict[str, tuple[bool, Callable[[Box | None, Box], bool]]] = {
    "accuracy, positive = defect": (True, _accuracy_fits),
    "accuracy, positive = non-defect": (False, _accuracy_fits),
    "five-rating accuracy, positive = defect": (True, _likert_fits),
    "1 - accuracy, positive = defect": (True, _error_fits),
}


def _scores(grid: Grid, table: str, row: str) -> ScoreRow:
    return ScoreRow(*(grid.box(table, row, name) for name in SCORES))


def _share(prevalence: Box, defect: bool) -> Box:
    return prevalence if defect else (1 - prevalence[1], 1 - prevalence[0])


def _row_fits(grid: Grid, table: str, row: str, prevalence: Box) -> dict[str, bool]:
    scores, micro = _scores(grid, table, row), grid.box(table, row, MICRO)
    return {
        name: test(accuracy_range(scores, _share(prevalence, defect)), micro)
        for name, (defect, test) in _DEFINITIONS.items()
    }


def _row_finding(
    grid: Grid, table: str, row: str, prevalence: Box, fits: dict[str, bool]
) -> Finding:
    scores, micro = _scores(grid, table, row), grid.box(table, row, MICRO)
    numbers: Numbers = {"f1_micro": grid.value(table, row, MICRO)}
    for name, defect in (("defect", True), ("nondefect", False)):
        accuracy = accuracy_range(scores, _share(prevalence, defect))
        low, high = accuracy or ("impossible", "impossible")
        numbers[f"accuracy_low_positive_{name}"] = low
        numbers[f"accuracy_high_positive_{name}"] = high
    needed = prevalence_range(scores, micro)
    numbers["prevalence_needed_low"] = needed[0] if needed else "none"
    numbers["prevalence_needed_high"] = needed[1] if needed else "none"
    names = [name for name, fit in fits.items() if fit]
    detail = (
        f"Printed F1-micro {grid.cell(table, row, MICRO).printed} can be: {'; '.join(names)}."
        if names
        else f"Printed F1-micro {grid.cell(table, row, MICRO).printed} fits no definition tried."
    )
    verdict: Verdict = "explained" if names else "impossible"
    return Finding("f1-micro-row", table, (row,), (*SCORES, MICRO), verdict, detail, numbers)


def _definition_finding(table: str, name: str, rows: tuple[str, ...], total: int) -> Finding:
    return Finding(
        "f1-micro-definition",
        table,
        rows,
        (MICRO,),
        "explained" if len(rows) == total else "impossible",
        f"{name}: possible for {len(rows)} of {total} rows"
        + (f" ({', '.join(rows)})." if 0 < len(rows) < total else "."),
        {"definition": name, "rows_that_fit": len(rows), "rows": total},
    )

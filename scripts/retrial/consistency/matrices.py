"""Findings about printed rows of classification metrics: their confusion matrices and sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from retrial.consistency.confusion import (
    CELLS,
    METRICS,
    RATE,
    Box,
    Boxes,
    Matrix,
    SearchTooLargeError,
    blame,
    solve,
)
from retrial.consistency.finding import Finding, Numbers, Verdict
from retrial.published import PublishedValue, block_half_units

SCAN = range(20, 501)
_LISTED = 12


def row_boxes(values: Iterable[PublishedValue], table: str) -> dict[str, dict[str, Box]]:
    """Boxes of the printed cells of each row of `table` that has all twelve metric columns.

    A metric is read with the number of digits that most metric cells of the table have, since
    some tables drop trailing zeros. The defect rate, where printed, has its own digits. Cells
    that are not at hand get no box.
    """
    cells = [v for v in values if v.table == table and v.column in CELLS]
    columns: dict[str, set[str]] = {}
    for cell in cells:
        columns.setdefault(cell.row, set()).add(cell.column)
    boxes: dict[str, dict[str, Box]] = {
        row: {} for row, names in columns.items() if names.issuperset(METRICS)
    }
    rates = [cell for cell in cells if cell.column == RATE]
    metrics = [cell for cell in cells if cell.column != RATE]
    for block in (rates, metrics):
        for cell, half in zip(block, block_half_units(block), strict=True):
            if cell.row in boxes and cell.at_hand:
                boxes[cell.row][cell.column] = (cell.value - half, cell.value + half)
    return boxes


def group_of(row: str, boxes: Boxes) -> str:
    """Rows of one group are taken to share a test set.

    The group is what stands before " / " in the row's name; without that, rows that print the
    same defect rate are one group.
    """
    head, slash, _ = row.partition(" / ")
    if slash:
        return head
    return f"defect rate {sum(boxes[RATE]) / 2:.4g}" if RATE in boxes else "no defect rate"


def matrix_findings(
    values: Iterable[PublishedValue],
    table: str,
    sizes: Mapping[str, Sequence[int]] | None = None,
    scan: Sequence[int] = SCAN,
) -> list[Finding]:
    """One finding per row with the twelve metrics, and one per group of rows on its test size.

    `sizes` gives the known test sizes of a group (by `group_of`). Without them every size of
    `scan` is tried, and a row is held against the sizes that fit most rows of its group.
    A row that no matrix explains is "impossible" and names the cells whose removal mends it.
    """
    groups: dict[str, dict[str, Boxes]] = {}
    for row, boxes in row_boxes(values, table).items():
        groups.setdefault(group_of(row, boxes), {})[row] = boxes
    findings: list[Finding] = []
    for group, rows in groups.items():
        try:
            findings += _group_findings(table, group, rows, (sizes or {}).get(group), scan)
        except SearchTooLargeError as error:
            findings.append(
                Finding("confusion", table, tuple(rows), (), "not-decidable", str(error))
            )
    return findings


def _group_findings(
    table: str,
    group: str,
    rows: Mapping[str, Boxes],
    known: Sequence[int] | None,
    scan: Sequence[int],
) -> list[Finding]:
    solved = {row: solve(boxes, scan) for row, boxes in rows.items()}
    best, support = _best_sizes(solved)
    findings = []
    for row, boxes in rows.items():
        if known is not None:
            tried: Sequence[int] = known
            matrices = solve(boxes, known)
        elif len(rows) > 1 and support > len(rows) / 2:
            tried = sorted({n for n, _ in best})
            matrices = [m for m in solved[row] if (m.n, m.defects) in best]
        else:
            tried, matrices = scan, solved[row]
        findings.append(_row_finding(table, row, boxes, matrices, tried))
    if len(rows) > 1:
        findings.append(_size_finding(table, group, solved, best, support, scan))
    return findings


def _best_sizes(solved: Mapping[str, list[Matrix]]) -> tuple[set[tuple[int, int]], int]:
    """The (n, defects) that fit the most rows, and how many rows that is."""
    counts = Counter(pair for ms in solved.values() for pair in {(m.n, m.defects) for m in ms})
    support = max(counts.values(), default=0)
    return {pair for pair, count in counts.items() if count == support}, support


def _row_finding(
    table: str, row: str, boxes: Boxes, matrices: list[Matrix], tried: Sequence[int]
) -> Finding:
    cells = tuple(c for c in CELLS if c in boxes)
    span = f"n = {tried[0]}" if len(tried) == 1 else f"{len(tried)} sizes {tried[0]}..{tried[-1]}"
    if matrices:
        first = matrices[0]
        numbers: Numbers = {
            "n": first.n,
            "tp": first.tp,
            "fn": first.fn,
            "fp": first.fp,
            "tn": first.tn,
            "matrices_found": len(matrices),
            "matrices": _listing(matrices),
        }
        only = "exactly one confusion matrix" if len(matrices) == 1 else f"{len(matrices)} matrices"
        detail = (
            f"All {len(cells)} cells follow from {only} ({span}); the smallest has "
            f"n {first.n}, TP {first.tp}, FN {first.fn}, FP {first.fp}, TN {first.tn}."
        )
        return Finding("confusion", table, (row,), cells, "explained", detail, numbers)
    return _impossible_finding(table, row, boxes, tried, span)


def _impossible_finding(
    table: str, row: str, boxes: Boxes, tried: Sequence[int], span: str
) -> Finding:
    sets = blame(boxes, tried)
    named = tuple(dict.fromkeys(name for names in sets for name in names))
    detail = f"No confusion matrix with {span} gives all {len(boxes)} cells. " + _accusation(sets)
    return Finding(
        "confusion",
        table,
        (row,),
        named,
        "impossible",
        detail,
        {
            "matrices_found": 0,
            "cells_to_remove": len(sets[0]) if sets else "more than 2",
            "candidates": "; ".join(" + ".join(names) for names in sets),
            "sizes_tried": len(tried),
        },
    )


def _accusation(sets: list[tuple[str, ...]]) -> str:
    if not sets:
        return "More than two cells would have to change."
    if len(sets) == 1:
        return f"Without {' and '.join(sets[0])} one does; no other choice of as few cells helps."
    options = "; ".join(" and ".join(names) for names in sets)
    return f"Without one of these one does: {options}."


def _size_finding(
    table: str,
    group: str,
    solved: Mapping[str, list[Matrix]],
    best: set[tuple[int, int]],
    support: int,
    scan: Sequence[int],
) -> Finding:
    sizes = sorted({n for n, _ in best})
    whole = support == len(solved)
    detail = (
        f"{group}: {support} of {len(solved)} rows can come from one test set"
        f"{'' if whole else ' at most'}; of the sizes {scan[0]}..{scan[-1]} these fit: "
        f"{_shorten(sizes)}."
    )
    numbers: Numbers = {
        "rows_that_fit": support,
        "rows": len(solved),
        "smallest_n": sizes[0] if sizes else "none",
        "sizes": _shorten(sizes),
    }
    verdict: Verdict = "explained" if whole else "impossible"
    return Finding("test-size", table, tuple(solved), CELLS, verdict, detail, numbers)


def _listing(matrices: Sequence[Matrix]) -> str:
    shown = [f"n={m.n}: {m.tp},{m.fn},{m.fp},{m.tn}" for m in matrices[:_LISTED]]
    return "; ".join(shown) + ("; ..." if len(matrices) > _LISTED else "")


def _shorten(sizes: Sequence[int]) -> str:
    shown = ", ".join(map(str, sizes[:_LISTED])) or "none"
    return shown + (f", ... ({len(sizes)} sizes)" if len(sizes) > _LISTED else "")

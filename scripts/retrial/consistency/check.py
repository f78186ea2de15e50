"""All checks that apply to a file of printed values, whatever the study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from retrial.consistency.finding import Finding
from retrial.consistency.grid import Grid
from retrial.consistency.matrices import SCAN, matrix_findings, row_boxes
from retrial.consistency.microf1 import f1_findings
from retrial.consistency.repeats import printed_twice, repeated_rows
from retrial.published import PublishedValue, load_published


def check_table(
    path: str | Path,
    sizes: Mapping[str, Sequence[int]] | None = None,
    scan: Sequence[int] = SCAN,
) -> list[Finding]:
    """Findings on one file in the layout of the published values.

    Rows with the twelve metric columns (and the defect rate, where printed) are searched for
    confusion matrices; other precision, recall, F1 triples are checked for agreement; equal
    rows, and cells that two tables of the file print differently, are named. `sizes` gives known
    test sizes by group of rows, `scan` the sizes tried otherwise. An empty list means that no
    check applies. Raises PublishedError for a malformed file.
    """
    studies: dict[str, list[PublishedValue]] = {}
    for value in load_published(path):
        studies.setdefault(value.study, []).append(value)
    return [f for values in studies.values() for f in table_findings(values, sizes, scan)]


def table_findings(
    values: Sequence[PublishedValue],
    sizes: Mapping[str, Sequence[int]] | None = None,
    scan: Sequence[int] = SCAN,
) -> list[Finding]:
    """The findings of `check_table`, on values already read (one study)."""
    grid = Grid(values)
    findings: list[Finding] = []
    for table in grid.tables():
        whole = row_boxes(values, table)
        findings += matrix_findings(values, table, sizes, scan)
        findings += [f for f in f1_findings(grid, table) if f.rows[0] not in whole]
        findings += repeated_rows(grid, table)
    return findings + printed_twice(grid, grid.tables())

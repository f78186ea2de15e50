"""Consistency tables: findings of arithmetic on printed values, as cells of text and verdict."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from retrial.consistency.finding import Finding
from retrial.digest import canonical_json
from retrial.record import CELLS, from_rows
from retrial.tables.declare import Declaration
from retrial.tables.derived import cell_name
from retrial.tables.description import ColumnGroup, Description

COLUMNS = (("verdict", "finding"), ("where", "printed in"), ("detail", "what the arithmetic says"))
NOTE = (
    "explained: some data give the printed cells; impossible: none do; supported, "
    "partly-supported, contradicted: a claim of the text against the paper's own tables; repeated, "
    "suspicious: possible but odd; not-decidable: the printed cells don't settle it."
)


def declaration(table: str, title: str, notes: tuple[str, ...] = ()) -> Declaration:
    """How a consistency table is presented; its cells come from findings, not from ratings."""
    groups = (ColumnGroup("", COLUMNS),)
    description = Description(title, groups, (*notes, NOTE), row_header="check")
    return Declaration(table, (), description)


def finding_cells(
    table: str, findings: Iterable[Finding], published: Mapping[str, str]
) -> pa.Table:
    """Findings in the cells contract, one row of cells each. `published` maps files to digests."""
    return from_rows(_cells(table, list(findings), published), CELLS)


def _cells(
    table: str, findings: list[Finding], published: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    numbers: dict[str, int] = {}
    for order, finding in enumerate(findings):
        numbers[finding.check] = number = numbers.get(finding.check, 0) + 1
        texts = {
            "verdict": finding.verdict,
            "where": _where(finding),
            "detail": finding.detail,
        }
        for place, (column, _) in enumerate(COLUMNS):
            yield {
                "table": table,
                "row": f"{finding.check} / {number}",
                "column": column,
                "row_order": order,
                "column_order": place,
                "block": finding.check,
                "kind": "published",
                "parameters": canonical_json({"numbers": _finite(finding), "files": published}),
                "selections": [],
                "inputs": [
                    cell_name(finding.table, row, name)
                    for row in finding.rows
                    for name in finding.columns
                ],
                "value_text": texts[column],
                "format": "s",
                "n": 0,
                "excluded": [],
                "verdict": "",
                "inferred": False,
            }


def _where(finding: Finding) -> str:
    rows = ", ".join(finding.rows[:3]) + (" ..." if len(finding.rows) > 3 else "")
    columns = ", ".join(finding.columns[:3]) + (" ..." if len(finding.columns) > 3 else "")
    return "; ".join(part for part in (finding.table, rows, columns) if part)


def _finite(finding: Finding) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and value != value else value
        for name, value in finding.numbers.items()
    }

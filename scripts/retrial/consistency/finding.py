"""What a consistency check returns."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

Verdict = Literal[
    "explained",
    "impossible",
    "supported",
    "partly-supported",
    "contradicted",
    "repeated",
    "suspicious",
    "not-decidable",
]
Numbers = dict[str, float | int | str]


@dataclass(frozen=True)
class Finding:
    """One result of one check.

    `check` names the check, `table`, `rows` and `columns` the printed cells it is about (empty:
    the whole table), `verdict` the outcome, `detail` a sentence for readers, and `numbers` what
    the sentence rests on. Verdicts: "explained" (some underlying data give the printed cells),
    "impossible" (none do), "supported" / "partly-supported" / "contradicted" (a statement
    against the printed cells), "repeated" (cells that occur twice), "suspicious" (possible, but
    unlikely or odd), "not-decidable" (the printed cells do not settle it).
    """

    check: str
    table: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    verdict: Verdict
    detail: str
    numbers: Numbers = field(default_factory=dict)


def findings_table(findings: Iterable[Finding]) -> list[dict[str, str | list[str]]]:
    """Findings as plain rows for a Parquet file.

    `rows` and `columns` are lists of text; `numbers` is JSON with sorted keys, in which a
    number that is not finite is null.
    """
    return [
        {
            "check": finding.check,
            "table": finding.table,
            "rows": list(finding.rows),
            "columns": list(finding.columns),
            "verdict": finding.verdict,
            "detail": finding.detail,
            "numbers": json.dumps(_finite(finding.numbers), sort_keys=True, allow_nan=False),
        }
        for finding in findings
    ]


def _finite(numbers: Numbers) -> dict[str, float | int | str | None]:
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in numbers.items()
    }

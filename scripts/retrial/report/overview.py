"""The first page: what reproduced, what did not, what can't be computed, and why."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from retrial.report.model import OUTCOMES, ReportCell, ReportTable
from retrial.report.studies import STUDIES, Study

NAMED = 6
"""Cells named on the first page; the rest are on the page of outcomes."""


@dataclass(frozen=True)
class StudyView:
    """One study: its tables, how many cells have which outcome, and the reasons."""

    study: Study
    tables: tuple[ReportTable, ...]

    @property
    def measured(self) -> list[ReportTable]:
        """Tables whose cells rest on ratings."""
        return [t for t in self.tables if not t.is_findings]

    @property
    def findings(self) -> list[ReportTable]:
        """Tables of findings on printed numbers."""
        return [t for t in self.tables if t.is_findings]

    @property
    def counts(self) -> list[tuple[str, int]]:
        """How many cells have each outcome."""
        return [(name, len(self.of(name))) for name in OUTCOMES]

    def of(self, outcome: str) -> list[ReportCell]:
        """The cells with one outcome."""
        return [c for t in self.measured for c in t.of_outcome(outcome)]

    @property
    def reasons(self) -> list[tuple[str, list[ReportCell]]]:
        """Why cells have no value, and which: the most frequent reason first, ledgers' last."""
        found = grouped(self.of("undefined"), lambda c: c.record["reason"] or "no reason on record")
        return sorted(found, key=lambda pair: all(c.record["kind"] == "ledger" for c in pair[1]))

    @property
    def incomparable(self) -> list[tuple[str, list[ReportCell]]]:
        """Why values can't be compared with print."""
        return grouped(
            self.of("not comparable"), lambda c: c.record["verdict_reason"] or "no reason on record"
        )


def study_views(tables: Iterable[ReportTable]) -> list[StudyView]:
    """The studies that have tables, the known ones first."""
    listed = list(tables)
    known = {study.id: study for study in STUDIES}
    ids = dict.fromkeys([*known, *(t.study for t in listed)])
    views = (
        StudyView(
            known.get(name, Study(name, name, name, "", "")),
            tuple(t for t in listed if t.study == name),
        )
        for name in ids
    )
    return [view for view in views if view.tables]


def grouped(cells: Sequence[ReportCell], reason: Any) -> list[tuple[str, list[ReportCell]]]:
    """Cells by reason, the largest group first, equal ones by name."""
    counts = Counter(reason(cell) for cell in cells)
    ordered = sorted(counts, key=lambda text: (-counts[text], text))
    return [(text, [c for c in cells if reason(c) == text]) for text in ordered]


@dataclass(frozen=True)
class Finding:
    """One finding of a consistency table: its verdict and its texts."""

    id: str
    row: str
    check: str
    verdict: str
    where: str
    detail: str
    numbers: str
    inputs: tuple[str, ...]


def findings_of(table: ReportTable) -> list[Finding]:
    """The findings in order, one for each row of a consistency table."""
    import json

    found = []
    for row in dict.fromkeys(key[0] for key in table.cells):
        texts = {column: cell for (r, column), cell in table.cells.items() if r == row}
        first = next(iter(texts.values()))
        numbers = json.loads(first.record["parameters"]).get("numbers", {})
        found.append(
            Finding(
                id=first.page.partition("#")[2],
                row=row,
                check=first.record["block"],
                verdict=_text(texts, "verdict"),
                where=_text(texts, "where"),
                detail=_text(texts, "detail"),
                numbers=", ".join(f"{k} {_number(v)}" for k, v in sorted(numbers.items())),
                inputs=tuple(first.record["inputs"]),
            )
        )
    return found


def verdict_counts(findings: Iterable[Finding]) -> list[tuple[str, int]]:
    """How many findings have each verdict, the most frequent first."""
    counts = Counter(finding.verdict for finding in findings)
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _text(texts: dict[str, ReportCell], column: str) -> str:
    return str(texts[column].record["value_text"] or "") if column in texts else ""


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)

"""Statements of the text against the printed tables of jia2024."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from retrial.consistency.claims import (
    Outcome,
    Tally,
    always,
    claim_findings,
    mostly,
    relative_gain,
    whole_percent,
)
from retrial.consistency.finding import Finding, findings_table
from retrial.consistency.grid import Grid, MissingCellError, best_rows
from retrial.consistency.jia2024 import CLAIMS, TABLES, jia2024_findings
from retrial.consistency.repeats import printed_twice
from retrial.published import PublishedValue, load_published

PUBLISHED = Path(__file__).parents[2] / "data" / "published"


def published(changes: dict[tuple[str, str, str], str] | None = None) -> Grid:
    """The printed tables, with some cells replaced."""
    values = [v for t in TABLES for v in load_published(PUBLISHED / f"jia2024_{t}.csv")]
    new = changes or {}
    return Grid(
        PublishedValue(
            v.study, v.table, v.row, v.column, new.get((v.table, v.row, v.column), v.printed), ""
        )
        for v in values
    )


def verdicts(grid: Grid) -> dict[str, Finding]:
    """Findings on all claims, by id."""
    return {f.check.removeprefix("claim:"): f for f in claim_findings(CLAIMS, grid)}


def test_claims_have_distinct_ids_and_cover_the_results_sections() -> None:
    """Each of sections 5.1 to 5.5 has claims."""
    assert max(Counter(claim.id for claim in CLAIMS).values()) == 1
    assert {claim.section for claim in CLAIMS} == {"5.1", "5.2", "5.3", "5.4", "5.5"}


@pytest.mark.parametrize(
    ("claim", "verdict", "numbers"),
    [
        ("larger-is-better", "partly-supported", {"steps": 8, "up": 6, "families_rising": 1}),
        ("falcon-gain", "supported", {"small": -0.02, "large": 0.41}),
        ("alpaca-13b-gain", "supported", {"found": 0.47}),
        ("instruction-tuned-better", "supported", {"higher": 4}),
        ("mwoz-all-few-shot", "supported", {"higher": 14}),
        (
            "algorithms-always-best",
            "contradicted",
            {"CCPE_best": 12, "MWOZ_best": 12, "Redial_best": 12, "SGD_best": 0},
        ),
        ("ccpe-85-percent", "supported", {"higher": 12}),
        ("sgd-zero-shot", "supported", {"best_cells": 13}),
        ("sgd-longest", "not-decidable", {}),
        ("tuning-raises-correlations", "supported", {"higher": 16}),
        ("tuning-raises-micro", "partly-supported", {"higher": 4, "equal": 1, "lower": 3}),
        ("falcon-48-percent", "supported", {"claimed": 48}),
        ("llama-7b-75-percent", "supported", {"claimed": 75}),
        ("llama-13b-15-percent", "supported", {"claimed": 15}),
        ("best-correlation-large-set", "partly-supported", {"higher": 6, "equal": 2}),
        ("analysis-first-consistent", "contradicted", {"higher": 12, "lower": 2}),
        ("analysis-first-85-percent", "supported", {"higher": 12, "columns": 14}),
    ],
)
def test_known_verdicts(claim: str, verdict: str, numbers: dict[str, float]) -> None:
    """Counted by hand in the printed tables."""
    finding = verdicts(published())[claim]
    assert finding.verdict == verdict
    assert {name: finding.numbers[name] for name in numbers} == pytest.approx(numbers)


@pytest.mark.parametrize(
    ("claim", "cell", "printed", "verdict"),
    [
        ("falcon-gain", ("table1", "Falcon-40b-instruct", "spearman"), "0.31", "contradicted"),
        ("alpaca-13b-gain", ("table1", "Llama-13b", "spearman"), "0.11", "contradicted"),
        ("mwoz-all-few-shot", ("table2", "MWOZ / Zero-shot", "pearson"), "0.9", "contradicted"),
        ("ccpe-85-percent", ("table2", "CCPE / Random-4", "macro_f1"), "0.99", "contradicted"),
        ("llama-7b-75-percent", ("table3", "Llama-7b", "f1_micro"), "0.43", "contradicted"),
        ("llama-all-defect", ("table3", "Llama-13b", "recall"), "0.90", "contradicted"),
        ("analysis-first-85-percent", ("table4", "Analysis-first", "pearson"), "", "not-decidable"),
        ("larger-is-better", ("table1", "Falcon-40b-instruct", "pearson"), "-0.3", "contradicted"),
    ],
)
def test_verdict_follows_the_cells(
    claim: str, cell: tuple[str, str, str], printed: str, verdict: str
) -> None:
    """A changed cell changes the verdict."""
    assert verdicts(published({cell: printed}))[claim].verdict == verdict


def test_number_printed_twice_differs_once() -> None:
    """Tables 1 and 3 share eight correlations; one differs."""
    findings = printed_twice(published(), ["table1", "table3"])
    assert [(f.verdict, f.rows, f.columns) for f in findings[:1]] == [
        ("contradicted", ("Falcon-40b-instruct",), ("pearson",))
    ]
    assert findings[1].numbers == {"cells": 8, "agreeing": 7}
    mended = published({("table3", "Falcon-40b-instruct", "pearson"): "0.35"})
    assert [f.verdict for f in printed_twice(mended, ["table1", "table3"])] == ["supported"]


def test_defect_rates_of_tables_3_and_4_differ() -> None:
    """.67 is not 59 %."""
    findings = jia2024_findings(PUBLISHED)
    (rates,) = [f for f in findings if f.check == "defect-rates"]
    assert rates.verdict == "contradicted"
    assert rates.numbers == pytest.approx({"table3": 0.67, "table4": 0.59})


def test_verdicts_on_counts() -> None:
    """Ties weaken "always"; a majority is enough for "mostly"."""
    assert always(Tally(3, 0, 0)) == "supported"
    assert always(Tally(2, 1, 0)) == "partly-supported"
    assert always(Tally(9, 0, 1)) == "contradicted"
    assert mostly(Tally(3, 0, 2)) == "supported"
    assert mostly(Tally(2, 1, 1)) == "partly-supported"
    assert mostly(Tally(1, 0, 2)) == "contradicted"


def test_whole_percentages() -> None:
    """12 of 14 is 85.7: 86 rounded, 85 cut off, nothing else."""
    share = 100 * 12 / 14
    assert (whole_percent(share, 86), whole_percent(share, 85)) == ("rounded", "cut off")
    assert whole_percent(share, 84) == ""


def test_relative_gain_within_rounding_is_partial() -> None:
    """.61 over .41 is 48.8 %; 51 % is only possible for cells at the ends of their rounding."""
    rows = ("Falcon-40b-instruct-sft-large", "Falcon-40b-instruct")
    found: dict[int, Outcome] = {
        claimed: relative_gain("table3", *rows, "spearman", claimed)(published())
        for claimed in (48, 51, 60)
    }
    assert [found[c].verdict for c in (48, 51, 60)] == [
        "supported",
        "partly-supported",
        "contradicted",
    ]


def test_grid_names_a_missing_cell_and_best_rows_keeps_ties() -> None:
    """A cell that is not there is an error with its place."""
    grid = published()
    with pytest.raises(MissingCellError, match=r"table1\[GPT-4, spearman\]"):
        grid.value("table1", "GPT-4", "spearman")
    rows = ["Llama-13b-sft-small", "Llama-13b-sft-large", "Llama-13b"]
    assert best_rows(grid, "table3", rows, "spearman") == set(rows[:2])


def test_findings_become_plain_rows() -> None:
    """Lists, text, and JSON without NaN."""
    odd = Finding("c", "t", ("r",), (), "suspicious", "d", {"a": float("nan"), "b": 1})
    rows = findings_table([*claim_findings(CLAIMS, published()), odd])
    assert all(isinstance(row["rows"], list) and isinstance(row["detail"], str) for row in rows)
    assert json.loads(str(rows[-1]["numbers"])) == {"a": None, "b": 1}

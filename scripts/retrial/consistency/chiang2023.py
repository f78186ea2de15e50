"""The consistency findings on chiang2023: what was printed against itself and against recounts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from retrial.consistency.chiang2023_claims import (
    ATTRIBUTES,
    CURIE,
    WRITERS,
    Recomputed,
    claims,
    writer_gap,
)
from retrial.consistency.claims import claim_findings
from retrial.consistency.finding import Finding, Numbers, Verdict
from retrial.consistency.grid import Grid, MissingCellError
from retrial.published import load_published

STORIES = 200
_EQUAL = 1e-9


def chiang2023_findings(published_dir: str | Path, recomputed: Recomputed) -> list[Finding]:
    """Every finding on the paper, from `chiang2023.csv`.

    `recomputed` maps (row, column) to numbers recomputed from the released answers, named as in
    the published file: rows "<judge> / human-written" and "<judge> / gpt2" with the judges
    text-davinci-003 and text-curie-001; columns "<attribute>_mean" (rating points) and
    "<attribute>_agreement_percent" (0 to 100). A check whose numbers are not given is
    "not-decidable". Raises PublishedError for a malformed file.
    """
    grid = Grid(load_published(Path(published_dir) / "chiang2023.csv"))
    return [
        *_agreement_grid(grid),
        *_agreement_as_printed(grid, recomputed),
        *_gaps(grid, recomputed),
        *_alphas(grid),
        *claim_findings(claims(recomputed), grid),
    ]


def _agreement_grid(grid: Grid) -> list[Finding]:
    """Whether printed shares of exact agreement are whole numbers of the 200 stories."""
    findings = []
    for row in grid.rows("table1"):
        for column in grid.columns("table1", row):
            if not column.endswith("_agreement_percent") or not grid.has("table1", row, column):
                continue
            low, high = (STORIES * x / 100 for x in grid.box("table1", row, column))
            stories = [k for k in range(STORIES + 1) if low - _EQUAL <= k <= high + _EQUAL]
            verdict: Verdict = "explained" if stories else "impossible"
            detail = f"{grid.cell('table1', row, column).printed} % of {STORIES} stories is " + (
                f"{_span(stories)} stories." if stories else "no whole number."
            )
            numbers: Numbers = {"counts_that_fit": len(stories), "stories": STORIES}
            findings.append(
                Finding("agreement-grid", "table1", (row,), (column,), verdict, detail, numbers)
            )
    return findings


def _span(counts: Sequence[int]) -> str:
    return f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def _agreement_as_printed(grid: Grid, recomputed: Recomputed) -> list[Finding]:
    """Exact agreement printed as "0.64" in a column of percentages: which reading fits."""
    findings = []
    for attribute in ATTRIBUTES:
        column = f"{attribute}_agreement_as_printed"
        if grid.has("table1", CURIE, column):
            findings.append(_read_as_share(grid, attribute, column, recomputed))
    return findings


def _read_as_share(grid: Grid, attribute: str, column: str, recomputed: Recomputed) -> Finding:
    printed = grid.cell("table1", CURIE, column).printed
    low, high = grid.box("table1", CURIE, column)
    name = f"{attribute}_agreement_percent"
    keys = {w: (f"{CURIE} / {w}", name) for w in WRITERS}
    found = {writer: recomputed[key] for writer, key in keys.items() if key in recomputed}
    fits = [w for w, x in found.items() if 100 * low - _EQUAL <= x <= 100 * high + _EQUAL]
    as_percent = any(low - _EQUAL <= 100 * k / STORIES <= high + _EQUAL for k in range(STORIES))
    verdict: Verdict = "not-decidable" if not found else "explained" if fits else "contradicted"
    counts = ", ".join(f"{x:.1f} % ({w})" for w, x in found.items()) or "not given"
    detail = (
        f"Printed is {printed} among percentages. As a percentage it is "
        f"{'possible' if as_percent else f'no whole number of {STORIES} stories'}; as a share it "
        f"is {100 * low:.1f} to {100 * high:.1f} %. Recomputed: {counts}."
    )
    numbers: Numbers = {f"recomputed_{w}": x for w, x in found.items()}
    numbers["printed"] = grid.value("table1", CURIE, column)
    return Finding("agreement-unit", "table1", (CURIE,), (column,), verdict, detail, numbers)


def _gaps(grid: Grid, recomputed: Recomputed) -> list[Finding]:
    """Printed gaps between the writers against recomputed means.

    A gap of two printed means may be off by a whole unit of their last digit.
    """
    findings = []
    for row in grid.rows("table1"):
        for column in grid.columns("table1", row):
            if column.endswith("_gap") and grid.has("table1", row, column):
                findings.append(_gap_finding(grid, row, column, recomputed))
    return findings


def _gap_finding(grid: Grid, row: str, column: str, recomputed: Recomputed) -> Finding:
    cell = grid.cell("table1", row, column)
    numbers: Numbers = {"printed": cell.value}
    verdict: Verdict
    try:
        found = writer_gap(recomputed, row, column.removesuffix("_gap"))
    except MissingCellError as error:
        verdict, detail = "not-decidable", f"Printed is {cell.printed}. {error}"
    else:
        near = abs(found - cell.value) <= 2 * cell.half_unit + _EQUAL
        verdict = "supported" if near else "contradicted"
        detail = f"Printed is {cell.printed}; the recomputed means differ by {found:.4f}."
        numbers["recomputed"] = found
    return Finding("gap", "table1", (row,), (column,), verdict, detail, numbers)


def _alphas(grid: Grid) -> list[Finding]:
    """Krippendorff's alphas below 0: less agreement than chance."""
    alphas = {
        (row, column): grid.value("table1", row, column)
        for row in grid.rows("table1")
        for column in grid.columns("table1", row)
        if column.endswith("_alpha") and grid.has("table1", row, column)
    }
    below = {key: value for key, value in alphas.items() if value < 0}
    if not below:
        return []
    shown = ", ".join(f"{value:.2f} ({row}, {column})" for (row, column), value in below.items())
    detail = (
        f"{len(below)} of {len(alphas)} printed alphas are below 0, less agreement than chance "
        f"gives: {shown}."
    )
    rows = tuple(dict.fromkeys(row for row, _ in below))
    columns = tuple(dict.fromkeys(column for _, column in below))
    numbers: Numbers = {"below": len(below), "alphas": len(alphas), "lowest": min(below.values())}
    return [Finding("negative-alpha", "table1", rows, columns, "suspicious", detail, numbers)]

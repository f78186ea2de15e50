"""The consistency findings on jia2024: Tables 1 to 4 and sections 5.1 to 5.5."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from retrial.consistency import jia2024_context, jia2024_size, jia2024_tuning
from retrial.consistency.chance import averaging_finding, chance_findings
from retrial.consistency.check import table_findings
from retrial.consistency.claims import claim_findings
from retrial.consistency.confusion import Matrix, solve
from retrial.consistency.finding import Finding, Numbers, Verdict
from retrial.consistency.grid import Grid, MissingCellError
from retrial.consistency.matrices import group_of, matrix_findings, row_boxes
from retrial.consistency.microf1 import micro_findings
from retrial.published import PublishedValue, load_published

TABLES = ("table1", "table2", "table3", "table4")
# A tenth of the 500 CCPE and 1,000 MWOZ, ReDial and SGD dialogues (section 4).
TEST_SIZES = {"CCPE": (50,), "MWOZ": (100,), "Redial": (100,), "SGD": (100,)}
SIZE_SCAN = range(20, 301)
TABLE4_SCAN = range(20, 1201)
CLAIMS = (*jia2024_size.CLAIMS, *jia2024_context.CLAIMS, *jia2024_tuning.CLAIMS)


def jia2024_findings(published_dir: str | Path) -> list[Finding]:
    """Every finding on the paper, from `jia2024_table1.csv` to `jia2024_table4.csv`.

    Order: Table 2 (matrices and sizes, chance, averaging), Table 4, F1 and F1-micro of Table 3,
    repeats, defect rates, claims of sections 5.1 to 5.5. Raises PublishedError for a malformed
    file.
    """
    folder = Path(published_dir)
    tables = {t: load_published(folder / f"jia2024_{t}.csv") for t in TABLES}
    values = [value for table in TABLES for value in tables[table]]
    grid = Grid(values)
    return [
        *matrix_findings(tables["table2"], "table2", TEST_SIZES, SIZE_SCAN),
        *_table2_chance(tables["table2"]),
        *matrix_findings(tables["table4"], "table4", scan=TABLE4_SCAN),
        *_few_calls(tables["table4"]),
        *table_findings([*tables["table1"], *tables["table3"]]),
        *_micro(grid),
        *_defect_rates(grid),
        *claim_findings(CLAIMS, grid),
    ]


def table2_matrices(values: Sequence[PublishedValue]) -> dict[str, Matrix]:
    """The confusion matrix of each row of Table 2 that has exactly one at its known size."""
    found = {}
    for row, boxes in row_boxes(values, "table2").items():
        matrices = solve(boxes, TEST_SIZES.get(group_of(row, boxes), ()))
        if len(matrices) == 1:
            found[row] = matrices[0]
    return found


def _table2_chance(values: Sequence[PublishedValue]) -> list[Finding]:
    matrices = table2_matrices(values)
    averaged = {row: matrix for row, matrix in matrices.items() if "Random" in row}
    findings = chance_findings("table2", matrices) if matrices else []
    return [*findings, averaging_finding("table2", averaged)] if averaged else findings


def _few_calls(values: Sequence[PublishedValue]) -> list[Finding]:
    """How few non-defect calls carry the non-defect precision of the rating-first row."""
    row = "Rating-first"
    boxes = row_boxes(values, "table4").get(row)
    calls = sorted({(m.fn, m.tn) for m in solve(boxes, TABLE4_SCAN)}) if boxes else []
    if not calls:
        return []
    pairs = ", ".join(f"({fn}, {tn})" for fn, tn in calls)
    low, high = min(map(sum, calls)), max(map(sum, calls))
    detail = (
        f"Up to n = {TABLE4_SCAN[-1]} the wrong and right non-defect calls (FN, TN) can only be "
        f"{pairs}: {low} to {high} calls carry the non-defect precision."
    )
    numbers: Numbers = {"fewest_calls": low, "most_calls": high, "pairs": pairs}
    columns = ("nondefect_precision",)
    return [Finding("few-calls", "table4", (row,), columns, "suspicious", detail, numbers)]


def _micro(grid: Grid) -> list[Finding]:
    """F1-micro, at the prevalence that section 5.4 gives: the precision of Llama-7b, which
    calls every item a defect."""
    try:
        prevalence = grid.box("table3", "Llama-7b", "precision")
    except MissingCellError as error:
        return [Finding("f1-micro", "table3", (), (), "not-decidable", str(error))]
    return micro_findings(grid, "table3", prevalence)


def _defect_rates(grid: Grid) -> list[Finding]:
    """Whether Tables 3 and 4, both on internal data, can share a test set."""
    try:
        tuned = grid.box("table3", "Llama-7b", "precision")
        order = grid.box("table4", "Rating-first", "defect_rate")
    except MissingCellError as error:
        return [Finding("defect-rates", "table3 and table4", (), (), "not-decidable", str(error))]
    apart = order[1] < tuned[0] or tuned[1] < order[0]
    verdict: Verdict = "contradicted" if apart else "supported"
    middle = [sum(box) / 2 for box in (tuned, order)]
    answer = "not the same test set" if apart else "possibly one test set"
    detail = (
        "One test set for Tables 3 and 4? The share of defects is "
        f"{middle[0]:.2f} in Table 3 (precision of a judge that calls every item a defect) and "
        f"{middle[1]:.2f} in Table 4: {answer}."
    )
    numbers: Numbers = {"table3": middle[0], "table4": middle[1]}
    rows = ("Llama-7b", "Rating-first")
    columns = ("precision", "defect_rate")
    return [Finding("defect-rates", "table3 and table4", rows, columns, verdict, detail, numbers)]

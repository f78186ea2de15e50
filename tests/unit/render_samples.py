"""Synthetic cells for the tests of the renderings: right in form, invented in value."""

import csv
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from retrial.record import CELLS, from_rows
from retrial.tables.description import ColumnGroup, Description

PUBLISHED = Path(__file__).parents[2] / "data" / "published" / "jia2024_table2.csv"
CONSTANT_REASON = "every score is the same, so the correlation is undefined"
PARTS = (("precision", "P"), ("recall", "R"), ("f1", "F1"))
CLASSES = (("defect", "Defect"), ("nondefect", "Non-defect"),
           ("weighted", "Weighted avg."), ("macro", "Macro avg."))  # fmt: skip
LEDGER = (("items_scored", "n"), ("prompts_cut", "cut"), ("rating_mass", "mass"))
COLUMNS = (
    "defect_rate",
    *(f"{name}_{part}" for name, _ in CLASSES for part, _ in PARTS),
    "spearman",
    "pearson",
)


def cell(row: str, column: str, **fields: Any) -> dict[str, Any]:
    """One record of the cells contract; what is not given is as plain as can be."""
    return {
        "table": "test_table",
        "row": row,
        "column": column,
        "row_order": 0,
        "column_order": 0,
        "block": "",
        "kind": "measured",
        "metric": "spearman",
        "parameters": "{}",
        "selections": [],
        "inputs": [],
        "value": None,
        "format": ".2f",
        "n": 50,
        "excluded": [],
        "verdict": "",
        "inferred": False,
        **fields,
    }


def cells(*records: dict[str, Any]) -> pa.Table:
    """A checked table of cells."""
    return from_rows(records, CELLS)


def big() -> tuple[pa.Table, Description]:
    """Four blocks of eleven rows by fifteen columns and a ledger, as wide as tables here get."""
    draw = random.Random(7)
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        printed = {(r["row"], r["column"]): r["printed"] for r in csv.DictReader(file)}
    conditions = ["Zero-shot", "Random-1", "Random-1 (mean rating)", "BM25-1", "BERT-1",
                  "Random-4", "Random-4 (mean rating)", "BM25-4", "BERT-4",
                  "Human ceiling", "Constant"]  # fmt: skip
    rows = [(b, f"{b} / {c}") for b in ("CCPE", "MWOZ", "Redial", "SGD") for c in conditions]
    records = [
        record
        for order, (block, row) in enumerate(rows)
        for record in _row(draw, printed, block, row, order)
    ]
    return from_rows(records, CELLS), Description(
        title="Table 2: in-context examples on four subsets, judged by a synthetic judge",
        groups=(
            ColumnGroup("", (("defect_rate", "Defect rate"),)),
            *(
                ColumnGroup(title, tuple((f"{name}_{p}", short) for p, short in PARTS))
                for name, title in CLASSES
            ),
            ColumnGroup("Correlation", (("spearman", "Spearman"), ("pearson", "Pearson"))),
        ),
        notes=(
            "Random rows: mean of the metric over three draws of examples; (mean rating): the "
            "metric of each dialogue's mean rating over the draws.",
            "n: items scored; cut: prompts that lost turns to the context length; mass: mean "
            "probability on the rating tokens.",
        ),
        ledger_columns=LEDGER,
        best={c: "high" for c in COLUMNS if c != "defect_rate"},
        row_header="Examples",
        reference_rows=frozenset(r for _, r in rows if r.endswith(("ceiling", "Constant"))),
    )


def _row(
    draw: random.Random, printed: dict[tuple[str, str], str], block: str, row: str, order: int
) -> Iterator[dict[str, Any]]:
    for place, column in enumerate(COLUMNS):
        paper = printed.get((row, column))
        base = float(paper.rstrip("%")) / (100 if paper.endswith("%") else 1) if paper else 0.5
        value = round(min(0.98, max(-0.2, base + draw.gauss(0, 0.06))), 5)
        undefined = row.endswith("Constant") and column in ("spearman", "pearson")
        near = abs(value - base) < 0.08
        fields: dict[str, Any] = {"block": block, "row_order": order, "column_order": place}
        fields["format"] = ".0%" if column == "defect_rate" else ".2f"
        if undefined:
            fields["reason"] = CONSTANT_REASON
        else:
            fields |= {"value": value, "ci_low": value - 0.13, "ci_high": min(1.0, value + 0.12)}
        if paper:
            fields |= {
                "published": paper,
                "published_source": "Table 2 of the paper",
                "verdict": "reproduced" if near else "differs",
                "verdict_reason": "inside the prediction interval" if near else "outside it",
            }
            if block == "SGD":
                fields |= {"verdict": "not comparable", "verdict_reason": "another judge"}
        yield cell(row, column, **fields)
    if row.endswith(("ceiling", "Constant")):
        return
    for place, (column, value, form) in enumerate(
        (("items_scored", 50, "d"), ("prompts_cut", 0.12, ".0%"), ("rating_mass", 0.913, ".3f"))
    ):
        yield cell(row, column, kind="ledger", block=block, row_order=order,
                   column_order=len(COLUMNS) + place, value=value, format=form)  # fmt: skip


def small() -> tuple[pa.Table, Description]:
    """Eight rows by four columns in two blocks."""
    draw = random.Random(3)
    names = ("grammaticality", "cohesiveness", "likability", "relevance")
    records = []
    for order in range(8):
        block = ("human-written", "gpt2")[order // 4]
        row = f"{block} / " + ("teachers", "text-davinci-003", "text-curie-001", "T0")[order % 4]
        for place, name in enumerate(names):
            value = round(draw.uniform(2.4, 4.6), 4)
            same = order % 4 in (1, 2)
            printed = {
                "published": f"{value + draw.choice((0, 0, 0, 0.04)):.2f}",
                "published_source": "Table 1 of the paper",
            }
            verdict = "reproduced" if printed["published"] == f"{value:.2f}" else "differs"
            records.append(
                cell(
                    row,
                    name,
                    block=block,
                    row_order=order,
                    column_order=place,
                    value=value,
                    ci_low=value - 0.1,
                    ci_high=value + 0.1,
                    n=200,
                    inferred=order == 0,
                    **(printed | {"verdict": verdict} if same else {}),
                )
            )
    description = Description(
        title="Table 1: mean ratings of stories",
        groups=(ColumnGroup("Mean rating (1-5)", tuple((n, n.capitalize()) for n in names)),),
        notes=("Teachers: the released ratings of the mixed design.",),
        row_header="Judge",
    )
    return from_rows(records, CELLS), description


def claims() -> tuple[pa.Table, Description]:
    """A table of sentences: long text, a short verdict, a number."""
    sentences = (
        ("5.1 / size", "Within one family of models, the larger model agrees better with people "
         "on both correlations.", "supported", 0.031),
        ("5.2 / selection", "Choosing the in-context examples by similarity to the judged "
         "dialogue gives better agreement than drawing them at random, at one example as well as "
         "at four; the gain is larger at four examples.", "contradicted", 0.44),
        ("5.5 / order", "Analysis before the rating is better on 85 % of the metrics.\nCounted "
         "over the fourteen metrics of the table, twelve favour it, which is 85.7 %; the costs "
         "are $140 and $0.02 <b>each</b>.", "not decidable", None),
    )  # fmt: skip
    records = []
    for order, (row, sentence, verdict, p) in enumerate(sentences):
        place = {"row_order": order, "block": "Section " + row[:3]}
        key = f"Section {row}"
        records += [
            cell(key, "claim", column_order=0, value_text=sentence, metric=None, **place),
            cell(key, "verdict", column_order=1, value_text=verdict, metric=None, **place),
            cell(key, "evidence", column_order=2, metric=None, **place,
                 value_text="Spearman 0.21 to 0.47, Pearson 0.27 to 0.49; " * (order + 1)),
            cell(key, "p", column_order=3, value=p, format=".3f", **place,
                 reason=None if p else "the model's own table has no such rows"),
        ]  # fmt: skip
    description = Description(
        title="Claims of the text held against the numbers",
        groups=(
            ColumnGroup("", (("claim", "Claim"), ("verdict", "Verdict"))),
            ColumnGroup("", (("evidence", "Evidence"), ("p", "p (Holm)"))),
        ),
        row_header="Claim",
    )
    return from_rows(records, CELLS), description

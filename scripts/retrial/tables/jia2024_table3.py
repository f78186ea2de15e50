"""jia2024 Table 3: tuning on a small and a large training set (section 5.4).

The printed F1-micro has no one meaning that fits all its rows, so two accuracies stand in its
place, and the printed values beside them without a verdict.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from retrial.tables.declare import CellSpec, Comparison, Declaration, NotAtHand
from retrial.tables.description import ColumnGroup, Description
from retrial.tables.jia2024 import (
    CEILING,
    CONSTANT,
    NOTE_INTERNAL,
    NOTE_LEDGER,
    NOTE_REFERENCES,
    Ask,
    DialogueJob,
    internal,
)
from retrial.tables.jia2024_columns import LEDGER, Column

CORRELATION = (("spearman", "Spearman"), ("pearson", "Pearson"))
DEFECT = (("precision", "P"), ("recall", "R"), ("f1", "F1"))
ACCURACY = (("accuracy_binary", "binary"), ("accuracy_likert", "Likert"))
MICRO = "f1_micro"
COLUMNS = (
    *(Column(key, key) for key, _ in CORRELATION),
    *(Column(key, f"defect-{key}") for key, _ in DEFECT),
    *(Column(key, key.replace("_", "-")) for key, _ in ACCURACY),
)
PRINTED = frozenset(
    f"{model}{tuned}"
    for model in ("Alpaca-7b", "Llama-7b", "Llama-13b", "Falcon-40b-instruct")
    for tuned in ("", "-sft-small", "-sft-large")
)
"""Rows of the paper's table."""
NOT_IDENTIFIABLE = "not identifiable: no one definition of F1-micro fits the printed column"
NO_RATING = "asked for 0 or 1, not for a rating from 1 to 5"


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job (see Plan.table_job)."""
    dialogues = DialogueJob(job)
    cells = tuple(_cells(dialogues))
    groups = [
        ColumnGroup("Correlation", CORRELATION),
        ColumnGroup("Defect", DEFECT),
        ColumnGroup("Accuracy", ACCURACY),
    ]
    if any(cell.column == MICRO for cell in cells):
        groups.append(ColumnGroup("Print only", ((MICRO, "F1-micro"),)))
    description = Description(
        title=f"jia2024 Table 3: judges before and after tuning, on {dialogues.datasets_named()}",
        groups=tuple(groups),
        notes=tuple(_notes(dialogues)),
        ledger_columns=tuple((key, label) for key, label, _ in LEDGER),
        best={column.key: "high" for column in COLUMNS},
        row_header="judge",
        reference_rows=frozenset({CEILING, CONSTANT}),
    )
    return Declaration(job["table"], cells, description)


def _cells(job: DialogueJob) -> Iterator[CellSpec]:
    for ask in job.asks():
        row = job.row(ask)
        yield from _measured(job, ask, row)
        if row in PRINTED:
            unknown = Comparison("none", reason=NOT_IDENTIFIABLE)
            yield CellSpec(row, MICRO, "", "", NotAtHand(NOT_IDENTIFIABLE), comparison=unknown)
        yield from job.ledger(row, ask)
    for name, sample in job.references():
        yield from job.metrics(name, "", sample, COLUMNS, lambda _: None)


def _measured(job: DialogueJob, ask: Ask, row: str) -> Iterator[CellSpec]:
    binary = job.is_binary(ask)
    columns = [c for c in COLUMNS if not (binary and c.metric == "accuracy-likert")]
    yield from job.metrics(row, "", job.sample(ask), columns, internal, ask)
    if binary:
        unknown = NotAtHand(NO_RATING)
        yield CellSpec(row, "accuracy_likert", "", "accuracy-likert", unknown)


def _notes(job: DialogueJob) -> Iterator[str]:
    yield from job.judge_notes()
    yield from job.note_pooled()
    yield job.note_defect()
    if any(job.is_binary(ask) for ask in job.asks()):
        yield (
            "Judges asked for 0 (a defect) or 1: the score is the probability of 1, correlated "
            "with people's label; below one half it is a predicted defect."
        )
    tunings = job.job.get("tunings", {})
    near = [
        str(job.job["judges"][judge])
        for judge in job.judges
        if tunings.get(judge, {}).get("draw") == "near-test"
    ]
    yield (
        "A small training set with the test set's distribution of ratings is the paper's setting: "
        f"drawing it looks at test labels (here: {', '.join(near) or 'no judge'})."
    )
    yield (
        "P, R and F1 are of the defect class. Accuracy: share of dialogues put into the right "
        "class (binary; the same as micro-averaged F1), and given people's rounded rating "
        "(Likert). The paper prints one F1-micro, which no one definition gives in all its rows."
    )
    yield NOTE_INTERNAL
    yield NOTE_REFERENCES
    yield NOTE_LEDGER

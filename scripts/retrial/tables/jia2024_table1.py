"""jia2024 Table 1: model size, zero-shot (section 5.1), on the pooled dialogues."""

from collections.abc import Iterator, Mapping
from typing import Any

from retrial.tables.declare import CellSpec, Declaration, Stated
from retrial.tables.description import ColumnGroup, Description
from retrial.tables.jia2024 import (
    CEILING,
    CONSTANT,
    NOTE_INTERNAL,
    NOTE_LEDGER,
    NOTE_REFERENCES,
    DialogueJob,
    internal,
)
from retrial.tables.jia2024_columns import CORRELATIONS, LEDGER, as_columns

COLUMNS = as_columns(CORRELATIONS)
SIZE = "parameters_billion"


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job (see Plan.table_job)."""
    dialogues = DialogueJob(job)
    dialogues.only_experiment()
    description = Description(
        title=f"jia2024 Table 1: model size, zero-shot, on {dialogues.datasets_named()}",
        groups=(
            ColumnGroup("Size", ((SIZE, "billions"),)),
            ColumnGroup("Correlation", (("spearman", "Spearman"), ("pearson", "Pearson"))),
        ),
        notes=tuple(_notes(dialogues)),
        ledger_columns=tuple((key, label) for key, label, _ in LEDGER),
        best=dict.fromkeys(CORRELATIONS, "high"),
        row_header="judge",
        reference_rows=frozenset({CEILING, CONSTANT}),
    )
    return Declaration(job["table"], tuple(_cells(dialogues)), description)


def _cells(job: DialogueJob) -> Iterator[CellSpec]:
    for ask in job.asks():
        row = job.row(ask)
        size = job.job.get(SIZE, {}).get(ask.judge)
        reason = "" if size else "the configuration states no size"
        text = f"{size:g}" if size else ""
        yield CellSpec(row, SIZE, "", "", Stated(text, reason))
        yield from job.metrics(row, "", job.sample(ask), COLUMNS, internal, ask)
        yield from job.ledger(row, ask)
    for name, sample in job.references():
        yield from job.metrics(name, "", sample, COLUMNS, lambda _: None)


def _notes(job: DialogueJob) -> Iterator[str]:
    yield from job.judge_notes()
    yield from job.note_pooled()
    yield f"Correlation of the judge's score with the {job.label_rule} of the raters."
    yield NOTE_INTERNAL
    yield NOTE_REFERENCES
    yield f"billions: parameters, as the configuration states them; {NOTE_LEDGER}"

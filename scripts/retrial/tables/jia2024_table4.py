"""jia2024 Table 4: rating first or analysis first, in generated answers (section 5.5)."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from retrial.tables.declare import CellSpec, Comparison, Declaration
from retrial.tables.description import Description
from retrial.tables.jia2024 import (
    CEILING,
    CONSTANT,
    INTERNAL,
    NOTE_INTERNAL,
    NOTE_REFERENCES,
    Ask,
    DialogueJob,
)
from retrial.tables.jia2024_columns import (
    CLASSIFICATION,
    COLUMNS,
    CORRELATIONS,
    all_groups,
    as_columns,
)

LEDGER = (("items_scored", "n", "d"), ("answers_read", "read", "d"),
          ("answers_failed", "failed", "d"), ("answers_cut", "cut short", ".0%"),
          ("reasons_stated", "reasons rate", ".0%"), ("reasons_agreeing", "and agree", ".0%"),
          ("prompts_cut", "cut", ".0%"), ("items_cut", "item cut", ".0%"))  # fmt: skip


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job (see Plan.table_job)."""
    dialogues = DialogueJob(job)
    dialogues.only_experiment()
    judges = ", ".join(dialogues.job["judges"].values())
    description = Description(
        title=f"jia2024 Table 4: order of reasons and rating on {dialogues.datasets_named()}, "
        f"judged by {judges}",
        groups=all_groups(),
        notes=tuple(_notes(dialogues)),
        ledger_columns=tuple((key, label) for key, label, _ in LEDGER),
        best=dict.fromkeys((*CLASSIFICATION, *CORRELATIONS), "high"),
        row_header="order",
        reference_rows=frozenset({CEILING, CONSTANT}),
    )
    return Declaration(job["table"], tuple(_cells(dialogues)), description)


def row_key(job: DialogueJob, ask: Ask) -> str:
    """As in print for the paper's judge (else the first); others are named."""
    key = job.label(ask.condition)
    return key if ask.judge == job.unnamed else f"{key} / {job.job['judges'][ask.judge]}"


def _cells(job: DialogueJob) -> Iterator[CellSpec]:
    columns = as_columns(COLUMNS)
    for ask in job.asks():
        row, compare = row_key(job, ask), partial(_comparison, job, ask)
        yield from job.metrics(row, "", job.sample(ask), columns, compare, ask)
        yield from job.ledger(row, ask, LEDGER)
    for name, sample in job.references():
        yield from job.metrics(name, "", sample, columns, lambda _: None)


def _comparison(job: DialogueJob, ask: Ask, column: str) -> Comparison:
    if ask.judge == job.published_judge:
        return Comparison("none", reason=INTERNAL)
    label = job.job["judges"][ask.judge]
    return Comparison("none", reason=f"another judge: {label}; {INTERNAL}")


def _notes(job: DialogueJob) -> Iterator[str]:
    yield from job.judge_notes()
    yield from job.note_pooled()
    yield (
        "An item's score is the mean of the ratings read in its answers; answers without one "
        "count for nothing. Readings: "
        + ", ".join(f"{job.label(c)} {job.reading(c)}" for c in job.conditions)
        + "."
    )
    yield job.note_defect()
    yield NOTE_INTERNAL
    yield NOTE_REFERENCES
    yield (
        "n: items scored; read, failed: answers with and without a rating; cut short: answers "
        "that ended at the length limit; reasons rate: read answers whose reasons state a rating "
        "of their own, and agree: those in which it is the one given; cut: prompts that lost "
        "turns to the context length; "
        "item cut: of the judged dialogue itself."
    )

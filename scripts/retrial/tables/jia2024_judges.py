"""Judge against judge on the same dialogues: paired bootstrap of the difference (jia2024)."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from retrial.errors import RetrialError
from retrial.tables.declare import CellSpec, Declaration, Holm, JudgeDifference
from retrial.tables.description import ColumnGroup, Description
from retrial.tables.jia2024 import Ask, DialogueJob
from retrial.tables.jia2024_columns import CORRELATIONS

Pair = tuple[Ask, Ask]

SMALLEST = 0.04
"""A corrected p value can be as small as this: the family sets the number of resamples."""


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job: every pair of the judges as they were asked.

    Raises RetrialError when there is no pair.
    """
    dialogues = DialogueJob(job)
    pairs = list(combinations(dialogues.asks(), 2))
    if not pairs:
        raise RetrialError(f"tables.{job['table']}: list two judges, or one in two conditions")
    description = Description(
        title=f"jia2024: judge against judge on {dialogues.datasets_named()}",
        groups=tuple(
            ColumnGroup(
                name.capitalize(),
                ((name, "difference"), (f"{name}_p", "p"), (f"{name}_p_holm", "p Holm")),
            )
            for name in CORRELATIONS
        ),
        notes=tuple(_notes(dialogues, _resamples(dialogues, len(pairs)))),
        ledger_columns=(("items_compared", "n"),),
        row_header="first judge / second judge",
    )
    return Declaration(job["table"], tuple(_cells(dialogues, pairs)), description)


def row_key(job: DialogueJob, pair: Pair) -> str:
    """Both judges, the first being the one that the second is taken from."""
    return " / ".join(_named(job, ask) for ask in pair)


def _named(job: DialogueJob, ask: Ask) -> str:
    """The judge, and the condition where the table has several."""
    label = str(job.job["judges"][ask.judge])
    return f"{label}, {job.label(ask.condition)}" if len(job.conditions) > 1 else label


def _cells(job: DialogueJob, pairs: list[Pair]) -> Iterator[CellSpec]:
    rows = [row_key(job, pair) for pair in pairs]
    family = tuple((row, f"{name}_p") for row in rows for name in CORRELATIONS)
    resamples = _resamples(job, len(pairs))
    for row, (first, second) in zip(rows, pairs, strict=True):
        sample = JudgeDifference(
            job.pooled_judge(first), job.pooled_judge(second), job.pooled_human(), job.label_rule
        )
        for name in CORRELATIONS:
            p, corrected = f"{name}_p", f"{name}_p_holm"
            yield CellSpec(row, name, "", name, sample, "+.2f", resamples=resamples)
            yield CellSpec(row, p, "", name, sample, ".2g", extra="p", resamples=resamples)
            yield CellSpec(row, corrected, "", "holm", Holm((row, p), family), ".2g")
        yield CellSpec(
            row, "items_compared", "", CORRELATIONS[0], sample, "d", extra="n", resamples=resamples
        )


def _resamples(job: DialogueJob, pairs: int) -> int:
    tests = len(CORRELATIONS) * pairs
    return max(int(job.job["statistics"]["resamples"]), round(2 * tests / SMALLEST))


def _notes(job: DialogueJob, resamples: int) -> Iterator[str]:
    yield from job.judge_notes()
    yield from job.note_pooled()
    yield (
        "difference: the first judge's correlation with people's label minus the second's, over "
        "the dialogues that both scored (n); interval and two-sided p: bootstrap over dialogues, "
        f"both judges on the same {resamples:,} resamples; p Holm: corrected over all tests of "
        "this table."
    )

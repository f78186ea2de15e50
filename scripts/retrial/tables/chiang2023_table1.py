"""chiang2023 Table 1: ratings of human-written and GPT-2 stories, by teachers and judges."""

from collections.abc import Iterator, Mapping
from typing import Any

from retrial.tables.chiang2023 import (
    MIXED,
    NOTE_MIXED,
    NOTE_ORDER,
    NOTE_SUMMARY,
    PEOPLE,
    SHORT,
    SUMMARY,
    WRITERS,
    StoryJob,
    attribute_groups,
    not_at_hand,
    summary_cells,
)
from retrial.tables.declare import CellSpec, Comparison, Declaration
from retrial.tables.description import Description

UNRELEASED = "the ratings of these teachers are not released"
RETIRED = "no answers are released, and the model of January 2023 can't be asked"
OTHERS = Comparison("none", reason="other people than the teachers of Table 1")


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job."""
    description = Description(
        title="chiang2023 Table 1: ratings of human-written and GPT-2 stories",
        groups=attribute_groups([(suffix, SHORT[suffix]) for suffix, _, _ in SUMMARY]),
        notes=(NOTE_SUMMARY, NOTE_MIXED, NOTE_ORDER),
        row_header="judge",
        reference_rows=frozenset(f"{MIXED} / {writer}" for writer in WRITERS),
    )
    return Declaration(job["table"], tuple(_cells(StoryJob(job))), description)


def _cells(job: StoryJob) -> Iterator[CellSpec]:
    for writer in WRITERS:
        yield from not_at_hand(f"teachers / {writer}", "teachers", UNRELEASED)
    teachers = job.teachers()
    other = Comparison("none", reason="other teachers than those of Table 1")
    for writer in WRITERS:
        row = f"{MIXED} / {writer}"
        yield from summary_cells(row, MIXED, teachers, "", writer, comparison=other)
    for people in job.people():
        for writer in WRITERS:
            row = f"{people.name} / {writer}"
            yield from summary_cells(row, people.name, people, PEOPLE, writer, comparison=OTHERS)
    for judge in job.judges():
        for writer in WRITERS:
            yield from summary_cells(f"{judge.name} / {writer}", judge.name, judge, "plain", writer)
    for name in ("t0", "chatgpt"):
        for writer in WRITERS:
            yield from not_at_hand(f"{name} / {writer}", name, RETIRED)

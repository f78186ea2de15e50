"""chiang2023 Table 3: how instructions and temperature move the ratings."""

from collections.abc import Iterator, Mapping
from typing import Any

from retrial.tables.chiang2023 import (
    NOTE_SUMMARY,
    SHORT,
    SUMMARY,
    WRITERS,
    StoryJob,
    attribute_groups,
    not_at_hand,
    summary_cells,
)
from retrial.tables.declare import CellSpec, Declaration
from retrial.tables.description import Description

COLUMNS = tuple(column for column in SUMMARY if column[0] in ("mean", "sd", "agreement_percent"))
TEMPERATURES = ("t0.7", "t0.3", "t0")
UNRELEASED = "answers at this temperature are not released"


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job. Conditions are those of the table's list."""
    description = Description(
        title="chiang2023 Table 3: instructions and temperature",
        groups=attribute_groups([(suffix, SHORT[suffix]) for suffix, _, _ in COLUMNS]),
        notes=(NOTE_SUMMARY, "plain: temperature 1, the instruction of Table 1."),
        row_header="instruction",
    )
    return Declaration(job["table"], tuple(_cells(StoryJob(job))), description)


def _cells(job: StoryJob) -> Iterator[CellSpec]:
    for judge in job.judges():
        for condition in job.spec["conditions"]:
            for writer in WRITERS:
                row = f"{judge.name} / {condition} / {writer}"
                yield from summary_cells(row, judge.name, judge, condition, writer, COLUMNS)
        if judge.recording:
            for condition in TEMPERATURES:
                for writer in WRITERS:
                    row = f"{judge.name} / {condition} / {writer}"
                    yield from not_at_hand(row, judge.name, UNRELEASED, COLUMNS)

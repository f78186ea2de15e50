"""chiang2023 Table 5: the teachers of the mixed design, who rated both writers' stories."""

from collections.abc import Mapping
from typing import Any

from retrial.tables.chiang2023 import (
    NOTE_MIXED,
    NOTE_SUMMARY,
    SHORT,
    SUMMARY,
    WRITERS,
    StoryJob,
    attribute_groups,
    summary_cells,
)
from retrial.tables.declare import Declaration
from retrial.tables.description import Description


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job."""
    teachers = StoryJob(job).teachers()
    cells = [
        cell
        for writer in WRITERS
        for cell in summary_cells(f"teachers / {writer}", "", teachers, "", writer)
    ]
    description = Description(
        title="chiang2023 Table 5: teachers who rated a shuffled set of both writers' stories",
        groups=attribute_groups([(suffix, SHORT[suffix]) for suffix, _, _ in SUMMARY]),
        notes=(NOTE_SUMMARY, NOTE_MIXED, "The paper's values of this table are not at hand."),
        row_header="raters",
    )
    return Declaration(job["table"], tuple(cells), description)

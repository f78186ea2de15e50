"""chiang2023 Table 6: Kendall's tau-b between teachers, averaged over the pairs of teachers."""

from collections.abc import Mapping
from typing import Any

from retrial.tables.chiang2023 import (
    ATTRIBUTES,
    NOTE_MIXED,
    WRITERS,
    StoryJob,
    attribute_groups,
)
from retrial.tables.declare import CellSpec, Comparison, Declaration, RaterPairs
from retrial.tables.description import Description

OTHER = Comparison("none", reason="other teachers: those of Table 1, whose ratings are unreleased")


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job."""
    teachers = StoryJob(job).teachers()
    cells = [
        CellSpec(
            row=writer,
            column=f"{attribute}_tau",
            block="",
            metric="kendall-b",
            sample=RaterPairs(teachers.select(attribute, "", writer, "human")),
            comparison=OTHER,
        )
        for writer in WRITERS
        for attribute in ATTRIBUTES
    ]
    description = Description(
        title="chiang2023 Table 6: agreement between teachers",
        groups=attribute_groups([("tau", "tau-b")]),
        notes=("Mean of tau-b over the three pairs of teachers, story by story.", NOTE_MIXED),
        row_header="stories",
    )
    return Declaration(job["table"], tuple(cells), description)

"""How the answers were read: counts by judge, instruction, attribute, parser and status."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from retrial.scoring.parsers.base import STATUSES
from retrial.tables.chiang2023 import ATTRIBUTES, StoryJob
from retrial.tables.declare import CellSpec, Declaration, StatusCount
from retrial.tables.description import ColumnGroup, Description

PARSERS = ("chiang2023", "robust")
NOTES = (
    "chiang2023: the published rule (the first number after the scale phrases are taken out); "
    "robust: the project's own, which leaves an ambiguous answer unread.",
    "; ".join(f"{status}: {meaning}" for status, meaning in STATUSES.items()) + ".",
)


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job."""
    groups = [
        ColumnGroup(parser, tuple((f"{parser}_{s}", s.replace("_", " ")) for s in STATUSES))
        for parser in PARSERS
    ]
    description = Description(
        title="chiang2023: how answers were read, by parser and status",
        groups=tuple(groups),
        notes=NOTES,
        row_header="judge, instruction, attribute",
    )
    return Declaration(job["table"], tuple(_cells(StoryJob(job))), description)


def _cells(job: StoryJob) -> Iterator[CellSpec]:
    for judge in job.judges():
        for condition in job.conditions(judge):
            for attribute in ATTRIBUTES:
                row = f"{judge.name} / {condition} / {attribute}"
                for parser in PARSERS:
                    chosen = replace(judge, reading=parser).select(attribute, condition, None)
                    for status in STATUSES:
                        yield CellSpec(
                            row, f"{parser}_{status}", f"{judge.name} / {condition}",
                            "status-count", StatusCount(chosen, status), "d",
                        )  # fmt: skip

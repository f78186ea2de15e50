"""Examples of answers without a rating, and of answers that the two parsers read differently."""

from collections.abc import Iterator, Mapping
from typing import Any

from retrial.scoring.parsers.base import STATUSES
from retrial.tables.chiang2023 import StoryJob
from retrial.tables.chiang2023_parse_ledger import PARSERS, readings_of
from retrial.tables.declare import CellSpec, Declaration, ParseExample
from retrial.tables.description import ColumnGroup, Description

FIELDS = ("answer", "readings", "reason", "request")


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job."""
    description = Description(
        title="chiang2023: examples of how answers were read",
        groups=(ColumnGroup("", tuple((field, field) for field in FIELDS)),),
        notes=("The first by request id of each kind; long answers are shortened.",),
        row_header="parser and status",
    )
    return Declaration(job["table"], tuple(_cells(StoryJob(job))), description)


def _cells(job: StoryJob) -> Iterator[CellSpec]:
    kinds = [(parser, s) for parser in PARSERS for s in STATUSES if s != "ok"]
    for judge in job.judges():
        answers = judge.ratings.replace("ratings/", "answers/", 1)
        for parser, status in [*kinds, (PARSERS[0], None)]:
            readings = readings_of(judge, parser)
            kind = "parsers differ" if status is None else f"{parser} / {status}"
            for field in FIELDS:
                example = ParseExample(readings, answers, status, field)
                row = f"{judge.name} / {kind}"
                yield CellSpec(row, field, judge.name, "parse-example", example, "s")

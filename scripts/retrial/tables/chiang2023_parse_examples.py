"""Examples of every way in which answers were left unread, or read differently."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Literal

from retrial.tables.chiang2023 import StoryJob
from retrial.tables.chiang2023_parse_ledger import PARSERS
from retrial.tables.declare import CellSpec, Declaration, ParseExample, Selection
from retrial.tables.description import ColumnGroup, Description

FIELDS = ("answer", "readings", "reason", "request")
SHOWN = 5
"""Examples of each kind for each judge."""
KINDS: tuple[tuple[str, Literal["unread", "different"]], ...] = (
    ("left unread", "unread"),
    ("read differently", "different"),
)


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job."""
    description = Description(
        title="chiang2023: answers that a parser left unread, or that two read differently",
        groups=(ColumnGroup("", tuple((field, field) for field in FIELDS)),),
        notes=(
            f"Up to {SHOWN} examples of a kind: each pair of statuses once before any comes again, "
            "then in the order of request ids. Long answers are shortened.",
        ),
        row_header="kind and number",
    )
    return Declaration(job["table"], tuple(_cells(StoryJob(job))), description)


def _cells(job: StoryJob) -> Iterator[CellSpec]:
    for judge in job.judges():
        first, second = (Selection(name, judge.ratings, (("reading", name),)) for name in PARSERS)
        answers = judge.ratings.replace("ratings/", "answers/", 1)
        for (name, kind), place in product(KINDS, range(SHOWN)):
            for field in FIELDS:
                example = ParseExample(first, second, answers, kind, place, field)
                row = f"{judge.name} / {name} / {place + 1}"
                yield CellSpec(row, field, judge.name, "parse-example", example, "s")

"""How far the parser, and what a failed answer counts as, move each number of Tables 1 and 3."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from retrial.tables.chiang2023 import (
    ATTRIBUTES,
    SHORT,
    SUMMARY,
    WRITERS,
    StoryJob,
    StorySet,
    attribute_groups,
)
from retrial.tables.declare import CellSpec, Declaration, RaterMatrix, Shift
from retrial.tables.description import Description

FORMATS = {"mean": ".4f", "sd": ".4f", "alpha": ".4f", "agreement_percent": ".2f"}
COLUMNS = tuple((name, metric, FORMATS[name]) for name, metric, _ in SUMMARY if name in FORMATS)
SHIFT = ", shift"
"""Ends the key of a row that holds a rule's shifts against the default rule."""
Variant = tuple[str, str, float | None]
VARIANTS: tuple[Variant, ...] = (
    ("default", "chiang2023", None),
    ("failed as lowest", "chiang2023", 1.0),
    ("failed as middle", "chiang2023", 3.0),
    ("robust parser", "robust", None),
)
"""Name, parser, and what an answer without a rating counts as."""


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job."""
    description = Description(
        title="chiang2023: each number under other parsing and failure rules",
        groups=attribute_groups([(suffix, SHORT[suffix]) for suffix, _, _ in COLUMNS]),
        notes=(
            "default: the published parser, failed answers dropped; failed as lowest or middle: "
            "an answer without a rating counts as 1 or as 3; robust parser: the project's own.",
            "shift: the rule's number minus the default's; its interval draws the same stories for "
            "both.",
        ),
        row_header="rule",
    )
    return Declaration(job["table"], tuple(_cells(StoryJob(job))), description)


def _cells(job: StoryJob) -> Iterator[CellSpec]:
    for judge in job.judges():
        for condition in job.conditions(judge):
            for writer in WRITERS:
                for variant in VARIANTS:
                    yield from _values(judge, condition, writer, variant)
                    if variant != VARIANTS[0]:
                        yield from _shifts(judge, condition, writer, variant)


def _values(judge: StorySet, condition: str, writer: str, variant: Variant) -> Iterator[CellSpec]:
    name, parser, failed = variant
    block = f"{judge.name} / {condition} / {writer}"
    for attribute in ATTRIBUTES:
        chosen = replace(judge, reading=parser).select(attribute, condition, writer)
        for suffix, metric, form in COLUMNS:
            yield CellSpec(
                f"{block} / {name}", f"{attribute}_{suffix}", block, metric,
                RaterMatrix(chosen, failed), form,
            )  # fmt: skip


def _shifts(judge: StorySet, condition: str, writer: str, variant: Variant) -> Iterator[CellSpec]:
    name, parser, failed = variant
    block = f"{judge.name} / {condition} / {writer}"
    for attribute in ATTRIBUTES:
        chosen = replace(judge, reading=parser).select(attribute, condition, writer)
        default = replace(judge, reading=VARIANTS[0][1]).select(
            attribute, condition, writer, "default"
        )
        for suffix, metric, form in COLUMNS:
            yield CellSpec(
                f"{block} / {name}{SHIFT}", f"{attribute}_{suffix}", block, metric,
                Shift(chosen, default, failed), form,
            )  # fmt: skip

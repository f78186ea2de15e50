"""chiang2023 Table 2: Kendall's tau-b between teachers and a judge, story by story."""

from collections.abc import Iterator, Mapping
from typing import Any

from retrial.tables.chiang2023 import (
    ATTRIBUTES,
    NOTE_MIXED,
    WRITERS,
    StoryJob,
    StorySet,
    attribute_groups,
)
from retrial.tables.declare import CellSpec, Declaration, Holm, LinkedPairs, NotAtHand
from retrial.tables.description import Description

COLUMNS = (("tau", "tau-b"), ("tau_p", "p"), ("tau_p_holm", "p Holm"))
NO_ORDER = "its answers are bare numbers: which story each is about can't be inferred"
NOTES = (
    "tau-b of the story means of three teachers and three answers; the paper does not say which "
    "tau or which test. p Holm: corrected over all cells of this table.",
    "The recordings carry no story ids: their order is inferred from the text of the answers "
    "(one-to-one assignment), so these cells are marked inferred.",
    NOTE_MIXED,
)


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job."""
    description = Description(
        title="chiang2023 Table 2: teachers of the mixed design against judges",
        groups=attribute_groups(COLUMNS),
        notes=NOTES,
        row_header="judge",
    )
    return Declaration(job["table"], tuple(_cells(StoryJob(job))), description)


def _cells(job: StoryJob) -> Iterator[CellSpec]:
    judges = list(job.judges())
    joinable = [judge for judge in judges if judge.links or not judge.recording]
    family = tuple(
        (f"{judge.name} / {writer}", f"{attribute}_tau_p")
        for judge in joinable
        for writer in WRITERS
        for attribute in ATTRIBUTES
    )
    for judge in judges:
        for writer in WRITERS:
            for attribute in ATTRIBUTES:
                yield from _attribute(job.teachers(), judge, writer, attribute, family)


def _attribute(
    teachers: StorySet,
    judge: StorySet,
    writer: str,
    attribute: str,
    family: tuple[tuple[str, str], ...],
) -> Iterator[CellSpec]:
    row, column = f"{judge.name} / {writer}", f"{attribute}_tau"
    if judge.recording and not judge.links:
        for suffix in ("", "_p", "_p_holm"):
            yield CellSpec(row, column + suffix, judge.name, "kendall-b", NotAtHand(NO_ORDER))
        return
    pairs = LinkedPairs(
        judge.select(attribute, "plain", writer),
        teachers.select(attribute, "", writer, "human"),
        judge.links,
    )
    inferred = judge.links is not None
    tau = CellSpec(row, column, judge.name, "kendall-b", pairs, inferred=inferred)
    p = CellSpec(
        row, f"{column}_p", judge.name, "kendall-b", pairs, ".2g", inferred=inferred, extra="p"
    )
    corrected = Holm((row, f"{column}_p"), family)
    yield from (tau, p)
    yield CellSpec(row, f"{column}_p_holm", judge.name, "holm", corrected, ".2g", inferred=inferred)

"""chiang2023 section 3.3: human minus GPT-2 ratings, by attribute and judge, with Welch tests."""

from collections.abc import Iterator, Mapping
from typing import Any

from retrial.tables.chiang2023 import (
    ATTRIBUTES,
    MIXED,
    NOTE_MIXED,
    WRITERS,
    StoryJob,
    StorySet,
    attribute_groups,
)
from retrial.tables.declare import (
    CellSpec,
    Comparison,
    Declaration,
    Holm,
    NotAtHand,
    SampleSpec,
    WriterGroups,
)
from retrial.tables.description import Description

COLUMNS = (("gap", "gap"), ("welch_ratings", "t"), ("welch_ratings_p", "p"),
           ("welch_stories", "t st."), ("welch_stories_p", "p st."),
           ("welch_stories_p_holm", "p Holm"))  # fmt: skip
NOTES = (
    "gap: mean rating of human-written minus GPT-2 stories; interval: bootstrap over stories.",
    "t, p: Welch over the 600 ratings of a writer, which takes three answers about one story for "
    "independent; t st., p st.: Welch over the 200 story means; p Holm: corrected over all "
    "story-level tests of this table.",
    NOTE_MIXED,
)
DIFFERENCE = Comparison("same-ratings", half_units=2)
"""The known gaps are differences of two printed means."""


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job."""
    description = Description(
        title="chiang2023: gaps between human-written and GPT-2 stories",
        groups=attribute_groups(COLUMNS),
        notes=NOTES,
        row_header="judge",
        reference_rows=frozenset({MIXED}),
    )
    cells = tuple(_cells(StoryJob(job)))
    return Declaration(job["table"], cells, description, printed_in="chiang2023_table1")


def _cells(job: StoryJob) -> Iterator[CellSpec]:
    raters = [(job.teachers(), ""), *((judge, "plain") for judge in job.judges())]
    family = tuple(
        (judge.name, f"{attribute}_welch_stories_p")
        for judge, _ in raters
        for attribute in ATTRIBUTES
    )
    for judge, condition in raters:
        for attribute in ATTRIBUTES:
            yield from _attribute(judge, condition, attribute, family)
    for attribute in ATTRIBUTES:
        unknown = NotAtHand("no answers of T0 are released")
        for suffix, _ in COLUMNS:
            yield _cell("t0", f"{attribute}_{suffix}", "gap", unknown)


def _attribute(
    judge: StorySet, condition: str, attribute: str, family: tuple[tuple[str, str], ...]
) -> Iterator[CellSpec]:
    first, second = (
        judge.select(attribute, condition, writer, role)
        for writer, role in zip(WRITERS, ("human-written", "gpt2"), strict=True)
    )
    groups = WriterGroups(first, second)
    name = f"{attribute}_{{}}"
    yield _cell(judge.name, name.format("gap"), "gap", groups)
    for suffix, metric in (("welch_ratings", "welch-ratings"), ("welch_stories", "welch-items")):
        yield _cell(judge.name, name.format(suffix), metric, groups, ".2f")
        yield _cell(judge.name, name.format(f"{suffix}_p"), metric, groups, ".2g", "p")
    corrected = Holm((judge.name, name.format("welch_stories_p")), family)
    yield _cell(judge.name, name.format("welch_stories_p_holm"), "holm", corrected, ".2g")


def _cell(
    row: str, column: str, metric: str, sample: SampleSpec, form: str = ".2f",
    extra: str | None = None,
) -> CellSpec:  # fmt: skip
    return CellSpec(row, column, "", metric, sample, form, comparison=DIFFERENCE, extra=extra)

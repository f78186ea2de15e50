"""What the chiang2023 tables share: who rated which stories, and how to select it.

A judge is the teachers of the mixed design, a recording, or a live model. A recording's
stories are items of its own; live judges and teachers rate the released ones.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retrial.items.export_file import FORM
from retrial.tables.declare import (
    CellSpec,
    Comparison,
    NotAtHand,
    RaterMatrix,
    Selection,
)
from retrial.tables.description import ColumnGroup

ATTRIBUTES = ("grammaticality", "cohesiveness", "likability", "relevance")
WRITERS = ("human-written", "gpt2")
SAME = Comparison("same-ratings")
RELEASED = "chiang2023-stories"
PEOPLE = FORM
"""The condition of the ratings that people gave in rating forms."""
MIXED = "teachers (mixed design)"
SUMMARY = (
    ("mean", "mean", ".2f"),
    ("sd", "sd", ".2f"),
    ("alpha", "alpha-interval", ".2f"),
    ("alpha_ordinal", "alpha-ordinal", ".2f"),
    ("alpha_nominal", "alpha-nominal", ".2f"),
    ("agreement_percent", "exact-agreement", ".1f"),
)
"""Columns of a summary: suffix, metric, format. The paper prints alpha without its level; only
the interval level gives its values, and the other two stand beside it."""

SHORT = {"mean": "mean", "sd": "SD", "alpha": "\N{GREEK SMALL LETTER ALPHA}",
         "alpha_ordinal": "\N{GREEK SMALL LETTER ALPHA} ord.",
         "alpha_nominal": "\N{GREEK SMALL LETTER ALPHA} nom.",
         "agreement_percent": "agree %"}  # fmt: skip

NOTE_SUMMARY = (
    "Mean and SD (ddof 0) over all ratings; alpha: Krippendorff, interval level, with ordinal and "
    "nominal beside it; agree %: stories on which all three answers or raters are equal. "
    "Intervals: bootstrap over stories."
)
NOTE_MIXED = (
    "The teachers of the mixed design rated the released 400 stories; they are not the teachers of "
    "Table 1, whose ratings are not released. The authors note that some ratings were collected "
    "again after the paper."
)
NOTE_ORDER = (
    "Attribute order of the recordings: certain from the text of the davinci answers, by analogy "
    "for curie, whose answers are bare numbers."
)


@dataclass(frozen=True)
class StorySet:
    """A judge's ratings of stories: where they lie and how the table names them."""

    name: str
    ratings: str
    items: str
    reading: str
    id: str = ""
    recording: bool = False
    links: str | None = None

    def select(
        self, attribute: str, condition: str, writer: str | None, role: str = "judge"
    ) -> Selection:
        """The ratings of one attribute under one condition, of one writer's stories or all."""
        where: tuple[tuple[str, str], ...] = (
            ("attribute", attribute),
            ("condition", condition),
            ("reading", self.reading),
        )
        strata = (("writer", writer),) if writer else ()
        return Selection(role, self.ratings, where, self.items, None, strata)


class StoryJob:
    """A build_table job of the study, read once."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        self.job = job
        self.spec: Mapping[str, Any] = job["spec"]
        self.reading: str = self.spec.get("reading", "chiang2023")

    def teachers(self) -> StorySet:
        """The teachers of the mixed design."""
        items = f"items/{RELEASED}.parquet"
        return StorySet(MIXED, f"ratings/human/{RELEASED}.parquet", items, "human")

    def people(self) -> Iterator[StorySet]:
        """The people who filled in rating forms: one set for each dataset that names exports."""
        for dataset in self.spec.get("datasets", []):
            found = self.job.get("datasets", {}).get(dataset, {})
            if found.get("exports"):
                name = f"people with forms, {found['label']}"
                items = f"items/{dataset}.parquet"
                yield StorySet(name, f"ratings/human/{dataset}.parquet", items, "human")

    def judges(self) -> Iterator[StorySet]:
        """Every judge of the table's list, in order."""
        for judge in self.spec.get("judges", []):
            recorded = self.job["recordings"].get(judge)
            if recorded is not None:
                yield self._recording(judge, recorded)
                continue
            for dataset in self.spec.get("datasets", []):
                for experiment in self.spec.get("experiments", []):
                    ratings = f"ratings/{judge}/{dataset}/{experiment}.parquet"
                    items = f"items/{dataset}.parquet"
                    name = self.job["judges"][judge]
                    yield StorySet(name, ratings, items, self.live_reading, judge)

    def conditions(self, judge: StorySet) -> list[str]:
        """The conditions of the table's list that a judge was asked under."""
        listed: list[str] = self.spec.get("conditions", ["plain"])
        known = self.job["recordings"].get(judge.id, {}).get("conditions", listed)
        return [condition for condition in listed if condition in known]

    @property
    def live_reading(self) -> str:
        """The reading of live judges' answers."""
        return str(self.spec.get("live_reading", "robust"))

    def _recording(self, judge: str, recorded: Mapping[str, Any]) -> StorySet:
        family = recorded["family"]
        return StorySet(
            name=self.job["judges"][judge],
            ratings=f"ratings/{judge}/{family}/recorded.parquet",
            items=f"items/{family}.parquet",
            reading=self.reading,
            id=judge,
            recording=True,
            links=f"links/{family}.parquet" if recorded["released"] else None,
        )


def summary_cells(
    row: str, block: str, stories: StorySet, condition: str, writer: str,
    columns: Sequence[tuple[str, str, str]] = SUMMARY,
    comparison: Comparison = SAME,
) -> Iterator[CellSpec]:  # fmt: skip
    """Mean, SD, agreement of each attribute, for one judge and writer."""
    for attribute in ATTRIBUTES:
        sample = RaterMatrix(stories.select(attribute, condition, writer))
        for suffix, metric, form in columns:
            yield CellSpec(
                row, f"{attribute}_{suffix}", block, metric, sample, form, comparison=comparison
            )


def not_at_hand(
    row: str, block: str, reason: str, columns: Sequence[tuple[str, str, str]] = SUMMARY
) -> Iterator[CellSpec]:
    """Cells of a judge whose ratings nobody has: the paper's values, where they are known."""
    for attribute in ATTRIBUTES:
        for suffix, metric, form in columns:
            yield CellSpec(
                row, f"{attribute}_{suffix}", block, metric, NotAtHand(reason), form,
                comparison=Comparison("none", reason=reason),
            )  # fmt: skip


def attribute_groups(columns: Sequence[tuple[str, str]]) -> tuple[ColumnGroup, ...]:
    """A column group for each attribute, of (suffix, short label) pairs."""
    return tuple(
        ColumnGroup(a.capitalize(), tuple((f"{a}_{suffix}", short) for suffix, short in columns))
        for a in ATTRIBUTES
    )

"""What the tables of attacked titles share: who rates them, and the cells of one rater's group.

A fluency rating is of one title, a meaning rating of a benign title and its attacked form; the
benign row of meaning is benign titles beside themselves (chiang2023 section 4.2).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from types import MappingProxyType
from typing import Any

from retrial.errors import RetrialError
from retrial.tables.arms import Decided
from retrial.tables.declare import (
    CellSpec,
    Comparison,
    Declaration,
    Holm,
    NotAtHand,
    RaterMatrix,
    SampleSpec,
    Selection,
    WriterGroups,
)
from retrial.tables.description import ColumnGroup, Description
from retrial.tables.title_pairs import TitlePairs

FLUENCY, MEANING = "fluency", "meaning"
ATTRIBUTES = (FLUENCY, MEANING)
BENIGN = "benign"
REFERENCE = {FLUENCY: BENIGN, MEANING: "identical"}
"""The stratum of what is not attacked, by attribute."""
ATTACKS = ("textfooler", "pwws", "bae")
ROWS = (BENIGN, *ATTACKS)
PEOPLE = "people"

COLUMNS = (("", "mean"), ("_sd", "SD"), ("_drop", "drop"), ("_p", "p"), ("_welch_p", "p Welch"),
           ("_p_holm", "p Holm"), ("_lower", "lower?"))  # fmt: skip
NOBODY = "nobody has rated these titles; no rating of a person is ever made up"
NO_DIRECTION = (
    "other titles, and judges that can't be asked again: only the direction may be compared"
)
NOTES = (
    "Mean and SD (ddof 0) over all ratings: a judge's answers to one question count as raters. "
    "Intervals: bootstrap over titles.",
    "The benign row of meaning: benign titles beside themselves. A judge that takes the question "
    "as it is meant gives 5.",
    "drop: benign minus attacked, over the pairs of which both were rated, with a paired bootstrap "
    "over pairs and its p; p Welch: over the means of titles, without their pairing; p Holm: "
    "corrected over all paired tests of this table; lower?: whether the attacked titles are rated "
    "lower, as the study says of its judges. Fewer than ten pairs are not compared, and with "
    "fewer than some twenty the bootstrap is too sure of itself.",
    "The paper's pairs are not published. Its values stand beside ours and are compared in "
    "direction only.",
)


@dataclass(frozen=True)
class TitleRater:
    """A judge's or people's ratings of one dataset's titles."""

    key: str
    label: str
    ratings: str
    items: str
    reading: str
    conditions: Mapping[str, str]
    row_prefix: str = ""

    def select(
        self, attribute: str, attack: str, drawn_with: str | None = None, role: str = "judge",
        where: Mapping[str, str | int] = MappingProxyType({}),
    ) -> Selection:  # fmt: skip
        """Ratings of one attack's titles or pairs.

        Of what is not attacked, `drawn_with` keeps what that attack drew.
        """
        strata = [("attack", attack)]
        if drawn_with:
            strata.append((f"with-{drawn_with}", "yes"))
        columns = {"attribute": attribute, "condition": self.conditions[attribute], **where}
        kept = (*columns.items(), ("reading", self.reading))
        return Selection(role, self.ratings, kept, self.items, None, tuple(strata))


class TitleJob:
    """A build_table job about attacked titles, read once."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        self.job = job
        self.spec: Mapping[str, Any] = job["spec"]
        self.datasets: list[str] = self.spec.get("datasets", [])
        listed = self.spec.get("conditions", [])
        if len(listed) != len(ATTRIBUTES):
            raise RetrialError(
                f"tables.{job['table']}.conditions: name two, the condition that asks about "
                "fluency first, then the one that asks about meaning"
            )
        self.conditions = dict(zip(ATTRIBUTES, listed, strict=True))

    def raters(self) -> Iterator[TitleRater]:
        """People, where they rated a dataset, and the judges of the list, by dataset."""
        for dataset in self.datasets:
            items, prefix = f"items/{dataset}.parquet", self._prefix(dataset)
            if self.job["datasets"][dataset].get("raters", "none") != "none":
                file, unasked = f"ratings/human/{dataset}.parquet", dict.fromkeys(ATTRIBUTES, "")
                yield TitleRater(PEOPLE, PEOPLE, file, items, "human", unasked, prefix)
            reading = self.spec.get("live_reading") or self.spec.get("reading") or "robust"
            for judge in self.spec.get("judges", []):
                asked = self.spec.get("only", {}).get(judge, self.spec.get("experiments", []))
                for experiment in asked:
                    file = f"ratings/{judge}/{dataset}/{experiment}.parquet"
                    label = self.job["judges"][judge]
                    yield TitleRater(judge, label, file, items, reading, self.conditions, prefix)

    def _prefix(self, dataset: str) -> str:
        """Rows of several datasets are told apart by their labels."""
        several = len(self.datasets) > 1
        return f"{self.job['datasets'][dataset]['label']} / " if several else ""


def rater_cells(raters: Sequence[TitleRater], level: float) -> Iterator[CellSpec]:
    """The cells of all raters, with one Holm family over their paired tests."""
    tests = [(r, attribute, attack) for r in raters for attribute in ATTRIBUTES
             for attack in ATTACKS]  # fmt: skip
    family = tuple((r.row_prefix + attack, f"{a}_{r.key}_p") for r, a, attack in tests)
    alpha = round(1 - level, 9)
    # The smallest bootstrap p value, times the family, is then a tenth of alpha.
    resamples = ceil(20 * len(family) / alpha) if family else 0
    for rater in raters:
        for attribute in ATTRIBUTES:
            for row in ROWS:
                yield from _summary(rater, attribute, row)
                if row != BENIGN:
                    yield from _drop(rater, attribute, row, family, alpha, resamples)


def _summary(rater: TitleRater, attribute: str, row: str) -> Iterator[CellSpec]:
    attack = REFERENCE[attribute] if row == BENIGN else row
    sample = RaterMatrix(rater.select(attribute, attack))
    name, place = f"{attribute}_{rater.key}", rater.row_prefix + row
    yield CellSpec(place, name, "", "mean", sample)
    yield CellSpec(place, f"{name}_sd", "", "sd", sample)


def _drop(
    rater: TitleRater, attribute: str, attack: str, family: tuple[tuple[str, str], ...],
    alpha: float, resamples: int,
) -> Iterator[CellSpec]:  # fmt: skip
    benign = rater.select(attribute, REFERENCE[attribute], attack, "benign")
    attacked = rater.select(attribute, attack, role="attacked")
    pairs, groups = TitlePairs(benign, attacked, rater.items), WriterGroups(benign, attacked)
    row, name = rater.row_prefix + attack, f"{attribute}_{rater.key}"

    def cell(
        suffix: str, metric: str, sample: SampleSpec, form: str = ".2g", extra: str | None = None,
        resamples: int = 0,
    ) -> CellSpec:  # fmt: skip
        place = name + suffix
        return CellSpec(row, place, "", metric, sample, form, extra=extra, resamples=resamples)

    yield cell("_drop", "mean", pairs, "+.2f", resamples=resamples)
    yield cell("_p", "mean", pairs, extra="p", resamples=resamples)
    yield cell("_welch_p", "welch-items", groups, extra="p")
    yield cell("_p_holm", "holm", Holm((row, f"{name}_p"), family))
    lower = Decided((row, f"{name}_drop"), (row, f"{name}_p_holm"), alpha)
    yield cell("_lower", "", lower, "s")


def not_at_hand(
    key: str, reason: str, attributes: Sequence[str] = ATTRIBUTES
) -> Iterator[CellSpec]:
    """Means of raters whose ratings nobody has: the paper's values, where they are known."""
    for attribute in attributes:
        for row in ROWS:
            yield CellSpec(
                row, f"{attribute}_{key}", "", "mean", NotAtHand(reason),
                comparison=Comparison("none", reason=NO_DIRECTION),
            )  # fmt: skip


def rater_groups(raters: Sequence[TitleRater]) -> Iterator[ColumnGroup]:
    """A column group for each rater and attribute."""
    for key, label in dict.fromkeys((r.key, r.label) for r in raters):
        for attribute in ATTRIBUTES:
            columns = tuple((f"{attribute}_{key}{suffix}", short) for suffix, short in COLUMNS)
            yield ColumnGroup(f"{label}: {attribute}", columns)


def mean_group(key: str, label: str, attributes: Sequence[str] = ATTRIBUTES) -> ColumnGroup:
    """The column group of raters of whom at most the paper's means are known."""
    return ColumnGroup(label, tuple((f"{a}_{key}", a) for a in attributes))


def attack_table(
    job: Mapping[str, Any], title: str, paper: Mapping[str, tuple[str, str]]
) -> Declaration:
    """The table of a job. `paper` gives, by column, the paper's raters and why they are missing."""
    raters = list(TitleJob(job).raters())
    cells = [cell for key, (_, reason) in paper.items() for cell in not_at_hand(key, reason)]
    groups = [mean_group(key, label) for key, (label, _) in paper.items()]
    if not any(rater.key == PEOPLE for rater in raters):
        cells += not_at_hand(PEOPLE, NOBODY)
        groups.append(mean_group(PEOPLE, PEOPLE))
    cells += rater_cells(raters, float(job["statistics"]["level"]))
    groups += rater_groups(raters)
    description = Description(title, tuple(groups), NOTES, row_header="titles")
    return Declaration(job["table"], tuple(cells), description)

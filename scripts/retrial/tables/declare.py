"""The words in which a table is declared: selections, samples, cells.

A declaration names what to compute; nothing here reads a file. Building a table, comparing
it with the paper and auditing one of its numbers are readings of the same declaration.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from retrial.tables.arms import Contrast, Decided, Evidence, Held, Rescored
from retrial.tables.description import Description
from retrial.tables.selection import Ratings
from retrial.tables.selection import Selection as Selection
from retrial.tables.title_pairs import TitlePairs


@dataclass(frozen=True)
class JudgeAgainstHuman:
    """A judge's score of each item against people's label (jia2024 section 4).

    Pooled, both hold one selection a dataset, in the same order. With several replicates (draws
    of the examples), `mean-of-metrics` averages the metrics, `mean-rating` the item's scores.
    """

    judge: Ratings
    human: Ratings
    label_rule: str
    replicates: Literal["mean-of-metrics", "mean-rating"] = "mean-rating"


@dataclass(frozen=True)
class HumanCeiling:
    """One rater against the mean of the others, over the same items as the judge's cells."""

    human: Ratings
    judge: Ratings


@dataclass(frozen=True)
class Constant:
    """The same score for every item: 3 where most training labels are defects, else 4."""

    human: Ratings
    judge: Ratings
    training: Ratings
    label_rule: str
    threshold: float


@dataclass(frozen=True)
class JudgeDifference:
    """A metric of `judge` minus that of `other`, both against people's label.

    Only items that both have a score of count; an item's score is the mean of its answers.
    """

    judge: Ratings
    other: Ratings
    human: Ratings
    label_rule: str


@dataclass(frozen=True)
class RaterMatrix:
    """All ratings of a selection as raters (or samples) by items.

    `failed` says what an answer without a rating counts as: nothing (None), or this score.
    """

    ratings: Selection
    failed: float | None = None


@dataclass(frozen=True)
class Shift:
    """A metric of `ratings`, minus the same metric of `default` with failed answers dropped.

    Both are readings of the same answers; `failed` counts for `ratings` as in RaterMatrix.
    """

    ratings: Selection
    default: Selection
    failed: float | None = None


@dataclass(frozen=True)
class WriterGroups:
    """Ratings of two groups of items, such as human-written and generated stories."""

    first: Selection
    second: Selection


@dataclass(frozen=True)
class Ledger:
    """Counts about how the answers of a selection came to be: no metric, no interval."""

    judge: Ratings
    answers: str | tuple[str, ...]


@dataclass(frozen=True)
class LinkedPairs:
    """Two sides' mean ratings of each item, joined by id or through links (inferred)."""

    judge: Selection
    human: Selection
    links: str | None = None


@dataclass(frozen=True)
class RaterPairs:
    """Every pair of persons who rated the same items; the metric is averaged over the pairs."""

    ratings: Selection


@dataclass(frozen=True)
class Listing:
    """The ratings of one item, written out in order, as tables of examples show them."""

    ratings: Selection
    released: Selection
    links: str | None = None


@dataclass(frozen=True)
class ItemText:
    """A text of one item: its `text` or its `context`."""

    items: str
    strata: tuple[tuple[str, str], ...]
    field: str


@dataclass(frozen=True)
class StatusCount:
    """How many readings of a selection have a status."""

    ratings: Selection
    status: str


@dataclass(frozen=True)
class ParseExample:
    """One field of an example of how two parsers read the same answers.

    `kind`: `unread` by the parser of `ratings` or of `other`, or read as `different` numbers.
    Every pair of statuses comes once before any comes again, then in the order of request ids;
    `place` counts from 0. `field` is answer, readings, reason or request.
    """

    ratings: Selection
    other: Selection
    answers: str
    kind: Literal["unread", "different"]
    place: int
    field: str


@dataclass(frozen=True)
class Stated:
    """A text of the configuration, or the reason why it states none."""

    text: str
    reason: str = ""


@dataclass(frozen=True)
class NotAtHand:
    """A cell that can't be computed, and why: only the paper's value is shown."""

    reason: str


@dataclass(frozen=True)
class Holm:
    """The Holm-corrected p value of a cell within a family of cells of the same table."""

    cell: tuple[str, str]
    family: tuple[tuple[str, str], ...]


SampleSpec = (
    JudgeAgainstHuman
    | HumanCeiling
    | Constant
    | JudgeDifference
    | RaterMatrix
    | Shift
    | WriterGroups
    | LinkedPairs
    | RaterPairs
    | Ledger
    | Listing
    | ItemText
    | Stated
    | NotAtHand
    | StatusCount
    | ParseExample
    | Holm
    | Rescored
    | Contrast
    | Held
    | Evidence
    | Decided
    | TitlePairs
)


@dataclass(frozen=True)
class Comparison:
    """How a cell may be compared with the paper's value.

    `same-ratings`: half a unit of the last printed digit. `new-sample`: a prediction interval for
    the paper's `published_n` items. `none`: not comparable, and why.
    """

    kind: Literal["same-ratings", "new-sample", "none"]
    published_n: int = 0
    reason: str = ""
    half_units: int = 1
    """Width of the comparison: 2 for a difference of two printed numbers."""


@dataclass(frozen=True)
class CellSpec:
    """One cell: where it stands, its metric, its sample, and how it compares with print."""

    row: str
    column: str
    block: str
    metric: str
    sample: SampleSpec
    format: str = ".2f"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    comparison: Comparison | None = None
    inferred: bool = False
    extra: str | None = None
    """Print this companion of the estimate (such as `p`) in place of its value."""
    resamples: int = 0
    """At least so many: no bootstrap p value is smaller than 2 over their number."""


@dataclass(frozen=True)
class Declaration:
    """A whole table: its cells in reading order, and how it is presented."""

    table: str
    cells: tuple[CellSpec, ...]
    description: Description
    printed_in: str | None = None
    """The paper's table that prints these values, `<study>_<table>`, where it is another."""

    @property
    def paper_table(self) -> str:
        """The table whose printed values stand beside the cells."""
        return self.printed_in or self.table

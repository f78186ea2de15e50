"""A number, or several that belong together, with the part it plays in an answer."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

from retrial.scoring.parsers.base import Status
from retrial.scoring.parsers.mentions import Kind, Mention

# Why a number is not a candidate; "" while it may still be one.
Role = Literal["", "scale", "reference", "odd", "count", "enumerator", "rejected"]


class Tier(IntEnum):
    """How strongly the wording says that a number is the rating; lower is stronger."""

    FINAL = 0  # "final rating: 4", [[4]], \boxed{4}
    LABEL = 1  # "Rating: 4", {"score": 4}
    CLAIM = 2  # "I would rate it 4", "fluency score: 4", "it deserves a 4"
    FORM = 3  # "4/5", four stars, a line that is only "4", an answer that opens with "4."
    HINT = 4  # "a 4", "Grammar: 4", "..., 4."
    RUBRIC = 5  # "Score 5: superb": a line of the question's rubric, or else an answer


@dataclass(slots=True)
class Unit:
    """One candidate: its value, or the status that stands in its place.

    ``start`` and ``end`` are the extent in the folded text, denominator and range included;
    ``number`` is the extent of the number itself. ``explicit`` tells that the scale's upper end
    stands beside it (4/5); ``share`` is the fraction of the whole (0.8) where one is stated.
    ``lead`` and ``revises`` mark a number that opens the answer and one that takes an earlier
    number back ("no, a 4"). ``parts`` are the numbers of a range or a list, ``ends`` the least
    and the greatest of them.
    """

    value: float
    start: int
    end: int
    number: tuple[int, int]
    kind: Kind
    status: Status = "ok"
    explicit: bool = False
    share: float | None = None
    role: Role = ""
    tier: Tier | None = None
    lead: bool = False
    revises: bool = False
    approximate: bool = False
    parts: list["Unit"] = field(default_factory=list)
    ends: tuple[float, float] = field(init=False)

    def __post_init__(self) -> None:
        """A single number is its own least and greatest part."""
        self.ends = (self.value, self.value)

    @property
    def outcome(self) -> tuple[Status, float | None]:
        """What two candidates must share in order to agree."""
        return (self.status, self.value if self.status == "ok" else None)


def from_mention(mention: Mention, scale: tuple[float, float]) -> Unit:
    """The unit of a single number; percentages and odd rows of stars are on another scale."""
    low, high = scale
    unit = Unit(
        mention.value,
        mention.start,
        mention.end,
        (mention.start, mention.end),
        mention.kind,
        role="odd" if mention.kind == "odd" else "",
    )
    if (mention.kind == "percent" and not (high == 100 and low in (0, 1))) or (
        mention.filled_of is not None and mention.filled_of != high
    ):
        unit.status = "other_scale"
    elif mention.value != mention.value:
        unit.status = "ambiguous"
    elif not low <= mention.value <= high:
        unit.status = "off_scale"
    if mention.kind == "percent":
        unit.share = mention.value / 100
    unit.explicit = mention.filled_of == high
    return unit

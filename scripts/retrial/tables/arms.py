"""Samples of comparisons: arms set against each other, claims of a paper and their verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from retrial.tables.selection import each

if TYPE_CHECKING:
    from retrial.consistency.claims import Claim
    from retrial.tables.declare import JudgeAgainstHuman


@dataclass(frozen=True)
class Rescored:
    """A judge against people, its scores taken again from the answers.

    The score is the expectation over the `top_k` likeliest ratings (jia2024 section 3, Eq. 2).
    `answers` holds one file for each selection of the judge, in the same order.
    """

    pairs: JudgeAgainstHuman
    answers: tuple[str, ...]
    top_k: int


@dataclass(frozen=True)
class Arm:
    """One arm of a comparison; `judge_rule` says when its score is a defect, if not as usual."""

    pairs: JudgeAgainstHuman | Rescored
    judge_rule: str | None = None

    @property
    def judged(self) -> JudgeAgainstHuman:
        """Whose ratings are read."""
        return self.pairs.pairs if isinstance(self.pairs, Rescored) else self.pairs

    def facts(self) -> dict[str, Any]:
        """What tells arms apart, as a cell's parameters keep it."""
        judged = self.judged
        found: dict[str, Any] = {
            "judge": [{"file": part.file, **part.filter()} for part in each(judged.judge)],
            "label_rule": judged.label_rule,
            "replicates": judged.replicates,
        }
        if isinstance(self.pairs, Rescored):
            found["top_k"] = self.pairs.top_k
        return {**found, "judge_rule": self.judge_rule} if self.judge_rule else found


@dataclass(frozen=True)
class Match:
    """Arms against arms: the difference is the best of the first minus the best of the second."""

    first: tuple[Arm, ...]
    second: tuple[Arm, ...]

    def facts(self) -> dict[str, Any]:
        """Both sides, as a cell's parameters keep them."""
        sides = {"first": self.first, "second": self.second}
        return {name: [arm.facts() for arm in arms] for name, arms in sides.items()}


@dataclass(frozen=True)
class Contrast:
    """The mean over matches of their differences in a metric.

    Arms on the same human ratings are compared on the items that all of them scored; all arms of
    a resample see the same items.
    """

    matches: tuple[Match, ...]


@dataclass(frozen=True)
class Held:
    """In how many matches and metrics the first arms are above the second, as a text.

    `rules` are the parameters of the metrics that compare classes.
    """

    contrast: Contrast
    metrics: tuple[str, ...]
    rules: tuple[tuple[str, str | float], ...]


@dataclass(frozen=True)
class Evidence:
    """What a paper's printed tables say of a claim of its text: the sentence or the verdict."""

    claim: Claim
    part: Literal["evidence", "verdict"]


@dataclass(frozen=True)
class Decided:
    """The verdict on a claim from two cells of the table: the difference and its corrected p.

    `margin` is of claims that two things hardly differ: None where one is to be above the other.
    """

    difference: tuple[str, str]
    p: tuple[str, str]
    alpha: float
    margin: float | None = None

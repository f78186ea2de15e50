"""What each claim of jia2024 sections 5.1 to 5.5 compares on our own ratings."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from retrial.tables.arms import Arm, Contrast, Match
from retrial.tables.claims import NOT_COMPARABLE
from retrial.tables.jia2024_columns import CLASSIFICATION, CORRELATIONS
from retrial.tables.jia2024_lists import ZERO, Lists, NotListedError

SHOTS = ("1", "4")
RANDOM = tuple(f"Random-{k}" for k in SHOTS)
BM25 = tuple(f"BM25-{k}" for k in SHOTS)
BERT = tuple(f"BERT-{k}" for k in SHOTS)
SMALL, LARGE = "-sft-small", "-sft-large"

ALL = tuple(name.replace("_", "-") for name in (*CLASSIFICATION, *CORRELATIONS))
"""The 14 metrics of Tables 2 and 4."""
TUNED = (*CORRELATIONS, "defect-precision", "defect-recall", "defect-f1", "accuracy-likert")
"""Those of Table 3, F1-micro read as the accuracy of whole ratings."""
MICRO = ("accuracy-likert",)


@dataclass(frozen=True)
class Compared:
    """A contrast in words and as a sample."""

    words: str
    contrast: Contrast


class Comparison(Protocol):
    """How a claim is put to our own ratings."""

    def compared(self, lists: Lists) -> Compared:
        """The contrast. Raises NotListedError when the lists lack what it needs."""


@dataclass(frozen=True)
class Judges:
    """Judges of the names in print, asked without examples: the first above the second.

    `by_size`: where no pair is listed, the listed judges of known size stand in, each against the
    next smaller one.
    """

    pairs: tuple[tuple[str, str], ...]
    by_size: bool = False

    def compared(self, lists: Lists) -> Compared:
        """See Comparison."""
        zero = lists.condition_named(ZERO)
        found = [p for p in self.pairs if all(lists.has_judge(label) for label in p)]
        pairs = [(lists.judge_named(a), lists.judge_named(b)) for a, b in found]
        if not pairs and self.by_size:
            pairs = list(_sizes(lists))
        if not pairs:
            missing = [a for p in self.pairs[:1] for a in p if not lists.has_judge(a)]
            raise NotListedError(f"judge {' and '.join(missing)} not in the table's lists")
        matches = [Match((lists.arm(a, zero),), (lists.arm(b, zero),)) for a, b in pairs]
        named = [f"{lists.judge_label(a)} against {lists.judge_label(b)}" for a, b in pairs]
        return Compared("; ".join(named), Contrast(tuple(matches)))


def _sizes(lists: Lists) -> Iterator[tuple[str, str]]:
    """Each judge that is no tuned one, with the next smaller one."""
    plain = [j for j in lists.judges if not lists.judge_label(j).endswith((SMALL, LARGE))]
    sized = [(size, j) for j in plain if (size := lists.size(j))]
    for (small, first), (large, second) in pairwise(sorted(sized)):
        if large > small:
            yield second, first


@dataclass(frozen=True)
class Tuning:
    """Tuned judges against others of the same base, asked without examples.

    Endings of labels, as in print: "" is the judge before tuning. The best of `first` against the
    best of `second`, or with `each` every one of the first against every one of the second.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    bases: tuple[str, ...] = ()
    each: bool = True

    def compared(self, lists: Lists) -> Compared:
        """See Comparison."""
        zero = lists.condition_named(ZERO)
        matches: list[Match] = []
        names: list[str] = []
        for base in self.bases or _bases(lists):
            one, two = (_listed(lists, base, ends, zero) for ends in (self.first, self.second))
            if one and two:
                matches += _pairs(one, two) if self.each else [Match(tuple(one), tuple(two))]
                names.append(base)
        if not matches:
            first, second = (_words(ends) for ends in (self.first, self.second))
            whose = f" of {' or '.join(self.bases)}" if self.bases else ""
            raise NotListedError(f"no judge{whose} {first} beside one {second} in the lists")
        words = f"{_words(self.first)} against {_words(self.second)}: {', '.join(names)}"
        return Compared(words, Contrast(tuple(matches)))


def _bases(lists: Lists) -> list[str]:
    labels = (lists.judge_label(judge) for judge in lists.judges)
    return list(dict.fromkeys(x.removesuffix(SMALL).removesuffix(LARGE) for x in labels))


def _listed(lists: Lists, base: str, ends: tuple[str, ...], condition: str) -> list[Arm]:
    labels = [base + end for end in ends if lists.has_judge(base + end)]
    return [lists.arm(lists.judge_named(label), condition) for label in labels]


def _words(ends: tuple[str, ...]) -> str:
    names = {"": "untuned", SMALL: "tuned on the small set", LARGE: "tuned on the large set"}
    return " or ".join(names[end] for end in ends)


@dataclass(frozen=True)
class Conditions:
    """Conditions of one judge, within each dataset, by the labels in print.

    `groups` are pairs of labels: the best of the first against the best of the second. What is not
    listed is left out of a group. `sets` are the datasets named; none means all that are listed,
    pooled where `pooled`.
    """

    groups: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    sets: tuple[str, ...] = ()
    pooled: bool = False

    def compared(self, lists: Lists) -> Compared:
        """See Comparison."""
        listed = {lists.label(c).lower() for c in lists.conditions}
        kept = [
            tuple(tuple(x for x in side if x.lower() in listed) for side in g) for g in self.groups
        ]
        kept = [group for group in kept if all(group)]
        if not kept:
            needed = dict.fromkeys(x for g in self.groups for side in g for x in side)
            lacking = ", ".join(x for x in needed if x.lower() not in listed)
            raise NotListedError(f"conditions not in the table's lists: {lacking}")
        judge = lists.main_judge(dict.fromkeys(x for g in kept for side in g for x in side))
        named = [lists.dataset_named(label) for label in self.sets] or lists.datasets
        sets: list[str | None] = [None] if self.pooled else [*named]
        matches = [
            Match(*(tuple(_arms(lists, judge, side, dataset)) for side in group))
            for dataset in sets
            for group in kept
        ]
        return Compared(_told(lists, judge, kept, named), Contrast(tuple(matches)))


def _arms(lists: Lists, judge: str, labels: tuple[str, ...], dataset: str | None) -> Iterator[Arm]:
    for label in labels:
        yield lists.arm(judge, lists.condition_named(label), dataset)


def _told(
    lists: Lists, judge: str, groups: list[tuple[tuple[str, ...], ...]], sets: list[str]
) -> str:
    where = ", ".join(lists.dataset_label(dataset) for dataset in sets)
    return f"{lists.judge_label(judge)} on {where}: {_grouped(groups)}"


def _grouped(groups: list[tuple[tuple[str, ...], ...]]) -> str:
    """The groups in words; those with the same second side share it."""
    shared: dict[tuple[str, ...], list[str]] = {}
    for first, second in groups:
        shared.setdefault(second, []).append(_best(first))
    return "; ".join(f"{_each(firsts)} against {_best(two)}" for two, firsts in shared.items())


def _each(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"each of {', '.join(names)}"


def _best(side: tuple[str, ...]) -> str:
    return side[0] if len(side) == 1 else f"the best of {', '.join(side)}"


@dataclass(frozen=True)
class Nothing:
    """A claim that no comparison of judges or conditions can decide, and why."""

    why: str
    verdict: str = NOT_COMPARABLE

    def compared(self, lists: Lists) -> Compared:
        """See Comparison."""
        raise NotListedError(self.why)


def _pairs(one: list[Arm], two: list[Arm]) -> list[Match]:
    return [Match((a,), (b,)) for a in one for b in two]

"""How the claims of jia2024 sections 5.1 to 5.5 are put to our own ratings, by claim id."""

from dataclasses import dataclass

from retrial.tables.claims import NOT_RUN
from retrial.tables.jia2024_columns import CORRELATIONS
from retrial.tables.jia2024_compared import (
    ALL,
    BERT,
    BM25,
    LARGE,
    MICRO,
    RANDOM,
    SMALL,
    TUNED,
    Comparison,
    Conditions,
    Judges,
    Nothing,
    Tuning,
)
from retrial.tables.jia2024_lists import ZERO

SETS = ("CCPE", "MWOZ", "Redial", "SGD")
FEW = (*RANDOM, *BM25, *BERT)
LITTLE = 0.02
"""How far two correlations may lie apart that the text calls alike: twice the last digit."""


@dataclass(frozen=True)
class Tested:
    """What is compared, the metric that decides, and those that are counted beside it.

    `margin`: the claim says that both hardly differ.
    """

    comparison: Comparison
    metric: str = "spearman"
    counted: tuple[str, ...] = CORRELATIONS
    margin: float | None = None


SERIES = (
    ("Alpaca-13b", "Alpaca-7b"),
    ("Llama-13b", "Llama-7b"),
    ("Llama-30b", "Llama-13b"),
    ("Falcon-40b-instruct", "Falcon-7b-instruct"),
)
BEST_OF_ALL = "macro-f1"
"""Decides claims about all metrics together, as twelve of the fourteen are of classes."""


def _best(first: tuple[str, ...], second: tuple[str, ...], sets: tuple[str, ...]) -> Tested:
    return Tested(Conditions(((first, second),), sets), BEST_OF_ALL, ALL)


def _each(pairs: tuple[tuple[str, str], ...], sets: tuple[str, ...] = ()) -> Tested:
    groups = tuple(((a,), (b,)) for a, b in pairs)
    return Tested(Conditions(groups, sets), BEST_OF_ALL, ALL)


ONE_AND_FOUR = tuple(zip((RANDOM[0], BM25[0], BERT[0]), (RANDOM[1], BM25[1], BERT[1]), strict=True))
SAME_COUNT = tuple(zip((*BM25, *BERT), (*RANDOM, *RANDOM), strict=True))

SIZE = {
    "larger-is-better": Tested(Judges(SERIES, by_size=True)),
    "falcon-gain": Tested(Judges(SERIES[3:]), counted=("spearman",)),
    "alpaca-marginal": Tested(Judges(SERIES[:1]), margin=LITTLE),
    "llama-flat": Tested(Judges(SERIES[1:3]), margin=LITTLE),
    "instruction-tuned-better": Tested(
        Judges((("Alpaca-7b", "Llama-7b"), ("Alpaca-13b", "Llama-13b")))
    ),
    "alpaca-13b-gain": Tested(Judges((("Alpaca-13b", "Llama-13b"),)), counted=("spearman",)),
}
IN_CONTEXT = {
    "few-shot-better": _each(tuple((few, ZERO) for few in FEW)),
    "best-in-few-shot": _best(FEW, (ZERO,), SETS[:3]),
    "mwoz-all-few-shot": _best(FEW, (ZERO,), ("MWOZ",)),
    "more-is-not-always-better": _each(ONE_AND_FOUR),
    "redial-4-not-above-1": _each(ONE_AND_FOUR, ("Redial",)),
    "sgd-zero-shot": _each(tuple((ZERO, few) for few in FEW), ("SGD",)),
    "sgd-longest": Tested(Nothing("about the length of dialogues, not about a judge of them")),
    "algorithm-beats-random": _each(SAME_COUNT),
    "algorithms-always-best": _best((*BM25, *BERT), (*RANDOM, ZERO), ()),
    "ccpe-85-percent": _best((*BM25, *BERT), (*RANDOM, ZERO), ("CCPE",)),
    "bm25-excels": _best(BM25, (*RANDOM, *BERT), SETS[:2]),
    "bert-excels": _best(BERT, (*RANDOM, *BM25), ("Redial",)),
}
TUNING = {
    "tuning-raises-correlations": Tested(Tuning((SMALL, LARGE), ("",))),
    "tuning-raises-all": Tested(Tuning((SMALL, LARGE), ("",)), "defect-f1", TUNED),
    "falcon-48-percent": Tested(
        Tuning((LARGE,), ("",), ("Falcon-40b-instruct",)), counted=("spearman",)
    ),
    "tuning-raises-micro": Tested(Tuning((SMALL, LARGE), ("",)), MICRO[0], MICRO),
    "llama-7b-75-percent": Tested(Tuning((SMALL,), ("",), ("Llama-7b",)), MICRO[0], MICRO),
    "larger-set-better": Tested(Tuning((LARGE,), (SMALL,)), "defect-f1", TUNED),
    "best-correlation-large-set": Tested(Tuning((LARGE,), ("", SMALL), each=False)),
    "small-set-better-micro": Tested(Tuning((SMALL,), (LARGE,)), MICRO[0], MICRO),
    "llama-13b-15-percent": Tested(Tuning((SMALL,), (LARGE,), ("Llama-13b",)), MICRO[0], MICRO),
    "llama-all-defect": Tested(Nothing("states two printed numbers: no order and no gain")),
}
ORDER = (("Analysis-first",), ("Rating-first",))
ORDERS = {
    "analysis-first-consistent": Tested(Conditions((ORDER,), pooled=True), BEST_OF_ALL, ALL),
    "analysis-first-85-percent": Tested(Conditions((ORDER,), pooled=True), BEST_OF_ALL, ALL),
    "analysis-first-aligned": Tested(
        Nothing("no reading takes the rating that an answer's reasons state", NOT_RUN)
    ),
}
TESTED = {**SIZE, **IN_CONTEXT, **TUNING, **ORDERS}

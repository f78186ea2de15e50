"""The open choices of jia2024, each with its alternatives, for one condition of one judge."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from retrial.metrics.labels import RULES
from retrial.scoring.logits import READINGS
from retrial.tables.arms import Arm, Rescored
from retrial.tables.declare import JudgeAgainstHuman, Selection
from retrial.tables.jia2024 import Ask
from retrial.tables.jia2024_lists import Lists
from retrial.tables.selection import each

JUDGE_RULES = ("le-3", "lt-3.5", "round")
PARSERS = ("robust", "chiang2023")
TOP_K = (1, 2, 3, 4, 5)
HEADLINES = ("Zero-shot", "BM25-4")
"""Labels of the conditions whose numbers are varied, where they are listed."""
BY_CONDITION = {"okapi": "BM25 variant", "generation": "scoring method"}
"""What a condition `<condition>-<ending>` varies, by its ending."""
CONTEXT = "context budget"


@dataclass(frozen=True)
class Alternative:
    """One alternative of a choice: as an arm, or the reason why it was not run."""

    choice: str
    name: str
    arm: Arm | None = None
    reason: str = ""


def default_arm(lists: Lists, ask: Ask) -> Arm:
    """The judge in a condition under the configuration's choices, on the pooled datasets."""
    pairs = JudgeAgainstHuman(
        lists.pooled_judge(ask), lists.pooled_human(), lists.label_rule, "mean-of-metrics"
    )
    return Arm(pairs)


def alternatives(lists: Lists, ask: Ask) -> Iterator[Alternative]:
    """Every other alternative of every choice that bears on the condition."""
    usual = default_arm(lists, ask).judged
    for rule in RULES:
        if rule != lists.label_rule:
            yield Alternative("label rule", rule, Arm(replace(usual, label_rule=rule)))
    for rule in JUDGE_RULES:
        if rule != lists.judge_rule:
            yield Alternative("judge rule", rule, Arm(usual, rule))
    yield from readings(lists, ask)
    yield from random_draws(lists, ask)
    yield from _conditions(lists, ask)
    yield from _contexts(lists, ask)


def random_draws(lists: Lists, ask: Ask) -> Iterator[Alternative]:
    """The mean rating over several draws of the examples, where there are several."""
    if lists.job["replicates"].get(ask.condition, 1) > 1:
        usual = default_arm(lists, ask).judged
        arm = Arm(replace(usual, replicates="mean-rating"))
        yield Alternative("random draws", "metric of the mean rating", arm)


def is_generated(lists: Lists, condition: str) -> bool:
    """Whether answers of the condition are free text."""
    return bool(lists.job["conditions"][condition].get("method") == "generation")


def readings(lists: Lists, ask: Ask) -> Iterator[Alternative]:
    """Other ways to take a score from the same answers: parsers of text, readings and K."""
    usual = default_arm(lists, ask).judged
    reading = lists.reading(ask.condition)
    generated = is_generated(lists, ask.condition)
    for other in PARSERS if generated else READINGS:
        if other != reading:
            choice = "parser" if generated else "reading of Eq. 2"
            yield Alternative(choice, other, Arm(replace(usual, judge=_read(usual, other))))
    if not generated and reading == "expectation":
        for top_k in TOP_K:
            arm = Arm(Rescored(usual, lists.answers(ask), top_k))
            yield Alternative("K of Eq. 2", str(top_k), arm)


def _read(usual: JudgeAgainstHuman, reading: str) -> tuple[Selection, ...]:
    """The judge's selections with another reading of the same answers."""
    return tuple(
        replace(part, where=tuple((n, reading if n == "reading" else v) for n, v in part.where))
        for part in each(usual.judge)
    )


def _conditions(lists: Lists, ask: Ask) -> Iterator[Alternative]:
    """Conditions that differ from this one in one thing, named by the ending of their id."""
    for ending, choice in BY_CONDITION.items():
        bears = ask.condition.startswith("bm25") if ending == "okapi" else True
        if not bears or (ending == "generation" and is_generated(lists, ask.condition)):
            continue
        other = f"{ask.condition}-{ending}"
        asked = [a for a in lists.asks() if (a.judge, a.condition) == (ask.judge, other)]
        if asked:
            yield Alternative(choice, ending, default_arm(lists, asked[0]))
        else:
            yield Alternative(choice, ending, None, f"condition {other} is not in the lists")


def _contexts(lists: Lists, ask: Ask) -> Iterator[Alternative]:
    """The same model with another `context_tokens`: a judge `<judge>-<ending>`."""
    tuned = lists.job.get("tunings", {})
    others = [
        a
        for a in lists.asks()
        if a.judge.startswith(f"{ask.judge}-")
        and a.judge not in tuned
        and a.condition == ask.condition
    ]
    for other in others:
        yield Alternative(CONTEXT, lists.judge_label(other.judge), default_arm(lists, other))
    if not others:
        why = f"no judge {ask.judge}-<ending> with other context_tokens is asked this condition"
        yield Alternative(CONTEXT, "another", None, why)

"""chiang2023: statements of sections 3.3, 4.3 and 5, against printed and recomputed numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from retrial.consistency.claims import Claim, Outcome
from retrial.consistency.finding import Numbers, Verdict
from retrial.consistency.grid import Grid, MissingCellError

Recomputed = Mapping[tuple[str, str], float]

ATTRIBUTES = ("grammaticality", "cohesiveness", "likability", "relevance")
WRITERS = ("human-written", "gpt2")
CURIE, DAVINCI, CHATGPT = "text-curie-001", "text-davinci-003", "chatgpt"


def _recomputed(recomputed: Recomputed, row: str, column: str) -> float:
    if (row, column) not in recomputed:
        raise MissingCellError(
            f"recomputed[{row}, {column}] is not given; recompute it from the released answers"
        )
    return recomputed[row, column]


def writer_gap(recomputed: Recomputed, judge: str, attribute: str) -> float:
    """Mean of human-written minus mean of GPT-2 stories, in rating points.

    Raises MissingCellError when a mean is not given.
    """
    human, gpt2 = (_recomputed(recomputed, f"{judge} / {w}", f"{attribute}_mean") for w in WRITERS)
    return human - gpt2


def _prefers_human(judge: str, recomputed: Recomputed, expected: bool) -> Callable[[Grid], Outcome]:
    """A check that all four gaps are above 0 (`expected`), or that they are not."""

    def check(_: Grid) -> Outcome:
        gaps = {a: writer_gap(recomputed, judge, a) for a in ATTRIBUTES}
        above = sum(gap > 0 for gap in gaps.values())
        verdict: Verdict = "supported" if (above == len(gaps)) is expected else "contradicted"
        shown = ", ".join(f"{a} {gap:+.4f}" for a, gap in gaps.items())
        numbers: Numbers = {f"{a}_gap": gap for a, gap in gaps.items()}
        detail = f"Recomputed gaps, signs only: {shown}."
        return Outcome(verdict, detail, {**numbers, "above_0": above})

    return check


def _attacks_rated_higher(grid: Grid) -> Outcome:
    gaps = {
        row: grid.value("table4", row, "fluency_chatgpt")
        - grid.value("table4", row, "fluency_teachers")
        for row in grid.rows("table4")
        if row != "benign"
        and grid.has("table4", row, "fluency_chatgpt")
        and grid.has("table4", row, "fluency_teachers")
    }
    if not gaps:
        raise MissingCellError("table4 has no attack with both fluency means at hand")
    lower = tuple(row for row, gap in gaps.items() if gap < 0)
    shown = ", ".join(f"{row} {gap:+.2f}" for row, gap in gaps.items())
    verdict: Verdict = "contradicted" if lower else "supported"
    detail = f"ChatGPT minus teachers in fluency: {shown} ({len(gaps)} attack(s) at hand)."
    numbers: Numbers = {row: round(gap, 9) for row, gap in gaps.items()}
    return Outcome(verdict, detail, numbers, tuple(gaps), ("fluency_chatgpt", "fluency_teachers"))


def _equal_pairs(table: str, column: str) -> Callable[[Grid], Outcome]:
    """A check that pairs of equal titles got 5, the top of the scale, on average."""

    def check(grid: Grid) -> Outcome:
        low, high = grid.box(table, "benign", column)
        verdict: Verdict = "supported" if low <= 5 <= high else "suspicious"
        printed = grid.cell(table, "benign", column).printed
        numbers: Numbers = {"printed": grid.value(table, "benign", column)}
        detail = f"Equal pairs got {printed} of 5 on average."
        return Outcome(verdict, detail, numbers, ("benign",), (column,))

    return check


def _cheaper(grid: Grid) -> Outcome:
    people = grid.value("cost", "teacher", "us_dollars_200_stories")
    model = grid.value("cost", DAVINCI, "us_dollars_less_than")
    verdict: Verdict = "supported" if model < people else "contradicted"
    detail = f"{people:.0f} dollars against less than {model:.0f}: over {people / model:.0f} times."
    numbers: Numbers = {"teacher": people, "model_below": model, "ratio_above": people / model}
    return Outcome(verdict, detail, numbers, ("teacher", DAVINCI), ())


def claims(recomputed: Recomputed) -> tuple[Claim, ...]:
    """The claims; those on preferences between the writers need recomputed means."""
    return (*_writer_claims(recomputed), *_ATTACK_CLAIMS, *_COST_CLAIMS)


def _writer_claims(recomputed: Recomputed) -> tuple[Claim, ...]:
    def claim(name: str, statement: str, judge: str, expected: bool) -> Claim:
        return Claim(name, "3.3", "table1", statement, _prefers_human(judge, recomputed, expected))

    higher = "rates human-written stories higher in all four attributes."
    return (
        claim("davinci-prefers-human", f"text-davinci-003 {higher}", DAVINCI, True),
        claim("chatgpt-prefers-human", f"ChatGPT {higher}", CHATGPT, True),
        claim("curie-no-preference", "text-curie-001 has no clear preference.", CURIE, False),
        claim("t0-no-preference", "T0 has no clear preference.", "t0", False),
    )


_ATTACK_CLAIMS = (
    Claim(
        "chatgpt-above-teachers",
        "4.3",
        "table4",
        "ChatGPT rates attacked titles higher than the teachers do.",
        _attacks_rated_higher,
    ),
    Claim(
        "chatgpt-knows-equal-pairs",
        "4.3",
        "table4",
        "ChatGPT sees that equal titles mean the same.",
        _equal_pairs("table4", "meaning_chatgpt"),
    ),
    Claim(
        "davinci-knows-equal-pairs",
        "4.3",
        "table11",
        "The same of text-davinci-003, for which the paper does not state it.",
        _equal_pairs("table11", f"meaning_{DAVINCI}"),
    ),
)

_COST_CLAIMS = (
    Claim("model-is-cheaper", "5", "cost", "A model costs less than a teacher.", _cheaper),
)

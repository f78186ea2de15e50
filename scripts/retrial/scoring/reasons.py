"""Whether the reasons of an answer state the rating that it gives (jia2024, section 5.5).

Only what the reasons say in numbers counts: "I would give it 4 out of 5" beside "Rating: 3".
"""

from typing import Literal

from retrial.scoring.parsers import mentions, wording
from retrial.scoring.parsers.combine import combine
from retrial.scoring.parsers.fold import fold
from retrial.scoring.parsers.order import conclusion
from retrial.scoring.parsers.roles import classify
from retrial.scoring.parsers.units import Tier, Unit

Agreement = Literal["agrees", "differs", "none stated"]

SAME = 1e-9
"""Ratings that are nearer than this are one."""


def reasons_agree(
    text: str,
    score: float | None,
    span: tuple[int, int] | None,
    scale: tuple[float, float] = (1, 5),
) -> Agreement:
    """The rating stated elsewhere in the answer, against the score that was read at `span`.

    `span` counts characters of `text`. A statement is a labelled number, one that a verb of
    rating governs, or one beside the top of the scale (4/5). Where statements differ among
    themselves (aspects rated apart), labels count, else the one that concludes, else none.
    What follows a new prompt of the answer's own making is no reason. Without a score, or with
    statements that stay apart: none stated.
    """
    if score is None or span is None:
        return "none stated"
    stated = {unit.value for unit in _statements(text, span, scale)}
    if len(stated) != 1:
        return "none stated"
    return "agrees" if abs(stated.pop() - score) < SAME else "differs"


def _statements(text: str, span: tuple[int, int], scale: tuple[float, float]) -> list[Unit]:
    folded = fold(text)
    combined = combine(folded.text, list(mentions.find(folded.text)), scale)
    classify(folded.text, combined.units)
    read = [u for u in combined.units if _overlap(folded.span(u.start, u.end), span)]
    behind = max((unit.end for unit in read), default=0)
    new_prompt = wording.NEW_PROMPT.search(folded.text, behind) if read else None
    end = new_prompt.start() if new_prompt else len(folded.text)
    others = [u for u in combined.units if u not in read and u.start < end and _states(u)]
    labelled = [u for u in others if u.tier is not None and u.tier <= Tier.LABEL]
    return labelled or conclusion(folded.text, others)


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _states(unit: Unit) -> bool:
    if unit.tier is None or unit.status != "ok":
        return False
    return unit.tier <= Tier.CLAIM or (unit.tier == Tier.FORM and unit.explicit)

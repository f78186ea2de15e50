"""Where the rating of an answer with reasons stands: before them, or after them.

The two orders of jia2024, section 5.5. Numbers on the other side belong to the reasons: they may
differ from the rating, and then say that reasons and rating disagree, not that there is none.
"""

import re
from collections.abc import Sequence
from typing import Final

from retrial.scoring.parsers.regex import BACK, any_of, before, folded
from retrial.scoring.parsers.units import Tier, Unit

_SENTENCE_END: Final = re.compile(r"\n|[.!?;](?=[\s\"')\]]+[A-Z\"'(\[]|\s*\Z)")
_CONCLUDES: Final = folded(
    "\\b"
    + any_of(
        "overall final(?:ly)? in_conclusion conclud\\w* in_sum(?:mary)? to_sum altogether",
        "therefore thus hence so accordingly all_in_all on_balance in_total as_a_whole",
        "consequently taken_together based_on considering taking_everything my_rating the_rating",
        "given_(?:all|this|these|the)",
    )
    + r"\b[^\n.!?]*\Z"
)
_BARE: Final = re.compile(r"[^\w\n]*\Z")


def opening(text: str, candidates: Sequence[Unit]) -> list[Unit]:
    """The candidates up to the end of the sentence or line that holds the first clear one."""
    first = next((u for u in candidates if u.tier is not None and u.tier <= Tier.FORM), None)
    if first is None:
        return list(candidates)
    end = _SENTENCE_END.search(text, first.end)
    limit = end.start() if end else len(text)
    return [unit for unit in candidates if unit.start <= limit]


def conclusion(text: str, candidates: Sequence[Unit]) -> list[Unit]:
    """Without the numbers of the analysis, where a later one is said to conclude it.

    Labels stay: it is not for a remark behind "Rating: 4" to overrule it.
    """
    for place in reversed(range(len(candidates))):
        last = candidates[place]
        if last.tier is not None and last.tier <= Tier.FORM and _concludes(text, last):
            labels = [u for u in candidates[:place] if u.tier is not None and u.tier <= Tier.LABEL]
            return [*labels, *candidates[place:]]
    return list(candidates)


def concluded(text: str, chosen: Unit) -> bool:
    """Whether an answer that was cut had come to its rating, not only to its analysis."""
    return chosen.tier is not None and (chosen.tier <= Tier.CLAIM or _concludes(text, chosen))


def _concludes(text: str, unit: Unit) -> bool:
    """Whether the wording says so, or the number alone is the last line."""
    if unit.tier is not None and unit.tier <= Tier.LABEL:
        return False  # the last label is the rating as it is
    earlier = before(text, unit.start)
    line = earlier.rpartition("\n")[2]
    alone = len(line) < BACK and not any(char.isalnum() for char in line)
    return bool(_CONCLUDES.search(earlier) or (alone and _BARE.match(text, unit.end)))

"""The parser for live judges: reads a rating only where the wording leaves no doubt.

Three passes: find every number (``mentions``), join those that belong together and set the
scale's own numbers apart (``combine``), tell what each of the rest is and how strongly the
wording says that it is the rating (``roles``). Then the decision, here. No number is rounded,
clipped or converted, and two candidates that nothing decides between give ``ambiguous``.
"""

from collections.abc import Sequence
from typing import Final

from retrial.scoring.parsers import mentions, nonratings, wording
from retrial.scoring.parsers.base import Order, Parsed, Status
from retrial.scoring.parsers.combine import combine
from retrial.scoring.parsers.fold import Folded, fold
from retrial.scoring.parsers.order import concluded, conclusion, opening
from retrial.scoring.parsers.regex import AHEAD, after
from retrial.scoring.parsers.roles import classify
from retrial.scoring.parsers.units import Tier, Unit

_BESIDE: Final = 3  # characters between a rating and another form of it
_DECLINED: Final = ("refusal", "content_filter")
_WHY: Final[dict[Status, str]] = {
    "range": "a range or a bound stands for the rating",
    "other_scale": "the rating is given on another scale",
    "off_scale": "the rating lies outside the scale",
    "ambiguous": "different numbers could be the rating",
}


class Robust:
    """Reads free-text ratings and gives a reason wherever there is none.

    Rules of decision, strongest wording first (see ``Tier``):

    - the last final rating wins over all else, and the last label ("Rating: 4") over what is
      not labelled; an earlier label that differs is flagged ``revised``. Labels that differ
      under the points of a numbered list rate different things: ambiguous.
    - claims, forms and hints must agree among themselves; a claim and a form that differ are
      ambiguous, and so is a number that takes an earlier one back ("a 3 ... no, a 4").
    - a rating on a stated other scale, a range or a bound has no value; nothing is converted.
    - a known ``order`` sets the numbers of the reasons apart (see ``order``).
    - with ``finish_reason`` "length", a number that the cut text ends with may have gone on
      (4 or 4.5, 3 or 3-4) and a weak hint may precede the rating proper: truncated.
    """

    id = "robust"
    version = 2

    def __call__(
        self,
        text: str,
        *,
        task: str = "story",
        finish_reason: str | None = None,
        scale: tuple[float, float] = (1, 5),
        order: Order | None = None,
    ) -> Parsed:
        """Read one answer; "title 1" and "title 2" name titles whatever the ``task``."""
        folded = fold(text)
        combined = combine(folded.text, list(mentions.find(folded.text)), scale)
        classify(folded.text, combined.units)
        candidates = [unit for unit in combined.units if unit.tier is not None]
        flags: set[str] = set()
        candidates = _drop_same_shares(_drop_new_prompt(folded.text, candidates, flags))
        candidates = _in_order(folded.text, candidates, order)
        if not candidates:
            return _without_candidate(text, folded, combined.units, finish_reason)
        chosen, conflict = _decide(candidates, combined.units, flags)
        cut = finish_reason == "length"
        if combined.other_scale and not chosen.explicit:
            chosen.status = "other_scale"
        span = folded.span(*chosen.number)
        if cut and order == "analysis-first" and not concluded(folded.text, chosen):
            return Parsed(None, "truncated", span, "the answer was cut before its analysis ended")
        if conflict:
            return Parsed(None, "ambiguous", None, conflict)
        if cut and _may_go_on(folded.text, chosen) and not _said_before(chosen, candidates):
            return Parsed(None, "truncated", span, "the answer was cut where its rating may go on")
        if chosen.status != "ok":
            whole = folded.span(chosen.start, chosen.end)
            return Parsed(None, chosen.status, whole, _WHY[chosen.status])
        if cut:
            flags.add("answer-cut")
        return _accept(chosen, candidates, span, flags)


def _accept(
    chosen: Unit, candidates: Sequence[Unit], span: tuple[int, int], flags: set[str]
) -> Parsed:
    if any(unit.outcome != chosen.outcome for unit in candidates) and "revised" not in flags:
        flags.add("other-numbers")
    if chosen.value * 2 != int(chosen.value * 2):
        flags.add("finer-than-half")
    if chosen.approximate:
        flags.add("approximate")
    if chosen.lead:
        flags.add("lead-number")
    assert chosen.tier is not None
    reason = f"read from a {chosen.tier.name.lower()}"
    return Parsed(float(chosen.value), "ok", span, reason, tuple(sorted(flags)))


def _without_candidate(
    text: str, folded: Folded, units: Sequence[Unit], finish_reason: str | None
) -> Parsed:
    """The status of an answer in which no number can be the rating."""
    if finish_reason in _DECLINED or nonratings.REFUSAL.search(folded.text):
        return Parsed(None, "refusal", None, "the judge declined to rate")
    if finish_reason == "length" or folded.unfinished_thought:
        return Parsed(None, "truncated", None, "the answer was cut before a rating")
    if not folded.text.strip():
        return Parsed(None, "empty", None, "the answer is empty")
    if any(unit.role == "rejected" for unit in units):
        return Parsed(None, "no_number", None, "every number is turned down or hypothetical")
    if units:
        return Parsed(None, "no_number", None, "no number stands for a rating")
    return Parsed(None, "no_number", None, "no number in the answer")


def _drop_new_prompt(text: str, candidates: list[Unit], flags: set[str]) -> list[Unit]:
    """Candidates before the line where a base model starts to write the next prompt."""
    best = next((unit for unit in candidates if _settles(unit)), None)
    found = wording.NEW_PROMPT.search(text, best.end) if best is not None else None
    if found is None:
        return candidates
    kept = [unit for unit in candidates if unit.start < found.start()]
    if len(kept) < len(candidates):
        flags.add("ran-on")
    return kept


def _drop_same_shares(candidates: Sequence[Unit]) -> list[Unit]:
    """Leave out what only says a fraction of the scale once more: 4/5 = 80 % = 0.8."""
    shares = {unit.share for unit in candidates if unit.explicit and unit.share is not None}
    return [
        unit
        for unit in candidates
        if unit.explicit
        or unit.status not in ("other_scale", "off_scale")
        or (unit.value if unit.share is None else unit.share) not in shares
    ]


def _in_order(text: str, candidates: list[Unit], order: Order | None) -> list[Unit]:
    """Candidates that the known order of rating and reasons leaves."""
    if order == "rating-first":
        return opening(text, candidates)
    return conclusion(text, candidates) if order == "analysis-first" else candidates


def _settles(unit: Unit) -> bool:
    assert unit.tier is not None
    return unit.tier <= Tier.CLAIM or (unit.tier == Tier.FORM and not unit.explicit)


def _decide(candidates: Sequence[Unit], units: Sequence[Unit], flags: set[str]) -> tuple[Unit, str]:
    """The unit that is the rating, and why it is not after all when others contradict it."""
    tiers: dict[Tier, list[Unit]] = {tier: [] for tier in Tier}
    for unit in candidates:
        assert unit.tier is not None
        tiers[unit.tier].append(unit)
    best = next(tier for tier in Tier if tiers[tier])
    same = tiers[best]
    chosen = same[-1] if best <= Tier.LABEL else same[0]
    differing = [unit for unit in same if unit.outcome != chosen.outcome]
    if differing and best > Tier.LABEL:
        return chosen, "several numbers are given as the rating"
    if differing:
        if _parts_a_list(units, differing[-1], chosen):
            return chosen, "the points of a list are rated differently"
        flags.add("revised")
    rivals = _rivals(chosen, tiers)
    if any(unit.outcome != chosen.outcome for unit in rivals):
        return chosen, "another number is given as the rating too"
    return chosen, ""


def _rivals(chosen: Unit, tiers: dict[Tier, list[Unit]]) -> list[Unit]:
    """Weaker candidates that may not contradict the chosen one."""
    assert chosen.tier is not None
    weaker = [unit for tier in Tier if tier > chosen.tier for unit in tiers[tier]]
    rivals = [unit for unit in weaker if unit.revises and unit.start > chosen.end]
    if chosen.tier <= Tier.LABEL:  # "Rating: (three stars) 4/5"
        near = (unit for unit in weaker if unit.explicit or unit.kind == "stars")
        rivals += [unit for unit in near if 0 <= unit.start - chosen.end <= _BESIDE]
    if chosen.tier == Tier.LABEL:
        rivals += [unit for unit in tiers[Tier.CLAIM] if unit.start > chosen.end]
    if chosen.tier == Tier.CLAIM:
        rivals += tiers[Tier.FORM]
    if chosen.tier == Tier.FORM:
        rivals += [unit for unit in tiers[Tier.HINT] if unit.status != "off_scale"]
    return rivals


def _parts_a_list(units: Sequence[Unit], earlier: Unit, chosen: Unit) -> bool:
    """Whether the two rate different points of a list; what follows the list rates the whole."""
    points = (unit for unit in units if unit.role == "enumerator")
    return any(earlier.end <= point.start < chosen.start for point in points)


def _may_go_on(text: str, chosen: Unit) -> bool:
    """Whether a cut text ends with the number, or rests on a hint that is no rating yet."""
    rest = after(text, chosen.end)
    ends_here = len(rest) < AHEAD and not any(char.isalnum() or char == "\n" for char in rest)
    ends_here |= bool(wording.CUT_RANGE_AFTER.fullmatch(rest))
    return (ends_here and not chosen.explicit) or chosen.tier in (Tier.HINT, Tier.RUBRIC)


def _said_before(chosen: Unit, candidates: Sequence[Unit]) -> bool:
    """Whether the same rating was given before in so many words, and was not cut there."""
    same = (u for u in candidates if u.tier == chosen.tier and u.end <= chosen.start)
    return any(unit.outcome == chosen.outcome for unit in same)


PARSER: Final = Robust()

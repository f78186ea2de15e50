"""Second pass of the robust parser: what each number is, and how strongly it is the rating."""

import re
from collections.abc import Sequence

from retrial.scoring.parsers import grouping, nonratings, wording
from retrial.scoring.parsers.combine import is_counted
from retrial.scoring.parsers.regex import AHEAD, BACK, after, before
from retrial.scoring.parsers.units import Role, Tier, Unit

_MASKED_ROLES = ("scale", "reference")


def mask(text: str, units: Sequence[Unit]) -> str:
    """The text with scale and reference numbers blanked, so that wordings read across them."""
    pieces: list[str] = []
    place = 0
    for unit in units:
        if unit.role in _MASKED_ROLES:
            pieces += [text[place : unit.start], " " * (unit.end - unit.start)]
            place = unit.end
    return "".join([*pieces, text[place:]])


def classify(text: str, units: Sequence[Unit]) -> None:
    """Set role and tier of every unit; ``text`` is the folded text, scale numbers included."""
    masked = mask(text, units)
    references = [unit.end for unit in units if unit.role == "reference"]
    floor = 0  # wordings do not reach back over a number that is itself a candidate
    reference = -BACK  # end of the latest reference before the unit
    previous: Tier | None = None  # tier of the latest candidate
    position = 0
    for unit in units:
        while position < len(references) and references[position] <= unit.start:
            reference = references[position]
            position += 1
        if unit.role:
            continue
        _classify_one(masked, unit, floor, reference, previous)
        if unit.tier is not None:
            floor, previous = unit.end, unit.tier
    _mark_enumerators(masked, units)


def _classify_one(text: str, unit: Unit, floor: int, reference: int, previous: Tier | None) -> None:
    earlier, later = before(text, unit.start, floor), after(text, unit.end)
    unit.revises = floor > 0 and bool(wording.CORRECTION.search(earlier))
    bound = wording.BOUND_BEFORE.search(earlier)
    if bound and not later.startswith(">"):  # "<4>" is no bound
        if not unit.parts:
            unit.status = "range"
        earlier = earlier[: bound.start()]
    elif wording.BOUND_AFTER.match(later):
        unit.status = "range"
    elif hedge := wording.APPROXIMATE_BEFORE.search(earlier):
        unit.approximate = True
        earlier = earlier[: hedge.start()] + (" a " if "a" in hedge.group().split() else "")
    if wording.OPEN_RANGE_AFTER.fullmatch(text[unit.end : unit.end + AHEAD]):
        unit.status = "ambiguous"
    unit.role = _disqualify(earlier, later, unit)
    if not unit.role:
        unit.tier = _tier(text, unit, earlier, floor, reference, previous)
        if unit.tier is None:
            unit.role = "count"


def _disqualify(earlier: str, later: str, unit: Unit) -> Role:
    """The role of a number that its surroundings rule out, else nothing."""
    if nonratings.DEDUCTION_BEFORE.search(earlier) or nonratings.DEDUCTION_AFTER.match(later):
        return "count"
    if nonratings.NOT_GIVEN_BEFORE.search(earlier) or nonratings.HYPOTHETICAL_BEFORE.search(
        earlier
    ):
        return "rejected"
    if nonratings.HYPOTHETICAL_AFTER.match(later):
        return "rejected"
    if unit.kind == "digits" and (
        nonratings.MONTH_BEFORE.search(earlier) or nonratings.MONTH_AFTER.match(later)
    ):
        return "odd"
    if nonratings.AGE_BEFORE.search(earlier):
        return "count"
    if unit.kind == "word" and unit.value == 1 and nonratings.ONE_RATING.match(later):
        return "" if nonratings.ARTICLE_BEFORE.search(earlier) else "count"
    if unit.kind == "word" and not unit.explicit and nonratings.PRONOUN_BEFORE.search(earlier):
        return "" if wording.LABEL_BEFORE.search(earlier) else "count"
    return ""


def _tier(
    text: str, unit: Unit, earlier: str, floor: int, reference: int, previous: Tier | None
) -> Tier | None:
    if wording.BOXED_BEFORE.search(earlier):
        return Tier.FINAL
    later = after(text, unit.end)
    alone = bool(
        wording.CLOSES_LINE.match(_skip_unit_word(later)) and wording.OPENS_LINE.search(earlier)
    )
    alone = alone and (floor > 0 or unit.start > BACK or not _has_words(text, unit.start))
    counted = is_counted(text, unit.end)
    place = unit.start - len(before(text, unit.start, floor))
    labelled = _label_tier(earlier, later, place, reference)
    if labelled is not None and not nonratings.COUNTED_NOUN.match(later):
        return None if unit.kind == "word" and counted and not unit.explicit else labelled
    if unit.explicit and not counted:
        return Tier.CLAIM if _claims(earlier) else Tier.FORM
    if counted:
        return None
    if _claims(earlier):
        return Tier.CLAIM
    if previous is not None and _continues(earlier, later):
        return previous
    if alone or unit.kind == "stars":
        return Tier.FORM
    if _opens(text, unit, earlier, floor):
        unit.lead = True
        return Tier.FORM
    if _is_year(unit) or nonratings.NAME_BEFORE.search(earlier):
        return None
    hint = wording.HINT_WORD_BEFORE if unit.kind == "word" else wording.HINT_BEFORE
    return Tier.HINT if hint.search(earlier) else None


def _continues(earlier: str, later: str) -> bool:
    """Whether the number goes on with what the one before it did: "grammar 4 and plot 3"."""
    if wording.CONTINUED_BEFORE.fullmatch(earlier):
        return True
    return bool(wording.PARALLEL_BEFORE.search(earlier) and wording.PARALLEL_AFTER.match(later))


def _has_words(text: str, end: int) -> bool:
    """Whether the line before this place holds a word (looked at within the window only)."""
    line = text[max(0, end - BACK) : end].rpartition("\n")[2]
    return any(char.isalnum() for char in line)


def _skip_unit_word(later: str) -> str:
    found = nonratings.UNIT_AFTER.match(later)
    return later[found.end() :] if found else later


def _opens(text: str, unit: Unit, earlier: str, floor: int) -> bool:
    """Whether the number opens the whole answer, as in "4. The story ..."."""
    if floor > 0 or unit.start > BACK or any(char.isalnum() for char in earlier):
        return False
    if unit.kind == "word" and unit.value == 1:
        return text[unit.end : unit.end + 1] in (".", ":", "\n")
    return True


def _is_year(unit: Unit) -> bool:
    return unit.kind == "digits" and 1000 <= unit.value < 3000


def _label_tier(earlier: str, later: str, place: int, reference: int) -> Tier | None:
    """The tier that a label before the number gives; ``place`` is where ``earlier`` starts."""
    found = wording.LABEL_BEFORE.search(earlier)
    if found is None:
        return Tier.CLAIM if wording.LABEL_FAR_BEFORE.search(earlier) else None
    qualifiers = wording.QUALIFIERS_BEFORE.search(earlier, 0, found.start())
    words = re.findall(r"[a-z'-]+", qualifiers.group().lower()) if qualifiers else []
    start = qualifiers.start() if qualifiers else found.start()
    if reference >= place + start - 3:
        return Tier.CLAIM  # "title 1 rating: 4" speaks of one thing among several
    if not found["link"].strip() and grouping.RUBRIC_ITEM_AFTER.match(later):
        return Tier.RUBRIC
    if found["label"].lower() == "final" or wording.FINAL_WORDS.intersection(words):
        return Tier.FINAL
    return Tier.LABEL if wording.PLAIN_WORDS.issuperset(words) else Tier.CLAIM


def _claims(earlier: str) -> bool:
    """Whether a verb of rating governs the number: "I would give it a 4"."""
    if wording.NO_CLAIM_BEFORE.search(earlier) or nonratings.NAME_BEFORE.search(earlier):
        return False
    found = wording.CLAIM_BEFORE.search(earlier)
    return found is not None and not wording.CLAUSE_WORDS.search(found["middle"])


def _mark_enumerators(text: str, units: Sequence[Unit]) -> None:
    """Numbers that only count the points of a list lose their tier.

    They are numbers that open lines: consecutive ones, or a single one before a short heading
    when another candidate exists.
    """
    listed = [
        unit for unit in units if unit.tier in (Tier.FORM, Tier.HINT) and _opens_item(text, unit)
    ]
    numbers = {unit.value for unit in units if _numbers_item(text, unit)}
    others = sum(unit.tier is not None for unit in units) > len(listed)
    for unit in listed:
        neighbours = {unit.value - 1, unit.value + 1} & numbers
        heading = others and wording.HEADING_AFTER.match(text, unit.end, unit.end + AHEAD)
        if (neighbours and 1 in numbers) or heading:
            unit.role, unit.tier = "enumerator", None


def _opens_item(text: str, unit: Unit) -> bool:
    if unit.explicit or unit.kind != "digits" or unit.parts or unit.value != int(unit.value):
        return False
    opens = wording.OPENS_ITEM.search(before(text, unit.start))
    return bool(opens and _numbers_item(text, unit))


def _numbers_item(text: str, unit: Unit) -> bool:
    """Whether the number is written as those of lists are: "2. " before a word."""
    if unit.explicit or unit.kind != "digits" or unit.parts:
        return False
    return bool(wording.ENUMERATOR_AFTER.match(text, unit.end, unit.end + AHEAD))

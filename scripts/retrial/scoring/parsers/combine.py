"""First pass of the robust parser: numbers that belong together, and repetitions of the scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from retrial.scoring.parsers import grouping, nonratings
from retrial.scoring.parsers.base import Status
from retrial.scoring.parsers.mentions import Mention
from retrial.scoring.parsers.regex import AHEAD, GAP, after, before
from retrial.scoring.parsers.units import Unit, from_mention


@dataclass(slots=True)
class Combined:
    """The units of a text, in order, and whether a scale other than ours is stated."""

    units: list[Unit]
    other_scale: bool


def is_counted(text: str, end: int) -> bool:
    """Whether a noun that is counted follows (2 errors), rather than the end of a clause."""
    window = after(text, end)
    if unit := nonratings.UNIT_AFTER.match(window):
        window = window[unit.end() :]
    if nonratings.COUNTED_NOUN.match(window):
        return True
    return not (nonratings.CLAUSE_END.match(window) or nonratings.SENTENCE_AFTER.match(window))


def combine(text: str, mentions: Sequence[Mention], scale: tuple[float, float]) -> Combined:
    """Join fractions, ranges and lists; mark the scale's own numbers with role ``scale``."""
    units = _join_repeats(text, [from_mention(mention, scale) for mention in mentions])
    _mark_chains(text, units)
    _mark_references(text, units)
    units = _join_fractions(text, units, scale)
    _mark_rubric_items(text, units, scale)
    other = _mark_scale_numbers(text, units, scale)
    units, other_range = _join_ranges(text, units, scale)
    return Combined(units, other or other_range)


def _gap(text: str, left: Unit, right: Unit) -> str | None:
    """What lies between two units, or None when they are too far apart to belong together."""
    return text[left.end : right.start] if right.start - left.end <= GAP else None


def _join_repeats(text: str, units: list[Unit]) -> list[Unit]:
    """A number given twice at once, "four (4)", is one number."""
    joined: list[Unit] = []
    for unit in units:
        last = joined[-1] if joined else None
        if last is None or last.value != unit.value or text[last.end : unit.start].strip() != "(":
            joined.append(unit)
        elif text.startswith(")", unit.end):
            last.end = unit.end + 1
        else:
            joined.append(unit)
    return joined


def _mark_chains(text: str, units: list[Unit]) -> None:
    """Three numbers joined alike (4/5/2023, 1-2-3) are a date or the like."""
    for i in range(len(units) - 2):
        one, two, three = units[i : i + 3]
        gap = text[one.end : two.start] if two.start - one.end == 1 else ""
        if grouping.CHAIN_GAP.fullmatch(gap) and text[two.end : three.start] == gap:
            one.role = two.role = three.role = "odd"


def _mark_references(text: str, units: list[Unit]) -> None:
    """Numbers that name a thing: title 1, chapters 3 and 4, "Rating 2: 4"."""
    plural: Unit | None = None  # the number before, when a plural noun names it
    for unit in units:
        if unit.role or unit.kind not in ("digits", "word"):
            continue
        window = before(text, unit.start)
        noun = _named_by(window, unit)
        labelled = nonratings.NUMBERED_LABEL_BEFORE.search(
            window
        ) and nonratings.NUMBERED_LABEL_AFTER.match(after(text, unit.end))
        gap = _gap(text, plural, unit) if plural is not None else None
        continues = gap is not None and nonratings.REFERENCE_GAP.fullmatch(gap)
        plural = unit if noun.endswith("s") or continues else None
        if noun or labelled or continues:
            unit.role = "reference"


def _named_by(window: str, unit: Unit) -> str:
    """The noun that the number belongs to as a name ("title"), or nothing."""
    if unit.value in (1, 2) and (title := nonratings.TITLE_BEFORE.search(window)):
        return title["noun"].lower()
    found = nonratings.REFERENCE_BEFORE.search(window)
    if found is None:
        return ""
    words = window[: found.start()].lower().split()
    if words and words[-1] in nonratings.DETERMINERS:
        return ""
    return found["noun"].lower()


def _join_fractions(text: str, units: list[Unit], scale: tuple[float, float]) -> list[Unit]:
    """Numerator and denominator to one unit; another denominator gives ``other_scale``."""
    high = scale[1]
    joined: list[Unit] = []
    i = 0
    while i < len(units):
        unit = units[i]
        below = units[i + 1] if i + 1 < len(units) else None
        gap = (
            _gap(text, unit, below) if below is not None and not (unit.role or below.role) else None
        )
        if below is None or gap is None or not _is_fraction(gap, below, high):
            joined.append(unit)
            i += 1
            continue
        unit.end = below.end
        unit.share = unit.value / below.value if below.value else None
        if below.value == high:
            unit.explicit = True
        else:
            unit.status = "other_scale"
        joined.append(unit)
        i += 2
    return joined


def _is_fraction(gap: str, below: Unit, high: float) -> bool:
    if below.kind not in ("digits", "word"):
        return False
    return bool(grouping.FRACTION_GAP.fullmatch(gap)) or (
        below.value == high and bool(grouping.OF_GAP.fullmatch(gap))
    )


def _mark_scale_numbers(text: str, units: list[Unit], scale: tuple[float, float]) -> bool:
    """Mark "out of 5:", "5-point scale", "1 being the lowest"; True if another top is named."""
    low, high = scale
    other = False
    for unit in units:
        if unit.role or unit.explicit or unit.status == "other_scale":
            continue
        earlier, later = before(text, unit.start), after(text, unit.end)
        top = grouping.OUT_OF_BEFORE.search(earlier) or grouping.POINT_SCALE_AFTER.match(later)
        if top:
            unit.role = "scale"
            other |= unit.value != high
        elif unit.value in (low, high) and _is_anchor(earlier, later):
            unit.role = "scale"
    return other


def _is_anchor(earlier: str, later: str) -> bool:
    """Whether an end of the scale is explained here: "with 1 being the worst"."""
    if not grouping.ANCHOR_BEFORE.search(earlier) or not (
        found := grouping.ANCHOR_AFTER.match(later)
    ):
        return False
    vague = found["verb"].lower() in grouping.VAGUE_VERBS
    return not vague or bool(grouping.EXTREME_AFTER.match(later))


def _mark_rubric_items(text: str, units: list[Unit], scale: tuple[float, float]) -> None:
    """Neighbours that are explained: "1: poor, 2: fair", "1 is the worst, 5 is the best"."""
    free = [unit for unit in units if not unit.role and unit.status in ("ok", "off_scale")]
    for left, right in pairwise(free):
        if left.explicit or right.explicit or right.start - left.end > AHEAD:
            continue
        ends = {left.value, right.value} == set(scale)
        glosses = [after(text, unit.end) for unit in (left, right)]
        steps = abs(left.value - right.value) == 1
        if (steps and all(grouping.RUBRIC_ITEM_AFTER.match(gloss) for gloss in glosses)) or (
            ends and all(grouping.EXTREME_AFTER.match(gloss) for gloss in glosses)
        ):
            left.role = right.role = "scale"


def _join_ranges(
    text: str, units: list[Unit], scale: tuple[float, float]
) -> tuple[list[Unit], bool]:
    joined: list[Unit] = []
    other = False
    for unit in units:
        left = joined[-1] if joined else None
        gap = _gap(text, left, unit) if left is not None else None
        together: Status | None = None
        apart = left is None or unit.role or left.role or left.ends == scale
        if left is not None and gap is not None and not apart:
            together = _belong(text, left, gap, unit)
        if left is None or together is None:
            joined.append(unit)
            continue
        if not left.parts:
            left.parts.append(_copy(left))
        left.parts.append(unit)
        left.ends = (min(left.ends[0], unit.value), max(left.ends[1], unit.value))
        left.end = unit.end
        left.status = together
    for unit in joined:
        if unit.parts:
            other |= _settle_range(text, unit, scale)
    return joined, other


def _copy(unit: Unit) -> Unit:
    return Unit(
        unit.value, unit.start, unit.end, unit.number, unit.kind, unit.status, unit.explicit
    )


def _belong(text: str, left: Unit, gap: str, right: Unit) -> Status | None:
    """``range`` for 3-4 and "between 3 and 4", ``ambiguous`` for a list (3, 4), else None."""
    if left.kind == "stars" or right.kind == "stars":
        return None
    if grouping.RANGE_GAP.fullmatch(gap) or grouping.COMMA_RANGE_GAP.fullmatch(gap):
        spaced_dash = gap.strip() in ("-", "\u2014") and gap != gap.strip()
        return None if spaced_dash and is_counted(text, right.end) else "range"
    if grouping.AND_GAP.fullmatch(gap) and grouping.BETWEEN_BEFORE.search(before(text, left.start)):
        return "range"
    if (
        left.status == "range"
        or not grouping.LIST_GAP.fullmatch(gap)
        or is_counted(text, right.end)
    ):
        return None
    if right.value < 0 and not gap.strip():
        return "range"  # "3 -4"
    if left.kind != right.kind:
        return None
    return left.status if left.outcome == right.outcome else "ambiguous"


def _settle_range(text: str, unit: Unit, scale: tuple[float, float]) -> bool:
    """A range over the whole scale repeats the scale; True when it states another scale."""
    values = [part.value for part in unit.parts]
    steps = len(values) == 2 or values in (sorted(values), sorted(values, reverse=True))
    if unit.ends == scale and steps:
        unit.role = "scale"
        return False
    if grouping.SCALE_BEFORE.search(before(text, unit.start)) and len(values) == 2:
        unit.role = "scale"
        return True
    return False

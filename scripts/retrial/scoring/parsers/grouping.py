"""Wordings that join numbers (4 out of 5, 3-4, between 3 and 4) and that repeat the scale."""

import re
from typing import Final

from retrial.scoring.parsers.regex import any_of, folded

_HEDGE: Final = any_of(
    "an? the perhaps maybe possibly probably even almost rather more_like say like"
)
_HEDGES: Final = rf"(?:{_HEDGE}\s+){{0,3}}"
# What may explain a number before its partner comes: 1 (worst) to 5, 1 being the lowest and 5.
_GLOSS: Final = (
    r"(?:\s*\([^()\d]{0,40}\)"
    rf"|\s+{any_of('being is as meaning for stars? points?')}(?:\s+[a-z'-]+){{0,4}}"
    r"|\s*=\s*[a-z' -]{1,30})?"
)
_POSSIBLE: Final = any_of("a the max(?:imum)? possible total perfect")
_POSSIBLES: Final = rf"(?:{_POSSIBLE}\s+(?:of\s+)?){{0,4}}"

# --- Fractions, ranges, lists -----------------------------------------------------------------
FRACTION_GAP: Final = folded(
    rf"[\])}}\s\"]*{any_of('stars? points? pts marks?')}?\s*\(?"
    rf"(?:[/\\]|-?out[\s-]+of[\s-]+{_POSSIBLES})\s*[\[({{]*\s*"
)
OF_GAP: Final = folded(r"\s+of\s+(?:a\s+possible\s+)?")
RANGE_GAP: Final = folded(
    rf"{_GLOSS}\s*(?:\.{{2,3}}|\u2026|\u2014|\u2192|-+>?|~|\bvs\b\.?"
    rf"|\b{any_of('to or through thru up_to versus')}\b)\s*,?\s*{_HEDGES}"
)
COMMA_RANGE_GAP: Final = folded(
    rf"\s*,\s*{any_of('or to perhaps maybe possibly bordering_on leaning')}\s+"
    rf"(?:to\s+|towards?\s+)?{_HEDGES}"
)
AND_GAP: Final = folded(rf"{_GLOSS}\s*,?\s*(?:and|&)\s+{_HEDGES}")
LIST_GAP: Final = folded(r"[ \t]*(?:[,;|&/]|,?[ \t]*and\b)?[ \t]*")
CHAIN_GAP: Final = re.compile(r"[/.-]")
BETWEEN_BEFORE: Final = folded(rf"\b(?:between|from)\s+(?:somewhere\s+)?{_HEDGES}\Z")

# --- The scale, repeated ----------------------------------------------------------------------
SCALE_BEFORE: Final = folded(
    rf"\b{any_of('scale rating_system range likert')}\b[^.!?\n\d]{{0,25}}\Z"
)
OUT_OF_BEFORE: Final = folded(
    rf"(?:\bout\s+of\s+{_POSSIBLES}|(?:^|[\s(])/\s*"
    rf"|\bmax(?:imum)?\.?(?:[\s_]+{any_of('score rating points? is of')}){{0,3}}"
    r"[\s\"']*[:=]?\s*)\Z"
)
POINT_SCALE_AFTER: Final = folded(
    rf"[\s-]*{any_of('points? stars? levels? steps? grades? item')}[\s-]+"
    rf"(?:[a-z-]+\s+){{0,2}}?{any_of('scale likert rating_system')}\b"
)
ANCHOR_BEFORE: Final = folded(
    rf"(?:(?:^|\n)\W*|\b{any_of('where with and while whereas scale when')}\b[\s:]*(?:a\s+)?"
    r"|[,;(]\s*)\Z"
)
_EXPLAINS: Final = any_of(
    "being is means? meaning indicat(?:es|ing) represent(?:s|ing) denot(?:es|ing) stands?_for",
    "for as equals correspond(?:s|ing)_to signif(?:ies|ying)",
)
ANCHOR_AFTER: Final = folded(rf"\s*(?P<verb>=|\b{_EXPLAINS}\b)\s*(?:the\s+|an?\s+)?[a-z\"']")
# Verbs that follow a rating as well ("4 for grammar"): they explain only an extreme.
VAGUE_VERBS: Final = frozenset({"for", "as", "is"})
_EXTREMES: Final = any_of(
    "worst best lowest highest minimum maximum poor bad terrible awful excellent perfect great",
    "good not_at_all strongly",
)
EXTREME_AFTER: Final = folded(
    r"\s*(?:=|\(|\b(?:is|being|means?|for|as)\b)\s*(?:the\s+)?"
    rf"(?:{any_of('very most least totally completely')}\s+)?{_EXTREMES}\b"
)
RUBRIC_ITEM_AFTER: Final = folded(r"\s*(?:[:=]|-(?=\s)|\u2014|\((?=[a-z]))\s*[\"'(]?[a-z]")

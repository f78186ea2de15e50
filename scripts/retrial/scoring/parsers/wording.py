"""Wordings that make a number a rating: labels, verbs, forms of an answer, hedges, corrections."""

import re
from typing import Final

from retrial.scoring.parsers.regex import any_of, folded

# --- Labels: "Rating: 4" ----------------------------------------------------------------------
# Words and marks that may stand between a label and its number.
_FILL: Final = any_of(
    "is was are of would will should must be to equals as at an? i give say it this that my the",
    "value number stands remains comes out solid strong firm clear fair decent generous weak low",
    "high full mere only just about around roughly approximately probably therefore thus on scale",
    "from in between using range likert point points inclusive worst best",
)
_MARKS: Final = r"[\s:=>|\"'()\[\]{}<,~\u2014\u2192\-]"
_CONNECTION: Final = rf"{_MARKS}*(?:\b{_FILL}\b(?:'d\b)?{_MARKS}*){{0,10}}"
_LABELS: Final = any_of(
    "ratings? scores? grades? marks? answers? verdict evaluation judge?ment assessment overall",
    "final",
)
LABEL_BEFORE: Final = folded(rf"(?<![^\W_])(?P<label>{_LABELS})(?P<link>{_CONNECTION})\Z")
QUALIFIERS_BEFORE: Final = folded(r"(?<![^\W_])(?:[a-z][a-z'-]{0,30}[ _]){1,3}\Z")
LABEL_FAR_BEFORE: Final = folded(
    rf"\b{any_of('rating score grade mark answer verdict evaluation assessment')}\b"
    rf"[^.!?\n;]{{1,100}}?(?:\b{any_of('is would_be as at')}\b|[:=])(?:{_CONNECTION})\Z"
)
BOXED_BEFORE: Final = folded(r"(?:\\boxed\{\s*|\[\[\s*(?:rating|score)?[\s:]*)\Z")
FINAL_WORDS: Final = frozenset(
    ("final", "ultimate", "definitive", "revised", "updated", "corrected")
)
# Words before a label that leave it the label of the whole; others name an aspect of it.
_PLAIN: Final = """
    my the a an this your our its i give would overall total likert numeric numerical suggested
    proposed recommended given so therefore thus hence and is in here with assign that of as for
    to it be correct single requested conclusion quality on scale point actually wait now new
"""
PLAIN_WORDS: Final = frozenset(_PLAIN.split())

# --- Claims: "I would give it a 4" ------------------------------------------------------------
_VERBS: Final = any_of(
    "rat(?:e|ed|ing) scor(?:es?|ed|ing) giv(?:es?|en|ing) gave assign(?:ed|ing)? award(?:ed)?",
    "grad(?:e|ed|ing) mark(?:ed)? rank(?:ed)? evaluate[ds]? judged? gets? got deserv(?:es?|ing)",
    "earn(?:s|ed)? receiv(?:es?|ed) merits? warrants? say go_with choose pick select",
    "settle_(?:on|for) land_on",
)
CLAIM_BEFORE: Final = folded(rf"\b{_VERBS}\b(?P<middle>[^.!?\n,;]{{0,150}})\Z")
# A clause of its own between verb and number: the number is not what the verb gives.
CLAUSE_WORDS: Final = folded(
    "\\b"
    + any_of(
        "because since there which who where were are has have had contains? mentions? but",
        "although while when despite includes? than",
    )
    + "\\b"
)
NO_CLAIM_BEFORE: Final = folded(
    "\\b"
    + any_of(
        "in by since until before after during the these those all both first last next other",
        "for on from into and or every some few past within of_the",
    )
    + r"\s+\Z"
)
CONTINUED_BEFORE: Final = folded(
    r"\s*(?:[,;]\s*(?:and\s+|but\s+)?|(?:and|but|while)\s+)(?:(?:the|its|for|with)\s+){0,2}"
    r"(?:[a-z]+\s+){1,3}?(?:(?:an?|at|is|gets|as)\s+){0,2}"
)
PARALLEL_BEFORE: Final = folded(r"\b(?:and|but|while|,)\s+(?:an?\s+)?\Z")
PARALLEL_AFTER: Final = folded(r"\s+(?:for|in|on|regarding)\b")

# --- Hints: "a solid 4", "Grammar: 4", "..., 4." ----------------------------------------------
_PRAISE: Final = any_of(
    "solid strong clear firm decent generous fair weak low high mere full definite easy perfect",
    "respectable",
)
_CUES: Final = any_of(
    "an? is was be so thus hence therefore overall say think definitely probably solid strong",
    "maybe but generous answer firm clear easily roughly about leaving leaves remains making",
)
HINT_BEFORE: Final = folded(
    rf"(?:\b{_CUES}\s+(?:{_PRAISE}\s+){{0,2}}"
    r"|(?:^|[.,;:!?()\[\]\n\"\u2014>=|\u2026{\u2192]|-\s)[\s\"'(\[]*)\Z"
)
# A number word is a common word too ("it is about two ..."), so it needs a closer cue.
HINT_WORD_BEFORE: Final = folded(
    rf"(?:\b{any_of('an? solid strong clear firm overall')}\s+(?:{_PRAISE}\s+){{0,2}}"
    r"|[:=>\u2014(\[,]\s*[\"'(\[]*)\Z"
)

# --- Bounds, hedges, corrections --------------------------------------------------------------
_COMPARED: Final = any_of("more less fewer greater higher lower better worse")
_BOUNDS: Final = any_of(
    "at_least at_most at_best at_worst above below over under up_to minimum_of from either",
    "exceed(?:s|ing)? (?:somewhere_)?(?:in_)?between",
)
BOUND_BEFORE: Final = folded(
    rf"(?:\b(?:{_BOUNDS}|(?:no\s+)?{_COMPARED}\s+than)"
    r"|(?:^|(?<=[\s:]))[<>\u2264\u2265]=?)\s*(?:an?\s+)?\Z"
)
BOUND_AFTER: Final = folded(
    r"\s*\+(?!\w)|\s*(?:,\s*)?(?:or|and)\s+"
    rf"{any_of('more less higher lower above below better worse up so')}\b"
    r"|\s+at\s+(?:best|worst|least|most)\b"
)
OPEN_RANGE_AFTER: Final = folded(r"(?:\s*(?:-+|~|\u2014)|\s+(?:or|to|or\s+an?|or\s+maybe))\s*\Z")
CUT_RANGE_AFTER: Final = folded(
    r"(?:\s*(?:-+|~|\u2014)|\s+(?:or|to|and)(?:\s+(?:an?|maybe))?)\s*\Z"
)
APPROXIMATE_BEFORE: Final = folded(
    rf"(?:\b{any_of('about around roughly approximately approx circa maybe perhaps probably')}"
    r"\s+(?:an?\s+)?|~\s*)\Z"
)
_CORRECTS: Final = any_of(
    "no actually wait scratch_that correction make_that make_it on_second_thoughts? on_reflection",
    "reconsider\\w* sorry i_mean or_rather let_me_change",
)
CORRECTION: Final = folded(rf"\b{_CORRECTS}\b")

# --- The shape of the answer ------------------------------------------------------------------
OPENS_ITEM: Final = re.compile(r"(?:^|[\n.;:!?]\s*|\()[^\w\n]*\Z")
OPENS_LINE: Final = re.compile(r"(?:^|\n)[^\w\n]*\Z")
CLOSES_LINE: Final = re.compile(r"[^\w\n]*(?:\Z|\n)")
ENUMERATOR_AFTER: Final = re.compile(r"(?:[.):\]]|\s*-\s)\s*[\"'(]?[^\W\d]")
HEADING_AFTER: Final = re.compile(r"[.):\]]\s*[A-Za-z'-]+(?:[ /&]+[A-Za-z'-]+){0,3}[ ]?(?::|\n)")
_PROMPT_HEADS: Final = any_of(
    "story story_fragment dialogue conversation question instructions? human user prompt input",
    "text task",
)
NEW_PROMPT: Final = re.compile(rf"(?im)^[^\w\n]*{_PROMPT_HEADS}(?: \d+)?[ ]*:")

"""Wordings around numbers that are not ratings, and around answers that hold no rating."""

import re
from typing import Final

from retrial.scoring.parsers.regex import any_of, folded

# --- Numbers that name a thing: title 1, chapter 3 --------------------------------------------
_PLACES: Final = any_of(
    "titles? headlines? stor(?:y|ies) texts? questions? paragraphs? sentences? chapters? parts?",
    "acts? scenes? options? steps? examples? lines? pages? figures? tables? sections? items?",
    "criteri(?:on|a) aspects? turns? versions? dialogues? no\\. volumes? seasons? episodes?",
    "rounds? days? weeks? rooms? players? persons? reviewers? raters? judges? samples?",
    "responses? articles? candidates? passages? points?_number attempts? level grades?_of",
    "channel route highway flight type phase stage",
)
REFERENCE_BEFORE: Final = folded(rf"\b(?P<noun>{_PLACES})\s*[#\"'(\[]*\s*\Z")
REFERENCE_GAP: Final = folded(r"\s*(?:,?\s*and|or|&|,|vs\.?|to|-)\s*(?:titles?\s+)?")
TITLE_BEFORE: Final = folded(r"\b(?P<noun>titles?|headlines?)\s*#?\s*\Z")
# After these the noun is what is rated ("I rate this story 4"), not part of a name.
DETERMINERS: Final = frozenset(
    ("the", "this", "that", "each", "every", "a", "its", "whole", "entire", "given")
)
NUMBERED_LABEL_BEFORE: Final = folded(r"\b(?:ratings?|scores?|grades?|answers?)\s*#?\s*\Z")
NUMBERED_LABEL_AFTER: Final = folded(r"\s*:[^\w\n]{0,4}\d")
_MONTH: Final = any_of(
    "Jan(?:uary)? Feb(?:ruary)? Mar(?:ch)? Apr(?:il)? May June? July? Aug(?:ust)?",
    "Sept?(?:ember)? Oct(?:ober)? Nov(?:ember)? Dec(?:ember)?",
)
MONTH_BEFORE: Final = re.compile(rf"\b{_MONTH}\.?\s+\Z")
MONTH_AFTER: Final = re.compile(rf"\s+(?:of\s+)?{_MONTH}\b")
NAME_BEFORE: Final = re.compile(r"[a-z,'\"]\s+[\"']?(?!(?:I|A|An)\b)[A-Z][\w'.-]*[\"']?\s+\Z")
AGE_BEFORE: Final = folded(
    rf"\b{any_of('he she i they who boy girl child man woman son daughter')}\s+"
    r"(?:is|was|am|are|were|turns|turned)\s+(?:only\s+|just\s+|about\s+)?\Z"
)
PRONOUN_BEFORE: Final = folded(
    "\\b"
    + any_of(
        "this that no any every each which the another only some these those good last first",
        "next other of by",
    )
    + r"\s+\Z"
)

# --- Counts -----------------------------------------------------------------------------------
# Words that carry a sentence on behind a rating; any other word is taken for a counted noun.
_GOES_ON: Final = any_of(
    "because as since for on in(?!_\\d) and but due which is being based given with although",
    "though",
    "while overall from out ratings? score here to at if when that it this the so or by there",
    "i my we they its mainly mostly simply only thanks owing considering after despite",
    "regarding also however maybe perhaps please just then rather meaning indicating grammar",
    "grammatically fluency relevance total too again not seems feels",
    "sounds looks fits would",
)
_COUNTED: Final = any_of(
    "errors? typos? mistakes? words? years? months? weeks? days? hours? minutes? seconds? people",
    "men women children kids characters? sentences? paragraphs? lines? pages? times things",
    "reasons? issues? problems? instances? examples? thumbs parts turns stories titles texts",
    "flaws? criteria aspects versions raters judges reviewers participants elements points?_of",
)
# A capital and a colon make it a heading: "4 Reasons: the user ...".
COUNTED_NOUN: Final = folded(
    rf"[ \t]+(?!(?-i:[A-Z])[a-z]+:)(?:(?!{_GOES_ON}\b)[a-z-]+\s+){{0,2}}?{_COUNTED}\b"
)
# "Give one rating" asks for a single one; "a one rating" gives it.
ONE_RATING: Final = folded(r"\s+(?:[a-z]+\s+){0,2}(?:rating|score|grade|number|answer)\b")
ARTICLE_BEFORE: Final = folded(r"\b(?:an?|the)\s+[\"']*\Z")
CLAUSE_END: Final = re.compile(rf"\s*(?:\Z|(?!-[A-Za-z])[^\w\s]|\n)|\s+\d|\s+(?i:{_GOES_ON})\b")
SENTENCE_AFTER: Final = re.compile(r"\s+[A-Z](?!'s)")
UNIT_AFTER: Final = folded(
    r"[\s-]*(?:stars?|points?|pts|marks?|[\u2605\u2b50\U0001f31f\u5206\u70b9\u9ede\u661f\uc810]+)"
    r"(?![a-z])"
)
_DEDUCTS: Final = any_of(
    "deduct(?:ed|ing)? los(?:es?|t|ing) minus subtract(?:ed|ing)? dock(?:ed|ing)? remov(?:ed?|ing)",
    "t(?:ake|ook|aking|aken)_(?:off|away) knock(?:ed|ing)?_off",
)
DEDUCTION_BEFORE: Final = folded(
    rf"\b{_DEDUCTS}\s+(?:{any_of('it about only just them the_story')}\s+)?\Z"
)
DEDUCTION_AFTER: Final = folded(
    r"\s+(?:points?|marks?|stars?)\s+"
    + any_of("off deduct less lower higher more away short were was")
)

# --- Ratings that are not given ---------------------------------------------------------------
_TURNS_DOWN: Final = any_of(
    "not never cannot rather_than instead_of short_of shy_of almost nearly hardly without neither",
    "nor far_from fails?_to",
)
NOT_GIVEN_BEFORE: Final = folded(
    rf"(?:\b{_TURNS_DOWN}\b|n't\b)"
    r"(?:\s+(?!(?:and|but|so|though|because|if)\b)[\w'-]+){0,6}?\s*\Z"
)
HYPOTHETICAL_BEFORE: Final = folded(
    r"\b(?:(?:would|could|might|should)\s+have\s+"
    rf"{any_of('been given rated got gotten received scored earned')}"
    rf"|to\s+{any_of('earn get reach merit become achieve')}"
    r"|if\s+it\s+(?:had|were|was|got))(?:\s+[\w'-]+){0,4}?\s*\Z"
)
# "A 5 would be too much", but not "a 4 would be fair".
_FAIR: Final = any_of("fair appropriate suitable right reasonable justified rating score answer")
HYPOTHETICAL_AFTER: Final = folded(
    rf"\s+(?:would|could|might)\s+(?:be\b"
    rf"(?!\s+(?:{any_of('an? the my quite most')}\s+){{0,2}}{_FAIR})"
    rf"|{any_of('have require need imply mean indicate')}\b)"
)

# --- No rating at all -------------------------------------------------------------------------
_UNABLE: Final = any_of(
    "can(?:no|')t can_not unable_to not_able_to won't will_not would_not not_comfortable",
    "declin(?:e|ed|ing) refus(?:e|ed|es|ing) not_possible_to impossible_to not_appropriate",
    "not_in_a_position (?:insufficient|not_enough)_(?:information|context|data)",
    "not_capable_of don't_feel do_not_feel prefer_not_to rather_not i_apologi[sz]e not_applicable",
    "(?:do(?:es)?_not|don't|doesn't)_have_(?:the_ability|enough|sufficient|access|personal)",
    "as_an?_(?:ai|artificial|large|language|machine) no_rating_(?:can|is|was)",
)
REFUSAL: Final = folded(
    rf"\b{_UNABLE}\b|(?:^|\W)n/a\b"
    r"|\bi(?:'m|\s+am)\s+(?:just\s+|only\s+)?(?:an?\s+)?(?:ai|language\s+model|sorry)\b"
)

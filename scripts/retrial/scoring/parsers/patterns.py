"""The wordings that tell what a number in an answer is; tables of regular expressions.

``_BEFORE`` patterns are searched in a bounded window that ends at the number, ``_AFTER`` patterns
are matched in a bounded window that starts behind it, ``_GAP`` patterns match what lies between
two numbers. Every repetition is bounded by the window, so that a text is read in linear time.
"""

import re
from typing import Final

BACK: Final = 200  # characters looked at before a number
AHEAD: Final = 80  # and behind it
GAP: Final = 70  # at most between two numbers that belong together


def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I)


# --- Numbers that belong together -------------------------------------------------------------
_HEDGES: Final = (
    r"(?:(?:an?|the|perhaps|maybe|possibly|probably|even|almost|rather|more like|say|like)\s+){0,3}"
)
_GLOSS: Final = r"""(?:\s*\([^()\d]{0,40}\)|\s+(?:being|is|as|meaning|for|stars?|points?)(?:\s+[a-z'-]+){0,4}|\s*=\s*[a-z' -]{1,30})?"""
FRACTION_GAP: Final = _re(
    r"[\])}\s\"]*(?:stars?|points?|pts|marks?)?\s*\(?(?:/|-?out[\s-]+of[\s-]+(?:(?:a|the|max(?:imum)?|possible|total"
    r"|perfect)\s+(?:of\s+)?){0,4})\s*[\[({]*\s*"
)
OF_GAP: Final = _re(r"\s+of\s+(?:a\s+possible\s+)?")
RANGE_GAP: Final = _re(
    rf"{_GLOSS}\s*(?:\.{{2,3}}|\u2026|\u2014|\u2192|-+>?|~|\bto\b|\bor\b|\bthrough\b|\bthru\b|\bup to\b|\bversus\b|\bvs\b\.?)"
    rf"\s*,?\s*{_HEDGES}"
)
COMMA_RANGE_GAP: Final = _re(
    rf"\s*,\s*(?:or|to|perhaps|maybe|possibly|bordering on|leaning)\s+(?:to\s+|towards?\s+)?{_HEDGES}"
)
AND_GAP: Final = _re(rf"{_GLOSS}\s*,?\s*(?:and|&)\s+{_HEDGES}")
LIST_GAP: Final = _re(r"[ \t]*(?:[,;|&/]|,?[ \t]*and\b)?[ \t]*")
BETWEEN_BEFORE: Final = _re(rf"\b(?:between|from|in between)\s+(?:somewhere\s+)?{_HEDGES}\Z")
DATE_GAP: Final = re.compile(r"[/.-]")

# --- The scale, repeated ----------------------------------------------------------------------
SCALE_BEFORE: Final = _re(r"\b(?:scale|rating system|range|likert)\b[^.!?\n\d]{0,25}\Z")
OUT_OF_BEFORE: Final = _re(
    r"(?:\bout\s+of\s+(?:(?:a|the|max(?:imum)?|possible|total)\s+(?:of\s+)?){0,4}"
    r"|(?:^|[\s(])/\s*|\bmax(?:imum)?\.?(?:[\s_]+(?:score|rating|points?|is|of)){0,3}[\s\"']*[:=]?\s*)\Z"
)
POINT_SCALE_AFTER: Final = _re(
    r"[\s-]*(?:points?|stars?|levels?|steps?|grades?|item)[\s-]+(?:[a-z-]+\s+){0,2}?(?:scale|likert|rating system)\b"
)
ANCHOR_AFTER: Final = _re(
    r"\s*(?P<verb>=|\b(?:being|is|means?|meaning|indicat(?:es|ing)|represent(?:s|ing)|denot(?:es|ing)|stands? for"
    r"|for|as|equals|correspond(?:s|ing) to|signif(?:ies|ying))\b)\s*(?:the\s+|an?\s+)?[a-z\"']"
)
ANCHOR_BEFORE: Final = _re(
    r"(?:(?:^|\n)\W*|\b(?:where|with|and|while|whereas|scale|when)\b[\s:]*(?:a\s+)?|[,;(]\s*)\Z"
)
EXTREME_AFTER: Final = _re(
    r"\s*(?:=|\(|\bis\b|\bbeing\b|\bmeans?\b|\bfor\b|\bas\b)\s*(?:the\s+)?(?:very\s+|most\s+|least\s+|totally\s+|completely\s+)?"
    r"(?:worst|best|lowest|highest|minimum|maximum|poor|bad|terrible|awful|excellent|perfect|great|good|not at all|strongly)\b"
)
RUBRIC_ITEM_AFTER: Final = _re(r"\s*(?:[:=]|-(?=\s)|\u2014|\((?=[a-z]))\s*[\"'(]?[a-z]")

# --- Numbers that are no ratings --------------------------------------------------------------
_PLACES: Final = (
    r"titles?|headlines?|stor(?:y|ies)|texts?|questions?|paragraphs?|sentences?|chapters?|parts?|acts?|scenes?|options?|steps?"
    r"|examples?|lines?|pages?|figures?|tables?|sections?|items?|criteri(?:on|a)|aspects?|turns?|versions?|dialogues?|no\."
    r"|volumes?|seasons?|episodes?|rounds?|days?|weeks?|rooms?|players?|persons?|reviewers?|raters?|judges?|samples?|responses?"
    r"|articles?|candidates?|passages?|points?\s+number|attempts?|level|grades?\s+of|channel|route|highway|flight|type|phase|stage"
)
REFERENCE_BEFORE: Final = _re(rf"\b(?P<noun>{_PLACES})\s*[#\"'(\[]*\s*\Z")
REFERENCE_GAP: Final = _re(r"\s*(?:,?\s*and|or|&|,|vs\.?|to|-)\s*(?:titles?\s+)?")
TITLE_BEFORE: Final = _re(r"\b(?P<noun>titles?|headlines?)\s*#?\s*\Z")
DETERMINERS: Final = frozenset(
    {"the", "this", "that", "each", "every", "a", "its", "whole", "entire", "given"}
)
NUMBERED_LABEL_BEFORE: Final = _re(r"\b(?:ratings?|scores?|grades?|answers?)\s*#?\s*\Z")
NUMBERED_LABEL_AFTER: Final = _re(r"\s*:[^\w\n]{0,4}\d")
_MONTH: Final = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
MONTH_BEFORE: Final = re.compile(rf"\b{_MONTH}\.?\s+\Z")
MONTH_AFTER: Final = re.compile(rf"\s+(?:of\s+)?{_MONTH}\b")
NAME_BEFORE: Final = re.compile(r"[a-z,'\"]\s+[\"']?(?!(?:I|A|An)\b)[A-Z][\w'.-]*[\"']?\s+\Z")
DEDUCTION_BEFORE: Final = _re(
    r"\b(?:deduct(?:ed|ing)?|los(?:es?|t|ing)|minus|subtract(?:ed|ing)?|dock(?:ed|ing)?|t(?:ake|ook|aking|aken)\s+(?:off|away)"
    r"|remov(?:ed?|ing)|knock(?:ed|ing)?\s+off)\s+(?:(?:it|about|only|just|them|the story)\s+)?\Z"
)
DEDUCTION_AFTER: Final = _re(
    r"\s+(?:points?|marks?|stars?)\s+(?:off|deduct|less|lower|higher|more|away|short|were|was)"
)
NOT_AN_ANSWER_BEFORE: Final = _re(
    r"(?:\b(?:not|never|cannot|rather than|instead of|short of|shy of|almost|nearly|not quite|hardly|without|neither|nor|far from|fails? to)\b"
    r"|n't\b)(?:\s+(?!(?:and|but|so|though|because|if)\b)[\w'-]+){0,6}?\s*\Z"
)
HYPOTHETICAL_BEFORE: Final = _re(
    r"\b(?:(?:would|could|might|should)\s+have\s+(?:been|given|rated|got|gotten|received|scored|earned)|to\s+(?:earn|get|reach|merit|become|achieve)"
    r"|if\s+it\s+(?:had|were|was|got))(?:\s+[\w'-]+){0,4}?\s*\Z"
)
HYPOTHETICAL_AFTER: Final = _re(
    r"\s+(?:would|could|might)\s+(?:be|have|require|need|imply|mean|indicate)\b"
)
PRONOUN_BEFORE: Final = _re(
    r"\b(?:this|that|no|any|every|each|which|the|another|only|some|these|those|good|last|first|next|other|of|by|from|at)\s+\Z"
)
_GOES_ON: Final = (
    r"because|as|since|for|on|in|and|but|due|which|is|being|based|given|with|although|though|while|overall|from|out|ratings?|score|here|to|at|if|when"
    r"|that|it|this|the|so|or|by|there|i|my|we|they|its|mainly|mostly|simply|only|thanks|owing|considering|after|despite|regarding|also|however|maybe"
    r"|perhaps|please|just|then|rather|meaning|indicating|overall|grammar|grammatically|fluency|relevance|total|too|again|not"
)
COUNTED_NOUN: Final = _re(
    rf"[ \t]+(?:(?!(?:{_GOES_ON}|out)\b)[a-z-]+\s+){{0,2}}?(?:errors?|typos?|mistakes?|words?|years?|months?|weeks?|days?|hours?|minutes?|seconds?|people|men|women|children|kids"
    r"|characters?|sentences?|paragraphs?|lines?|pages?|times|things|reasons?|issues?|problems?|instances?|examples?|thumbs|parts|turns|stories"
    r"|titles|texts|flaws?|criteria|aspects|versions|raters|judges|reviewers|participants|elements|points?\s+of)\b"
)

# --- Words around a rating --------------------------------------------------------------------
BOUND_BEFORE: Final = _re(
    r"(?:\b(?:at\s+least|at\s+most|at\s+best|at\s+worst|(?:no\s+)?(?:more|less|fewer|greater|higher|lower|better|worse)\s+than|above|below|over|under|up\s+to"
    r"|(?:somewhere\s+)?(?:in\s+)?between|either|minimum\s+of|from|exceed(?:s|ing)?)|(?:^|(?<=[\s:]))[<>\u2264\u2265]=?)\s*(?:an?\s+)?\Z"
)
BOUND_AFTER: Final = _re(
    r"\s*\+(?!\w)|\s*(?:,\s*)?(?:or|and)\s+(?:more|less|higher|lower|above|below|better|worse|up|so)\b|\s+(?:at\s+(?:best|worst|least|most))\b"
)
OPEN_RANGE_AFTER: Final = _re(r"(?:\s*(?:-+|~|\u2014)|\s+(?:or|to|or\s+an?|or\s+maybe))\s*\Z")
CUT_RANGE_AFTER: Final = _re(
    r"(?:\s*(?:-+|~|\u2014)|\s+(?:or|to|and|or\s+an?|and\s+an?|or\s+maybe))\s*\Z"
)
CONTINUED_CLAIM: Final = _re(
    r"\s*(?:[,;]\s*(?:and\s+|but\s+)?|(?:and|but|while)\s+)(?:(?:the|its|for|with)\s+){0,2}(?:[a-z]+\s+){1,3}?(?:(?:an?|at|is|gets|as)\s+){0,2}"
)
PARALLEL_BEFORE: Final = _re(r"\b(?:and|but|while|,)\s+(?:an?\s+)?\Z")
PARALLEL_AFTER: Final = _re(r"\s+(?:for|in|on|regarding)\b")
APPROXIMATE_BEFORE: Final = _re(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|circa|maybe|perhaps|probably)\s+(?:an?\s+)?|~\s*)\Z"
)
_FILL: Final = (
    r"(?:is|was|are|of|would|will|should|must|be|to|equals|as|at|an?|i|give|say|it|this|that|my|the|value|number|stands|remains|comes|out"
    r"|solid|strong|firm|clear|fair|decent|generous|weak|low|high|full|mere|only|just|about|around|roughly|approximately|probably|therefore|thus"
    r"|on|scale|from|in|between|using|range|likert|point|points|inclusive|worst|best)"
)
_MARKS: Final = r"[\s:=>|\"'()\[\]{}<,~\u2014\u2192\-]"
CONNECTION: Final = rf"{_MARKS}*(?:\b{_FILL}\b(?:'d\b)?{_MARKS}*){{0,10}}"
LABEL_BEFORE: Final = _re(
    r"(?<![^\W_])(?P<label>ratings?|scores?|grades?|marks?|answers?|verdict|evaluation|judge?ment|assessment|overall|final)"
    rf"(?P<link>{CONNECTION})\Z"
)
QUALIFIERS_BEFORE: Final = _re(r"(?<![^\W_])(?:[a-z][a-z'-]{0,30}[ _]){1,3}\Z")
LABEL_FAR_BEFORE: Final = _re(
    r"\b(?:rating|score|grade|mark|answer|verdict|evaluation|assessment)\b[^.!?\n;]{1,100}?(?:\bis\b|\bwould be\b|:|=|\bas\b|\bat\b)"
    rf"(?:{CONNECTION})\Z"
)
BOXED_BEFORE: Final = _re(r"(?:\\boxed\{\s*|\[\[\s*(?:rating|score)?[\s:]*)\Z")
FINAL_WORDS: Final = frozenset(
    {"final", "ultimate", "definitive", "revised", "updated", "corrected"}
)
PLAIN_WORDS: Final = frozenset(
    [
        "my",
        "the",
        "a",
        "an",
        "this",
        "your",
        "our",
        "its",
        "i",
        "give",
        "would",
        "overall",
        "total",
        "likert",
        "numeric",
        "numerical",
        "suggested",
        "proposed",
        "recommended",
        "given",
        "so",
        "therefore",
        "thus",
        "hence",
        "and",
        "is",
        "in",
        "here",
        "with",
        "assign",
        "that",
        "of",
        "as",
        "for",
        "to",
        "give",
        "it",
        "be",
        "correct",
        "single",
        "requested",
        "conclusion",
        "quality",
        "on",
        "scale",
        "point",
        "actually",
        "wait",
        "now",
        "new",
    ]
)
CLAIM_BEFORE: Final = _re(
    r"\b(?:rat(?:e|ed|ing)|scor(?:es?|ed|ing)|giv(?:es?|en|ing)|gave|assign(?:ed|ing)?|award(?:ed)?|grad(?:e|ed|ing)|mark(?:ed)?|rank(?:ed)?|evaluate[ds]?"
    r"|judged?|gets?|got|deserv(?:es?|ing)|earn(?:s|ed)?|receiv(?:es?|ed)|merits?|warrants?|say|go\s+with|choose|pick|select|settle\s+(?:on|for)|land\s+on)\b"
    r"(?P<middle>[^.!?\n,;]{0,150})\Z"
)
CLAUSE_WORDS: Final = _re(
    r"\b(?:because|since|there|which|who|where|were|are|has|have|had|contains?|mentions?|but|although|while|when|despite|includes?|than)\b"
)
NO_CLAIM_BEFORE: Final = _re(
    r"\b(?:in|by|since|until|before|after|during|the|these|those|all|both|first|last|next|other|for|on|from|into|and|or|every|some|few|past|within|of\s+the)\s+\Z"
)
HINT_BEFORE: Final = _re(
    r"(?:\b(?:an?|is|was|be|so|thus|hence|therefore|overall|say|think|definitely|probably|solid|strong|maybe|but|generous|answer|firm|clear|easily|roughly|about|leaving|leaves|remains|making)\s+"
    r"(?:(?:solid|strong|clear|firm|decent|generous|fair|weak|low|high|mere|full|definite|easy|perfect|respectable)\s+){0,2}"
    r"|(?:^|[.,;:!?()\[\]\n\"\u2014>=|\u2026{\u2192]|-\s|\ba\s+)[\s\"'(\[]*)\Z"
)
_UNIT_WORD: Final = (
    r"(?:stars?|points?|pts|marks?|[\u2605\u2b50\U0001f31f\u5206\u70b9\u9ede\u661f\uc810]+)"
)
UNIT_AFTER: Final = _re(rf"[\s-]*{_UNIT_WORD}(?![a-z])")
# A number word is a common word too ("it is about two ..."), so it needs a closer cue.
HINT_WORD_BEFORE: Final = _re(
    r"(?:\b(?:an?|solid|strong|clear|firm|overall)\s+(?:(?:solid|strong|clear|firm|decent|fair|weak|low|high|full)\s+){0,2}"
    r"|[:=>\u2014(\[,]\s*[\"'(\[]*)\Z"
)
CLAUSE_END: Final = re.compile(rf"\s*(?:\Z|(?!-[A-Za-z])[^\w\s]|\n)|\s+\d|\s+(?i:{_GOES_ON})\b")
SENTENCE_AFTER: Final = re.compile(r"\s+[A-Z](?!'s)")
OPENS_ITEM: Final = re.compile(r"(?:^|[\n.;:!?]\s*|\()[^\w\n]*\Z")
OPENS_LINE: Final = re.compile(r"(?:^|\n)[^\w\n]*\Z")
CLOSES_LINE: Final = re.compile(r"[^\w\n]*(?:\Z|\n)")
ENUMERATOR_AFTER: Final = re.compile(r"(?:[.):\]]|\s*-\s)\s*[\"'(]?[^\W\d]")
HEADING_AFTER: Final = re.compile(r"[.):\]]\s*[A-Za-z'-]+(?:[ /&]+[A-Za-z'-]+){0,3}[ ]?(?::|\n)")
CORRECTION: Final = _re(
    r"\b(?:no|actually|wait|scratch\s+that|correction|make\s+(?:that|it)|on\s+second\s+thoughts?|on\s+reflection|reconsider\w*|sorry|i\s+mean|or\s+rather|let\s+me\s+change)\b"
)
NEW_PROMPT: Final = re.compile(
    r"(?im)^[^\w\n]*(?:story|story fragment|dialogue|conversation|question|instruction|instructions|human|user|prompt|input|text|task)(?: \d+)?[ ]*:"
)

# --- No rating at all -------------------------------------------------------------------------
REFUSAL: Final = _re(
    r"\b(?:can(?:no|')t|can not|unable to|not able to|won't|will not|would not|not comfortable|declin(?:e|ed|ing)|refus(?:e|ed|es|ing)|not possible to|impossible to"
    r"|not (?:appropriate|in a position)|do(?:es)? not have (?:the ability|enough|sufficient|access|personal)|don't have (?:the ability|enough|sufficient|access|personal)"
    r"|insufficient (?:information|context|data)|not enough (?:information|context)|not capable of|don't feel|do not feel|prefer not to|rather not)\b"
    r"|\bas an? (?:ai|artificial|large|language|machine)\b|\bi(?:'m| am) (?:just |only )?(?:an? )?(?:ai|language model|sorry)\b|\bi apologi[sz]e\b|(?:^|\W)n/a\b|\bnot applicable\b"
    r"|\b(?:cannot|can't) be (?:rated|judged|scored|evaluated)\b|\bno rating (?:can|is|was)\b"
)

"""Every number in a folded text: digits, words, fraction signs and rows of stars, with spans."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["digits", "word", "stars", "percent", "odd"]


@dataclass(slots=True)
class Mention:
    """One number as it stands in folded text[start:end].

    ``kind`` is ``odd`` for digits that cannot be a rating: part of a word, a date, a time, a
    version, money, an ordinal. ``filled_of`` is the length of a row of stars that shows its
    empty ones, else None.
    """

    value: float
    start: int
    end: int
    kind: Kind
    filled_of: int | None = None


_UNITS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS: Final = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen"),
    *("sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
WORDS: Final[dict[str, float]] = {
    **{word: float(n) for n, word in enumerate(_UNITS + _TEENS)},
    **{word: 10.0 * n for n, word in enumerate(_TENS, 2)},
    "hundred": 100.0,
}
_VULGAR: Final[dict[str, float]] = {
    **{"\u00bd": 0.5, "\u00bc": 0.25, "\u00be": 0.75, "\u2153": 1 / 3, "\u2154": 2 / 3},
    **{"\u2155": 0.2, "\u2156": 0.4, "\u2157": 0.6, "\u2158": 0.8},
}
_PLAIN_FRACTIONS: Final = {"1/2": 0.5, "1/4": 0.25, "3/4": 0.75}
_SPOKEN: Final = {"half": 0.5, "quarter": 0.25}

# What may follow a whole number and belongs to it: 4 1/2, 4-1/2, 4 and a half, 4 point five.
_TAIL: Final = rf"""(?:
      [ ]?(?P<vulgar>[{"".join(_VULGAR)}])
    | (?:[ ]|-|[ ]and[ ])(?P<plain>1/2|1/4|3/4)(?![\w/]|[.,]\d)
    | [ -]and[ -](?:(?:an?|one)[ -])?(?P<spoken>half|quarter)(?![\w-])
    | [ -]point[ -](?P<point>{"|".join(_UNITS)}|[0-9])(?!\w)
    )"""
_FULL_STAR: Final = "[\u2605\u2b50\U0001f31f\u272d\u272e\u272f]"
_EMPTY_STAR: Final = "[\u2606\u2729\u269d]"
_NUMBER: Final = re.compile(
    rf"""
    (?P<stars>{_FULL_STAR}(?:[ ]?{_FULL_STAR})*
        (?P<star_half>[ ]?(?:\u00bd|\u2bea))?(?P<hollow>(?:[ ]?{_EMPTY_STAR})*)
        |(?P<all_hollow>{_EMPTY_STAR}(?:[ ]?{_EMPTY_STAR})+))
    | (?P<sign>(?<![\w.)\]%])[-+])?
      (?P<digits>[0-9]+(?:[.,:'][0-9]+)*|(?<![\w.])\.[0-9]+)
      (?P<exponent>[eE][-+]?[0-9]{{1,3}}(?![\w.]))?{_TAIL}?
    | (?:(?<![\w-])|(?<=of-)|(?<=to-))(?P<minus>(?:minus|negative)[ ])?
      (?P<word>{"|".join(WORDS)})(?:-(?P<ones>{"|".join(_UNITS[1:])}))?(?!\w)
      {_TAIL.replace("(?P<", "(?P<w_")}?
    | (?P<lone>[{"".join(_VULGAR)}])
    """,
    re.I | re.X,
)

_GLUED_BEFORE: Final = re.compile(r"(?:[A-Za-z_]-?|[#@$\u20ac\u00a3\u00a5^]|\w)\Z")
_LABEL_HYPHEN: Final = re.compile(r"(?:rating|score|grade|answer)-\Z", re.I)
# Units of East Asian scripts stand next to the digit; other letters make it part of a word.
_UNIT_CHARS: Final = "\u5206\u70b9\u9ede\u661f\uc810"
_GLUED_AFTER: Final = re.compile(
    rf"(?![{_UNIT_CHARS}])[^\W\d_]|_\w|[\u00b0\u20ac\u00a3\u00a5\u2030\u00b2\u00b3\u00b9\u2070-\u209f]"
    r"|'s\b|[ ]?(?:a\.m|p\.m|[ap]m\b|o'clock)|[ ](?:dollars|euros|pounds|bucks|cents)\b",
    re.I,
)
_PERCENT: Final = re.compile(r"[ ]?(?:%|per[ -]?cent\b)", re.I)
_WHOLE: Final = re.compile(r"[0-9]+")
_DECIMAL: Final = re.compile(r"[0-9]*\.[0-9]+")
_HALF_COMMA: Final = re.compile(r"([0-9]),(5|0|50|00|25|75)")
_THOUSANDS: Final = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_MAX_DIGITS: Final = 40


def _digits_value(body: str) -> float | None:
    """The value of a run of digits and separators, or None when it is no plain number."""
    if len(body) > _MAX_DIGITS:
        return None
    if _WHOLE.fullmatch(body) or _DECIMAL.fullmatch(body):
        return float(body)
    if comma := _HALF_COMMA.fullmatch(body):
        return float(f"{comma[1]}.{comma[2]}")
    if _THOUSANDS.fullmatch(body):
        return float(body.replace(",", ""))
    return None


def _tail_value(found: re.Match[str], prefix: str = "") -> float:
    if vulgar := found[prefix + "vulgar"]:
        return _VULGAR[vulgar]
    if plain := found[prefix + "plain"]:
        return _PLAIN_FRACTIONS[plain]
    if spoken := found[prefix + "spoken"]:
        return _SPOKEN[spoken.lower()]
    if point := found[prefix + "point"]:
        return float(WORDS[point.lower()] if point.lower() in WORDS else int(point)) / 10
    return 0.0


def _is_glued(text: str, start: int, end: int) -> bool:
    """Whether the digits are part of a word, a code, a price or the like."""
    before = text[max(0, start - 12) : start]
    if text[end - 1 : end].isdigit() and _GLUED_AFTER.match(text, end):
        return True
    if before.endswith("$") and text.startswith("$", end):  # mathematics, not money
        return False
    return bool(_GLUED_BEFORE.search(before)) and not _LABEL_HYPHEN.search(before)


def _digits(text: str, found: re.Match[str]) -> Mention:
    start, end = found.span()
    body, exponent = found["digits"], found["exponent"]
    value = _digits_value(body)
    if value is None or _is_glued(text, start, end):
        return Mention(float("nan"), start, end, "odd")
    if exponent:
        value = float(body + exponent) if value == float(body) else float("nan")
    value += _tail_value(found)
    if found["sign"] == "-":
        value = -value
    if percent := _PERCENT.match(text, end):
        return Mention(value, start, percent.end(), "percent")
    return Mention(value, start, end, "digits")


def _word(text: str, found: re.Match[str]) -> Mention:
    value = WORDS[found["word"].lower()]
    if found["ones"]:
        value += WORDS[found["ones"].lower()]
    value += _tail_value(found, "w_")
    if found["minus"]:
        value = -value
    if percent := _PERCENT.match(text, found.end()):
        return Mention(value, found.start(), percent.end(), "percent")
    return Mention(value, found.start(), found.end(), "word")


def _stars(found: re.Match[str]) -> Mention | None:
    """A row of stars; a single star with no empty ones beside it is only an ornament."""
    start, end = found.span()
    if found["all_hollow"]:
        return Mention(float("nan"), start, end, "stars")
    hollow = len(found["hollow"].replace(" ", ""))
    half = 0.5 if found["star_half"] else 0.0
    row = found.group()[: len(found.group()) - len(found["hollow"])]
    full = len(row.replace(" ", "")) - (1 if half else 0)
    if full + hollow < 2 and not half:
        return None
    length = full + hollow + (1 if half else 0) if hollow else None
    return Mention(full + half, start, end, "stars", length)


def find(text: str) -> Iterator[Mention]:
    """The numbers of a folded text, in order and without overlap; linear in its length."""
    for found in _NUMBER.finditer(text):
        if found["stars"]:
            mention = _stars(found)
            if mention is not None:
                yield mention
        elif found["digits"]:
            yield _digits(text, found)
        elif found["word"]:
            yield _word(text, found)
        else:
            yield Mention(_VULGAR[found["lone"]], found.start(), found.end(), "digits")

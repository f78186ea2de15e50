"""Text folded to plain ASCII forms for reading numbers, with a way back to the original offsets."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_DASHES: Final = "\u2010\u2011\u2012\u2013\u2212\u2043\ufe63\uff0d"
_LONG_DASHES: Final = "\u2014\u2015\ufe58"
_FOLDS: Final[dict[str, str]] = {
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_LONG_DASHES, "\u2014"),
    **dict.fromkeys("\u2018\u2019\u02bc\u201b\u00b4", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2044\u2215", "/"),
    **dict.fromkeys("\u066b", "."),
    **dict.fromkeys("\u066c", ","),
    **dict.fromkeys("\u2028\u2029\x85\x0b\x0c\r", "\n"),
    **dict.fromkeys("\u3010\u300c", "["),
    **dict.fromkeys("\u3011\u300d", "]"),
    **dict.fromkeys("\u223c\u301c", "~"),
    **dict.fromkeys("\ufe0e\ufe0f\u20e3", ""),  # keycap and emoji selectors
}
_RAISED: Final = ("SUPERSCRIPT", "SUBSCRIPT")

# Thoughts that a reasoning model sets apart; the rating is what comes after them.
_THOUGHT_NAMES: Final = r"(?:think|thinking|thought|reasoning|scratchpad)"
_THOUGHT_END: Final = re.compile(rf"</{_THOUGHT_NAMES}>", re.I)
_THOUGHT_START: Final = re.compile(rf"<{_THOUGHT_NAMES}>", re.I)

# Stretches whose digits are never ratings. Lengths are bounded so that the search stays linear.
_MASKED: Final = re.compile(
    r"""(?:https?://|www\.)\S{1,2000}
    |(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}
    |(?<![\w.-])[\w-]{1,64}\.(?:com|org|net|io|txt|pdf|png|jpe?g|html?|json|csv|tsv|py|md)\b
    |~~[^~\n]{1,200}~~
    |</?(?:b|i|u|s|em|strong|p|br|span|div|code|pre|li|ul|ol|h[1-6])(?:\s[^<>]{0,100})?/?>
    |&(?:nbsp|\#\d{1,6});""",
    re.I | re.X,
)
_BREAK: Final = re.compile(r"</?(?:br|p|div|li|ul|ol|h[1-6])\b", re.I)
_LINE_MARKS: Final = re.compile(r"(?m)^[ \t]*(?:>|#{1,6}|[-+\u2022\u2043])(?=[ \t]+\S)")


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text; character i came from offset ``offsets[i]`` of the original.

    ``unfinished_thought`` tells that a reasoning block was opened and never closed.
    """

    text: str
    offsets: list[int]
    unfinished_thought: bool

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the original from which folded[start:end] (not empty) came."""
        return self.offsets[start], self.offsets[end - 1] + 1


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    """One character for one, or nothing for characters that are not seen."""
    if char in _FOLDS:
        return _FOLDS[char]
    if (digit := unicodedata.decimal(char, None)) is not None:
        return str(digit)
    if char.isspace():
        return char if char in "\n\t" else " "
    if unicodedata.category(char) == "Cf":
        return ""
    if unicodedata.name(char, "").startswith(_RAISED):
        return char
    plain = unicodedata.normalize("NFKC", char)
    return plain if len(plain) == 1 else char


def _drop_emphasis(chars: list[str], offsets: list[int]) -> tuple[list[str], list[int]]:
    """Remove asterisks, backticks and outer underscores; an asterisk inside a word parts it."""
    kept: list[str] = []
    places: list[int] = []
    i = 0
    while i < len(chars):
        char = chars[i]
        if char not in "*`_":
            kept.append(char)
            places.append(offsets[i])
            i += 1
            continue
        end = i
        while end < len(chars) and chars[end] in "*`_":
            end += 1
        joins = bool(kept) and kept[-1].isalnum() and end < len(chars) and chars[end].isalnum()
        if joins:
            underscored = all(mark == "_" for mark in chars[i:end])
            kept.append("_" if underscored else " ")
            places.append(offsets[i])
        i = end
    return kept, places


def _blank(found: re.Match[str]) -> str:
    """As many spaces; a tag that ends a line is a line end."""
    line_end = "\n" if _BREAK.match(found.group()) else " "
    return line_end + " " * (len(found.group()) - 1)


def fold(text: str) -> Folded:
    """Fold digits, dashes, quotes, spaces and markup of the text; takes linear time."""
    chars: list[str] = []
    offsets: list[int] = []
    for place, char in enumerate(text):
        plain = char if char.isascii() and char.isprintable() else _fold_char(char)
        if plain:
            chars.append(plain)
            offsets.append(place)
    chars, offsets = _drop_emphasis(chars, offsets)
    plain_text = "".join(chars)
    thought_end = 0
    for found in _THOUGHT_END.finditer(plain_text):
        thought_end = found.end()
    plain_text = " " * thought_end + plain_text[thought_end:]
    unfinished = _THOUGHT_START.search(plain_text)
    if unfinished:
        rest = len(plain_text) - unfinished.start()
        plain_text = plain_text[: unfinished.start()] + " " * rest
    plain_text = _LINE_MARKS.sub(_blank, _MASKED.sub(_blank, plain_text))
    return Folded(plain_text, offsets, unfinished is not None)

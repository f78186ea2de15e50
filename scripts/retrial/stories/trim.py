"""Trimming of stories: under so many words, ending on a full sentence (chiang2023, app. B.3).

The same code trims both writers' stories. A word is what blanks separate, which is also how the
released stories were counted: of the 400, none has more than 150 such words and 36 have exactly
150, among them eight of the fourteen that stop in mid-sentence. Under any other count tried
(words without marks, word characters only, marks as words) there is no such edge. So the released
limit is "at most 150", where the paper says "under":

- `strict`: under the limit, as the paper says;
- `paper`: the limit itself is allowed, as the released stories do.
"""

import re
from dataclasses import dataclass
from typing import Literal

from retrial.stories.sentences import sentence_ends

Mode = Literal["strict", "paper"]
LIMIT = 150
NO_SENTENCE_END = "no-sentence-end"
INSIDE_QUOTATION = "inside-quotation"
EMPTY = "empty"
LEAST_SHARE = 0.5
"""Of the limit: a text cut before a quotation may become so short, not shorter."""
WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Trimmed:
    """A prefix of a text, its words, and (sorted) what trimming could not do.

    Flags: `no-sentence-end`, no sentence ends within the limit, so as many whole words as it
    allows are kept; `inside-quotation`, the text ends with a sentence of a long quotation, for
    what stands before the quotation is less than half of the limit; `empty`.
    """

    text: str
    words: int
    flags: tuple[str, ...]


def count_words(text: str) -> int:
    """The words of a text: what blanks separate."""
    return len(text.split())


def trim_story(text: str, mode: Mode = "strict", limit: int = LIMIT) -> Trimmed:
    """The longest beginning of a text within the limit that ends with a full sentence.

    Trimming what was trimmed changes nothing. A text within the limit that breaks off is cut
    back to its last full sentence as well. No blank is left at the end.
    """
    most = limit - 1 if mode == "strict" else limit
    cut, flag = _cut(text, most)
    # A shorter text can be divided in another way: a quotation may have lost its end.
    while (again := _cut(cut, most))[0] != cut:
        cut, flag = again[0], flag or again[1]
    flags = [flag] if flag else []
    if not cut.strip():
        cut, flags = "", [EMPTY]
    return Trimmed(cut, count_words(cut), tuple(flags))


def _cut(text: str, most: int) -> tuple[str, str]:
    """The text cut once, and the flag, if any."""
    edge = _edge(text, most)
    whole = _last(sentence_ends(text), edge)
    if count_words(text[:whole]) >= most * LEAST_SHARE:
        return text[:whole], ""
    inner = _last(sentence_ends(text, inside_quotations=True), edge)
    if max(whole, inner) == 0:
        return text[:edge], NO_SENTENCE_END
    return (text[:inner], INSIDE_QUOTATION) if inner > whole else (text[:whole], "")


def _last(ends: list[int], edge: int) -> int:
    return max((end for end in ends if end <= edge), default=0)


def _edge(text: str, most: int) -> int:
    """The end of the last word that the limit allows."""
    edge = 0
    for number, word in enumerate(WORD.finditer(text), start=1):
        if number > most:
            break
        edge = word.end()
    return edge

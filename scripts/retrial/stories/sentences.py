"""Where sentences end, by the `sentencex` library (rules, no model, works offline)."""

import re
from collections.abc import Iterator

import sentencex  # type: ignore[import-untyped]

from retrial.errors import RetrialError

END_MARKS = ".!?…‽。！？"
CLOSERS = "\"'”’»)]}*_~"
"""What may stand between a sentence's mark and its end: quotation marks, brackets, emphasis."""

QUOTATION = re.compile("[\"“”«»]|(?<!\\w)['‘’]|['‘’](?!\\w)")


def sentence_ends(text: str, *, inside_quotations: bool = False) -> list[int]:
    """Offsets, ascending, at which a full sentence has just ended, its closing marks included.

    A sentence is full when an end mark closes it; headings and broken-off ends are none. A
    quotation counts as one piece, however many sentences it holds, and a sentence goes on behind
    it (`"Stop!" she said.`); with `inside_quotations` its sentences count each. No blank stands
    before an offset.
    """
    read = QUOTATION.sub(" ", text) if inside_quotations else text
    ends = (_over_closers(text, end) for end in _segment_ends(read))
    return sorted({end for end in ends if is_full(text[:end])})


def is_full(text: str) -> bool:
    """Whether a text ends as a sentence does: with an end mark, behind it closing marks only."""
    return text.rstrip(CLOSERS + " \t\n").endswith(tuple(END_MARKS))


def _segment_ends(text: str) -> Iterator[int]:
    place = 0
    for segment in sentencex.segment("en", text):
        place += len(segment)
        if segment.strip():
            yield place - len(segment) + len(segment.rstrip())
    if place != len(text):
        raise RetrialError(
            f"sentencex: the sentences of a text have {place} characters, the text {len(text)}; "
            "install the version that envs/retrial.lock names"
        )


def _over_closers(text: str, end: int) -> int:
    while end < len(text) and text[end] in CLOSERS:
        end += 1
    return end

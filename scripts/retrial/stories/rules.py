"""The cleaning rules: which artefacts of tokenisation there are, and what stood there before.

A rule finds spans and says what replaces each. The list is the definition of what cleaning may
change; a rule that would have to guess what the writer wrote is not in it, or is optional.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Span = tuple[int, int, str]
"""Start and end of what is replaced, and what replaces it."""


@dataclass(frozen=True)
class Rule:
    """A named kind of artefact. `find` yields spans in order that do not overlap."""

    name: str
    doc: str
    find: Callable[[str], Iterator[Span]]


def _replace(pattern: str, after: str, flags: int = 0) -> Callable[[str], Iterator[Span]]:
    """Replaces every match of a pattern (empty ones are skipped) by the same text."""
    compiled = re.compile(pattern, flags)

    def find(text: str) -> Iterator[Span]:
        spans = (m.span() for m in compiled.finditer(text))
        return ((start, end, after) for start, end in spans if end > start)

    return find


TAGS = "WP|EU|CW|TT|IP|PI|OT|HP|FF|RF|CC|MP|Punch"
"""Tags of the subreddit: what kind of prompt it is. They are in any case, and may be joined."""

CLOSERS = "\"'”’)\\]}*_"
CLOSED_UP = (
    rf"(?<=\S)[ ]+(?=(?:[.,!?…][.,;:!?…]*|%)(?:[\s{CLOSERS}]|$))"
    rf"|(?<=\S)(?!(?<=\d)[ ]:[ ]\d)[ ]+(?=[;:](?![ ]/)(?:[\s\"”’]|$))"
)
"""A blank before a mark that ends a word. Not before `.45`, in `4 : 30`, nor before `:)`."""

SPLIT_OFF = r"(?<=\w)[ ]+(?=(?:n['’]t|['’](?:s|m|d|re|ve|ll))\b)"
SPLIT_WORDS = (
    r"(?:(?<=\bgon)|(?<=\bwan))[ ](?=na\b)|(?<=\bgot)[ ](?=ta\b)"
    r"|(?:(?<=\bgim)|(?<=\blem))[ ](?=me\b)"
)

BRACKETED = re.compile(r"([(\[{])([ ]+)[^()\[\]{}\n]*?[^()\[\]{}\n ]([ ]+)([)\]}])")
PAIR_OF = {"(": ")", "[": "]", "{": "}"}
PARAGRAPH = re.compile(r"[^\n]+")


def _brackets(text: str) -> Iterator[Span]:
    """The blanks inside a bracket that has them at both ends: `( x )`."""
    for match in BRACKETED.finditer(text):
        if PAIR_OF[match[1]] == match[4]:
            yield *match.span(2), ""
            yield *match.span(3), ""


def _spaced_quotes(text: str) -> Iterator[Span]:
    """The blanks inside quotation marks that stand alone: `" x "`.

    Within a paragraph marks open and close in turn. A paragraph with an odd number of them is
    left as it is, for one is missing and there is no telling where.
    """
    for paragraph in PARAGRAPH.finditer(text):
        first, last = paragraph.span()
        marks = [i for i in range(first, last) if text[i] == '"']
        if len(marks) % 2 == 0:
            done = first
            for turn, place in enumerate(marks):
                for span in _inside_blank(text, place, first, last, opens=turn % 2 == 0):
                    if span[0] >= done:  # the blank of `" "` is inside of both marks
                        yield span
                        done = span[1]


def _inside_blank(text: str, place: int, first: int, last: int, *, opens: bool) -> Iterator[Span]:
    """The blank between a mark that stands alone and what it quotes."""
    blank_before = place == first or text[place - 1] == " "
    blank_after = place + 1 == last or text[place + 1] == " "
    if not (blank_before and blank_after):
        return
    if opens and place + 1 < last:
        yield place + 1, place + 2, ""
    elif not opens and place > first:
        yield place - 1, place, ""


PROMPT_ONLY = (
    Rule(
        "prompt-tag",
        "`[ WP ]` before a prompt",
        _replace(rf"\A(?:\s*\[\s*(?:{TAGS})(?:\s*/\s*(?:{TAGS}))*\s*\]\s*)+", "", re.IGNORECASE),
    ),
)

RULES = (
    Rule("newline", "`<newline>` for a line's end", _replace(r"[ ]*<newline>[ ]*", "\n")),
    Rule("open-quote", "two backticks for an opening mark", _replace(r"``[ ]?", '"')),
    Rule("close-quote", "two apostrophes for a closing mark", _replace(r"[ ]?''", '"')),
    Rule("curly-quote", "blanks inside `“ x ”`", _replace(r"(?<=[“‘])[ ]+|[ ]+(?=”)", "")),
    Rule("contraction", "`do n't`, `it 's`", _replace(SPLIT_OFF, "", re.IGNORECASE)),
    Rule("split-word", "`gon na`, `got ta`, `gim me`", _replace(SPLIT_WORDS, "", re.IGNORECASE)),
    Rule("punctuation", "a blank before a mark", _replace(CLOSED_UP, "")),
    Rule("bracket", "blanks inside `( x )`", _brackets),
    Rule("spaced-quote", 'blanks inside `" x "`', _spaced_quotes),
    Rule("edge", "blanks before and after the text", _replace(r"\A\s+|\s+\Z", "")),
)
"""The rules that are applied, in order."""

OPTIONAL = (
    Rule("lower-i", "`i` for `I`", _replace(r"(?<![\w'.-])i(?=[ ]|'(?:m|d|ve|ll)\b)", "I")),
    Rule("dash", "` -- ` for a dash", _replace(r"[ ]--[ ]", "—")),
)
"""Not applied: whether the tokeniser or the writer left these can't be told."""

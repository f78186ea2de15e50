"""What TextAttack and its corpus leave in a text: marks of changed words, lines, HTML remnants."""

import html
import re

OPEN, CLOSE = "[[", "]]"
SPLIT = "<SPLIT>"
"""How a log writes a line feed of the text."""

_MARK = re.compile(re.escape(OPEN) + "|" + re.escape(CLOSE))
_NAMES = "quot|amp|lt|gt|nbsp"
_REMNANT = re.compile(
    rf"&(?P<whole>#\d{{2,4}}|{_NAMES});| ?#(?P<code>\d{{2,4}});| ?\b(?P<name>{_NAMES});"
)


class MarkError(Exception):
    """The marks of a text don't belong together, so nobody can say what the text was."""


def unmarked(text: str) -> str:
    """The text without its marks, and with its line feeds back.

    A changed word stands as `[[word]]`, twice marked as `[[[[word]]]]`; in `[[[word]]]` the inner
    brackets are the word's own. Nothing else changes. Brackets that the text itself doubles can't
    be told from marks. Raises MarkError for a mark without its other half.
    """
    kept, depth, start = [], 0, 0
    for mark in _MARK.finditer(text):
        kept.append(text[start : mark.start()])
        start = mark.end()
        depth += 1 if mark[0] == OPEN else -1
        if depth < 0:
            raise MarkError(f"{CLOSE} at character {mark.start() + 1} closes no {OPEN}")
    if depth:
        raise MarkError(f"{depth} of its marks {OPEN} are not closed")
    return "".join([*kept, text[start:]]).replace(SPLIT, "\n")


def has_html(text: str) -> bool:
    """Whether the text holds remnants of HTML: `#39;`, `quot;`, `&lt;`."""
    return _REMNANT.search(text) is not None


def without_html(text: str) -> str:
    """The characters that remnants of HTML stand for, in their place; all else is kept.

    The corpus has a blank where `&#39;` lost its ampersand: that blank goes too.
    """
    return _REMNANT.sub(_character, text)


def _character(remnant: re.Match[str]) -> str:
    name = remnant["whole"] or remnant["name"] or f"#{remnant['code']}"
    return html.unescape(f"&{name};")

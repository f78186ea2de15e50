"""The rule of Chiang and Lee 2023, appendix D.2.1, as published: no repairs.

The phrases "1-5", "out of 5" and "/5" (for attacked titles also "title 1" and "title 2") are
removed wherever they occur, inside other words and numbers too and in that spelling only; the
first number of what remains is the rating, half points kept. The rule can therefore misread
("scale of 1 to 5 ... 4" gives 1); the ``robust`` parser exists for that.
"""

import re
from typing import Final

from retrial.scoring.parsers.base import Order, Parsed

_PHRASES: Final = ("1-5", "out of 5", "/5")
_TITLE_PHRASES: Final = ("title 1", "title 2")
_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def _remove(text: str, offsets: list[int], phrase: str) -> tuple[str, list[int]]:
    """Drop every occurrence of the phrase; ``offsets[i]`` is where character i stood at first."""
    kept: list[int] = []
    start = 0
    while (at := text.find(phrase, start)) >= 0:
        kept += offsets[start:at]
        start = at + len(phrase)
    kept += offsets[start:]
    return text.replace(phrase, ""), kept


class Chiang2023:
    """First number after the scale phrases are removed (Chiang and Lee 2023, app. D.2.1).

    A number off the scale gives no value and status ``off_scale``: the paper names no rule for
    it. ``finish_reason`` is not looked at, as the published rule does not know it. A number that
    closes up only because a phrase was removed from its middle has a span over both parts.
    """

    id = "chiang2023"
    version = 1

    def __call__(
        self,
        text: str,
        *,
        task: str = "story",
        finish_reason: str | None = None,
        scale: tuple[float, float] = (1, 5),
        order: Order | None = None,
    ) -> Parsed:
        """Read one answer; the title phrases are removed when ``task`` is ``attack``.

        The published rule knows of no ``order``.
        """
        rest, offsets = text, list(range(len(text)))
        for phrase in _PHRASES + (_TITLE_PHRASES if task == "attack" else ()):
            if phrase in rest:
                rest, offsets = _remove(rest, offsets, phrase)
        if not text.strip():
            return Parsed(None, "empty", None, "the answer is empty")
        found = _NUMBER.search(rest)
        if found is None:
            return Parsed(None, "no_number", None, "no number after the scale phrases are removed")
        span = (offsets[found.start()], offsets[found.end() - 1] + 1)
        value = float(found.group())
        low, high = scale
        if not low <= value <= high:
            reason = f"the first number, {found.group()[:20]}, is not on {low:g} to {high:g}"
            return Parsed(None, "off_scale", span, reason)
        return Parsed(value, "ok", span, "first number after the scale phrases are removed")


PARSER: Final = Chiang2023()

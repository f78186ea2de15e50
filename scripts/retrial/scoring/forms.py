"""The form of the answers to a template: their scale, and where the rating stands."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from retrial.errors import RetrialError
from retrial.scoring.parsers.base import Order, Parsed, Parser

_STARTS_ANEW: Final = re.compile(r"\s*\Z|\s*1[.)]\s[^\n]*\n+[^\w\n]*2[.)]\s")
"""Answers that don't go on from the cue: nothing at all, and a numbered list."""


@dataclass(frozen=True)
class AnswerForm:
    """`scale` is lowest-highest; `cue` is how the prompt opens the answer ("Rating:").

    `order` says whether the rating comes before its reasons or after them; None where
    nothing is known.
    """

    scale: str = "1-5"
    order: Order | None = None
    cue: str = ""

    @property
    def ends(self) -> tuple[float, float]:
        """The two ends of the scale. Raises RetrialError for a scale that is not one."""
        found = re.fullmatch(r"(-?\d+(?:\.\d+)?)-(-?\d+(?:\.\d+)?)", self.scale)
        if found is None or not float(found[1]) < float(found[2]):
            raise RetrialError(
                f"scale {self.scale!r}: two numbers are wanted, the lowest first, as in 1-5; "
                "correct the template's ratings"
            )
        return float(found[1]), float(found[2])

    def read(self, parser: Parser, text: str, *, task: str, finish_reason: str | None) -> Parsed:
        """The parser's reading of an answer, behind its cue; spans count from the answer's start.

        Behind "Rating:" a bare number is labelled, as the one who answers meant it to be.
        """
        cue = "" if _STARTS_ANEW.match(text) else self.cue
        parsed = parser(
            cue + text,
            task=task,
            finish_reason=finish_reason,
            scale=self.ends,
            order=self.order,
        )
        if parsed.span is None:
            return parsed
        start, end = (max(place - len(cue), 0) for place in parsed.span)
        return replace(parsed, span=(start, end))


def forms_of(templates: Mapping[str, Mapping[str, Any]]) -> dict[str, AnswerForm]:
    """The forms by template, from `{template: {"scale", "order", "cue"}}`."""
    return {name: AnswerForm(**leaves) for name, leaves in templates.items()}

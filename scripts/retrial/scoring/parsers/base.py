"""What a parser returns, and the words that it uses for it."""

from dataclasses import dataclass
from typing import Final, Literal, Protocol

Status = Literal[
    "ok",
    "empty",
    "no_number",
    "off_scale",
    "other_scale",
    "range",
    "ambiguous",
    "refusal",
    "truncated",
]

STATUSES: Final[dict[str, str]] = {
    "ok": "a rating was read; the only status with a value",
    "empty": "nothing but white space or markup",
    "no_number": "no number in the text stands for a rating",
    "off_scale": "the rating that was given lies outside the scale",
    "other_scale": "the rating was given on another scale (8/10, 80 %); it is never converted",
    "range": "several values or a bound were given as the rating (3-4, at least 3)",
    "ambiguous": "different numbers could be the rating and nothing decides between them",
    "refusal": "the judge declined to rate and gave no rating",
    "truncated": "the answer was cut at the length limit before its rating was complete",
}

Order = Literal["rating-first", "analysis-first"]
"""Where the rating of an answer with reasons stands."""

FLAGS: Final[dict[str, str]] = {
    "answer-cut": "the answer met the length limit after the rating",
    "approximate": "the rating is hedged (about 4, roughly 4)",
    "finer-than-half": "the rating is not a multiple of one half",
    "lead-number": "the rating is a number that opens the answer, as in a list (4. The story ...)",
    "other-numbers": "weaker mentions of other numbers were passed over",
    "ran-on": "the answer went on with a new prompt of its own; only what precedes it was read",
    "revised": "an earlier labelled rating differs; the later one was read",
}


@dataclass(frozen=True, slots=True)
class Parsed:
    """One reading of one answer.

    ``value`` is None unless ``status`` is ``ok`` (see STATUSES). ``span`` holds the offsets, in
    code points of the text as given, of the number that was read; None when nothing was.
    ``reason`` is a sentence for people; ``flags`` are sorted keys of FLAGS.
    """

    value: float | None
    status: Status
    span: tuple[int, int] | None
    reason: str
    flags: tuple[str, ...] = ()


class Parser(Protocol):
    """A function from an answer's text to a rating, with a name and a version.

    ``version`` rises whenever some text would be read differently.
    """

    id: str
    version: int

    def __call__(
        self,
        text: str,
        *,
        task: str = "story",
        finish_reason: str | None = None,
        scale: tuple[float, float] = (1, 5),
        order: Order | None = None,
    ) -> Parsed:
        """Read one answer; ``task`` is story, attack or dialogue, ``scale`` its two ends.

        ``order`` is None where nothing is known of it.
        """
        ...

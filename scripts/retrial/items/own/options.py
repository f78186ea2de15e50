"""The options of a dataset of own dialogues: its scale, and what its own columns are for."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retrial.errors import RetrialError

KNOWN_COLUMNS = ("id", "turns", "speaker", "text", "split", "ratings", "ratings_by")
"""Columns whose meaning is fixed; options can't name them."""
LOWEST, HIGHEST = 1.0, 5.0
NUMBERS = ("scale_low", "scale_high")
TEXTS = ("rating_columns", "strata_columns", "ignored_columns")
UNRATED = "leave_out_unrated"


@dataclass(frozen=True)
class Scale:
    """The lowest and the highest rating that a user's file may hold."""

    low: float = LOWEST
    high: float = HIGHEST

    @property
    def kept(self) -> bool:
        """Whether it is the scale from 1 to 5, which is kept as it is."""
        return (self.low, self.high) == (LOWEST, HIGHEST)

    def holds(self, number: float) -> bool:
        """Whether the number lies on it, both ends included. NaN does not."""
        return self.low <= number <= self.high

    def mapped(self, number: float) -> float:
        """The number on the scale from 1 to 5: ``1 + 4 * (number - low) / (high - low)``.

        Exactly 1 and 5 at the ends, and never out of order. `number` must lie on the scale.
        """
        if self.kept:
            return float(number)
        return LOWEST + (HIGHEST - LOWEST) * ((number - self.low) / (self.high - self.low))

    def reason(self, number: float) -> str | None:
        """What a mapped rating was in the file, such as "3 of 0-10 mapped"; None if it is kept."""
        return None if self.kept else f"{plain(number)} of {self} mapped"

    def __str__(self) -> str:
        """Such as "0-10", or "-2 to 2"."""
        return f"{plain(self.low)}{'-' if self.low >= 0 else ' to '}{plain(self.high)}"


@dataclass(frozen=True)
class OwnOptions:
    """The options after checking."""

    scale: Scale = Scale()
    rating_columns: tuple[str, ...] = ()
    strata_columns: tuple[str, ...] = ()
    ignored_columns: tuple[str, ...] = ()
    leave_out_unrated: bool = False


def plain(number: float) -> str:
    """A number as people write it: 3 and not 3.0."""
    return repr(float(number)).removesuffix(".0")


def parse_options(given: Mapping[str, str | int | float | bool]) -> OwnOptions:
    """The options of the configuration. Raises RetrialError that names the option."""
    for name, value in given.items():
        kind, types = _kind(name)
        if isinstance(value, bool) != (name == UNRATED) or not isinstance(value, types):
            raise RetrialError(f"own-dialogues: option {name} is {value!r}; it must be {kind}")
    columns = {name: _names(str(given.get(name, ""))) for name in TEXTS}
    _check_columns(columns)
    return OwnOptions(_scale(given), **columns, leave_out_unrated=bool(given.get(UNRATED, False)))


def _kind(name: str) -> tuple[str, Any]:
    """What an option must be: in words, and its types."""
    if name in TEXTS:
        return "a text, column names joined by commas", str
    if name in NUMBERS:
        return "a number", (int, float)
    if name == UNRATED:
        return "true or false", bool
    known = ", ".join((*NUMBERS, *TEXTS, UNRATED))
    raise RetrialError(f"own-dialogues: unknown option {name!r}; known: {known}")


def _scale(given: Mapping[str, Any]) -> Scale:
    if (NUMBERS[0] in given) != (NUMBERS[1] in given):
        raise RetrialError("own-dialogues: give both scale_low and scale_high, or neither")
    try:
        scale = Scale(float(given.get(NUMBERS[0], LOWEST)), float(given.get(NUMBERS[1], HIGHEST)))
    except OverflowError as error:
        raise RetrialError("own-dialogues: options scale_low, scale_high: too large") from error
    if not (scale.low < scale.high and math.isfinite(scale.high - scale.low)):
        raise RetrialError(
            f"own-dialogues: the scale {scale} can't be used; scale_low must be below scale_high"
        )
    return scale


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))


def _check_columns(columns: Mapping[str, tuple[str, ...]]) -> None:
    """Each column has one use, and none of those with a fixed meaning is named."""
    uses = Counter(name for names in columns.values() for name in names)
    for option, names in columns.items():
        for name in names:
            if name in KNOWN_COLUMNS:
                what = "has a meaning of its own and can't be named"
            elif uses[name] > 1:
                what = "is named twice"
            else:
                continue
            raise RetrialError(f"own-dialogues: option {option}: the column {name!r} {what}")

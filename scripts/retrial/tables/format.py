"""Printing a number the way the papers do: decimal digits, ties rounded half up."""

import math
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext

from retrial.errors import RetrialError

UNDEFINED = "\N{EN DASH}"
_NOISE = Context(prec=12)
"""Digits that count: a sum of thirds that misses a tie by 1e-15 is still that tie."""


class FormatError(RetrialError):
    """A cell whose format is not a Python format specification for numbers."""


def print_value(value: float | None, format: str) -> str:
    """The value as printed by a Python format such as ".2f", ".0%", ".3f" or "d".

    Ties round half up, away from zero: 0.625 by ".2f" is 0.63 (jia2024 Table 2), where Python's
    own formatting gives 0.62. Nothing is printed as minus zero. None and NaN are undefined and
    give a dash.

    Raises FormatError for a format that no number can be printed by.
    """
    if value is None or math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return "\N{INFINITY}" if value > 0 else "-\N{INFINITY}"
    spec = format[:-1] + ".0f" if format.endswith("d") else format
    number = _NOISE.create_decimal(repr(float(value)))
    try:
        with localcontext() as context:
            context.rounding = ROUND_HALF_UP
            text = f"{number:{spec}}"
            if spec.endswith("g"):  # Decimal writes 0.0000036 where Python writes 3.6e-06
                text = f"{float(text):{spec}}"
            return text if _significant(text) else f"{Decimal(0):{spec}}"
    except ValueError as error:
        raise FormatError(
            f"{format!r} is no format for a number; use one such as .2f, .0% or d"
        ) from error


def _significant(text: str) -> bool:
    """Whether the printed text shows more than zeros."""
    return any(digit in text for digit in "123456789")

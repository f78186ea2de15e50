"""Checks of single values: texts, whole numbers written as names, and numbers on a scale."""

import re
from typing import Any

from retrial.items.own.faults import InvalidValueError
from retrial.items.own.options import Scale

LINE_BREAK = re.compile(r"\r\n?")
DIGITS = re.compile(r"[+-]?[0-9.]+")


def text(value: Any) -> str:
    """A text that is not blank, with every line break as a line feed. Raises InvalidValueError."""
    if value is None:
        raise InvalidValueError("is missing")
    if not isinstance(value, str):
        raise InvalidValueError(f"is {shown(value)}; it must be a text")
    if not value.strip():
        raise InvalidValueError("is empty")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidValueError("holds half of a character (a lone surrogate)") from error
    return LINE_BREAK.sub("\n", value)


def name(value: Any) -> str:
    """A text that is not blank, or a whole number as its digits. Raises InvalidValueError."""
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return str(value)
        except ValueError as error:
            raise InvalidValueError("is a number of too many digits") from error
    return text(value)


def number(value: Any, scale: Scale) -> float:
    """A number on the scale. Raises InvalidValueError."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        quoted = isinstance(value, str) and DIGITS.fullmatch(value.strip())
        hint = "; write it without quotes" if quoted else ""
        raise InvalidValueError(f"is {shown(value)}; a rating must be a number{hint}")
    if not scale.holds(value):
        raise InvalidValueError(f"is {shown(value)}, off the scale {scale}")
    return float(value)


def shown(value: Any) -> str:
    """The value, cut where it is long."""
    try:
        found = repr(value)
    except ValueError:
        return "a number of too many digits"
    return found if len(found) <= 60 else f"{found[:57]}..."

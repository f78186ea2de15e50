"""JSON Lines: one object a line."""

import json
from collections.abc import Iterator
from typing import Any

from retrial.items.own.faults import Place
from retrial.items.own.options import OwnOptions
from retrial.items.own.row import Row
from retrial.items.text_lines import text_lines


class _RepeatedKeyError(ValueError):
    pass


def rows(start: Place, wanted: OwnOptions) -> Iterator[Row]:
    """The objects of the lines that are not blank; other lines become faults."""
    lines, undecoded = text_lines(start.path)
    for fault in undecoded:
        start.at(fault.line).add("", fault.what)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        value = _object(line)
        if isinstance(value, dict):
            yield Row(start.at(number), value)
        else:
            start.at(number).add("", value)


def _object(line: str) -> dict[str, Any] | str:
    """The line's object, or what is wrong with the line."""
    try:
        value = json.loads(line, object_pairs_hook=_unique)
    except _RepeatedKeyError as error:
        return f"the key {error.args[0]!r} stands twice in one object"
    except json.JSONDecodeError as error:
        return f"is not JSON at column {error.colno}: {error.msg}"
    except (ValueError, RecursionError):
        return "is not JSON that can be read: a number is too long, or the nesting too deep"
    if not isinstance(value, dict):
        return "is not an object; write one dialogue a line, as {...}"
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _RepeatedKeyError(key)
        found[key] = value
    return found

"""Answers in, readings out, one a line: what ``retrial parse`` does."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from retrial.errors import RetrialError
from retrial.scoring.parsers.base import Parsed, Parser

TASKS = ("story", "attack", "dialogue")


def parse_lines(lines: Iterable[str], parser: Parser, *, json_lines: bool) -> Iterator[str]:
    """One line of output, without its line end, for every line of input, in order.

    With ``json_lines`` a line is an object with ``text`` and, where known, ``task``,
    ``finish_reason`` and ``scale`` ([low, high]); an object comes back with ``value`` (a float,
    null when there is none), ``status``, ``span`` ([start, end] in code points of the text, or
    null), ``flags`` and ``reason``. Otherwise a line is one answer, and value, status and the
    text that was read come back with tabs between them; a field without content is empty.

    Raises RetrialError that names the line when a line is no such object.
    """
    for number, line in enumerate(lines, start=1):
        content = line.rstrip("\r\n")
        if json_lines:
            yield _as_json(_parse_object(content, number, parser))
        else:
            yield _as_fields(content, parser(content))


def _as_json(parsed: Parsed) -> str:
    fields = {
        "value": parsed.value,
        "status": parsed.status,
        "span": None if parsed.span is None else list(parsed.span),
        "flags": list(parsed.flags),
        "reason": parsed.reason,
    }
    return json.dumps(fields, sort_keys=True, ensure_ascii=False, allow_nan=False)


def _as_fields(text: str, parsed: Parsed) -> str:
    value = "" if parsed.value is None else repr(parsed.value)
    read = "" if parsed.span is None else text[slice(*parsed.span)]
    return "\t".join((value, parsed.status, read.replace("\t", " ")))


def _parse_object(content: str, number: int, parser: Parser) -> Parsed:
    try:
        record = json.loads(content)
    except ValueError as error:
        raise _fault(number, f"not JSON ({error})") from None
    if not isinstance(record, dict):
        raise _fault(number, f"an object is wanted, not {type(record).__name__}")
    text = record.get("text")
    if not isinstance(text, str):
        raise _fault(number, "key 'text' is missing or is not a string")
    task = record.get("task", "story")
    if task not in TASKS:
        raise _fault(number, f"key 'task' is {task!r}; it is one of {', '.join(TASKS)}")
    finish_reason = record.get("finish_reason")
    if not (finish_reason is None or isinstance(finish_reason, str)):
        raise _fault(number, "key 'finish_reason' is neither a string nor null")
    scale = _scale(record.get("scale", [1, 5]), number)
    return parser(text, task=task, finish_reason=finish_reason or None, scale=scale)


def _scale(ends: Any, number: int) -> tuple[float, float]:
    if isinstance(ends, list) and len(ends) == 2:
        numeric = all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends)
        if numeric and ends[0] < ends[1]:
            return (ends[0], ends[1])
    raise _fault(number, f"key 'scale' is {ends!r}; it is [low, high], two numbers in order")


def _fault(number: int, what: str) -> RetrialError:
    example = '{"text": "Rating: 4"}'
    return RetrialError(f"line {number}: {what}; mend the line, for example {example}")

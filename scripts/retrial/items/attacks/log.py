"""TextAttack's CSV log of one attack: the pairs of texts of its successful rows."""

import io
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from retrial.errors import RetrialError
from retrial.items.attacks.marks import MarkError, unmarked
from retrial.items.text_lines import BOM, LineError, csv_rows

log = logging.getLogger("retrial")

BENIGN, ATTACKED, RESULT = "original_text", "perturbed_text", "result_type"
SUCCESSFUL = "Successful"
RESULTS = frozenset({SUCCESSFUL, "Failed", "Skipped"})
SHOWN = 5
"""Faults of one file that a message lists."""


@dataclass(frozen=True)
class AttackedText:
    """A text before and after a successful attack, without marks; `line` counts from 1."""

    line: int
    benign: str
    attacked: str


def read_log(data: bytes, name: str) -> list[AttackedText]:
    """The successful rows of a log, in its order. `name` is the file's in messages.

    A row is left out, and named in the log, when its marks don't fit, a text is blank, both are
    equal, or its benign text stands above already. Raises RetrialError, with the first bad lines,
    for a file that is no such log: other columns, broken quotes, bytes that are not UTF-8, a
    result that is none.
    """
    try:
        rows = list(_rows(data))
    except LineError as fault:
        raise _refused(name, [fault]) from fault
    header = rows[0][1] if rows else []
    if missing := [c for c in (BENIGN, ATTACKED, RESULT) if c not in header]:
        what = f"lacks the columns {', '.join(missing)}; is it a CSV log of TextAttack?"
        raise _refused(name, [LineError(1, what)])
    places = [header.index(column) for column in (BENIGN, ATTACKED, RESULT)]
    faults = list(_faults(rows[1:], len(header), places[2]))
    if faults:
        raise _refused(name, faults)
    benign, attacked, result = places
    return list(
        _usable(
            name,
            [(line, r[benign], r[attacked]) for line, r in rows[1:] if r[result] == SUCCESSFUL],
        )
    )


def _rows(data: bytes) -> Iterator[tuple[int, list[str]]]:
    try:
        text = data.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.removeprefix(BOM).count(b"\n", 0, error.start) + 1
        raise LineError(line, "is not UTF-8") from error
    return csv_rows(list(io.StringIO(text, newline="\n")))


def _faults(rows: Sequence[tuple[int, list[str]]], fields: int, result: int) -> Iterator[LineError]:
    for line, row in rows:
        if len(row) != fields:
            yield LineError(line, f"has {len(row)} fields; expected {fields}")
        elif row[result] not in RESULTS:
            wanted = ", ".join(sorted(RESULTS))
            yield LineError(line, f"has the result {row[result]!r}; expected one of {wanted}")


def _refused(name: str, faults: Sequence[LineError]) -> RetrialError:
    told = [f"  line {fault.line} {fault.what}" for fault in faults[:SHOWN]]
    more = [f"  and {len(faults) - SHOWN} more"] if len(faults) > SHOWN else []
    told += [*more, "get the file again, or leave it out of the dataset's configuration"]
    return RetrialError("\n".join([f"{name}: not a readable attack log:", *told]))


def _usable(name: str, rows: Sequence[tuple[int, str, str]]) -> Iterator[AttackedText]:
    seen: dict[str, int] = {}
    for line, marked_benign, marked_attacked in rows:
        try:
            benign, attacked = unmarked(marked_benign), unmarked(marked_attacked)
        except MarkError as error:
            log.warning("%s, line %d: left out: %s", name, line, error)
            continue
        if why := _useless(benign, attacked, seen):
            log.warning("%s, line %d: left out: %s", name, line, why)
            continue
        seen[benign] = line
        yield AttackedText(line, benign, attacked)


def _useless(benign: str, attacked: str, seen: dict[str, int]) -> str:
    if not benign.strip() or not attacked.strip():
        return "a text is blank"
    if benign == attacked:
        return "the attack changed nothing"
    return f"its benign text is that of line {seen[benign]}" if benign in seen else ""

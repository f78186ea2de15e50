"""The parse ledger: how answers were read, counted by status, with examples."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from retrial.tables.declare import ParseExample, StatusCount
from retrial.tables.select import Results

SHOWN = 240
"""Characters of an answer that an example shows: its beginning and its end."""
SEEN = ["request_id", "reading", "status", "reason", "score"]
Pair = tuple[dict[str, Any], dict[str, Any]]
"""Two parsers' readings of one answer."""


def parsed(spec: StatusCount | ParseExample, results: Results) -> dict[str, Any]:
    """The fields of a ledger cell about parsing."""
    return _count(spec, results) if isinstance(spec, StatusCount) else _example(spec, results)


def _count(spec: StatusCount, results: Results) -> dict[str, Any]:
    selected = results.select(spec.ratings)
    count = int(pc.sum(pc.equal(selected.rows["status"], spec.status)).as_py() or 0)
    return {
        "selections": [selected.record()],
        "excluded": sorted(selected.excluded.items()),
        "n": selected.rows.num_rows,
        "value": float(count),
    }


def _example(spec: ParseExample, results: Results) -> dict[str, Any]:
    selected = [results.select(spec.ratings), results.select(spec.other)]
    found = _found(spec, *(s.rows for s in selected))
    fields: dict[str, Any] = {"selections": [s.record() for s in selected], "n": len(found)}
    if spec.place >= len(found):
        return {**fields, "reason": "no such answer" if not found else "no further such answer"}
    return {**fields, "value_text": _field(spec, found[spec.place], results)}


def _found(spec: ParseExample, first: pa.Table, second: pa.Table) -> list[Pair]:
    """The answers of the kind, as pairs of readings, in the order in which they are shown."""
    first, second = (rows.sort_by("request_id") for rows in (first, second))
    place = pc.index_in(first["request_id"], value_set=second["request_id"].combine_chunks())
    first, second = first.filter(pc.is_valid(place)), second.take(place.drop_null())
    read = pc.and_(pc.is_valid(first["score"]), pc.is_valid(second["score"]))
    unequal = pc.fill_null(pc.not_equal(first["score"], second["score"]), False)
    wanted = pc.invert(read) if spec.kind == "unread" else pc.and_(read, unequal)
    sides = (rows.select(SEEN).filter(wanted).to_pylist() for rows in (first, second))
    seen: Counter[tuple[str, str]] = Counter()
    ordered: dict[str, tuple[int, Pair]] = {}
    for pair in zip(*sides, strict=True):
        statuses = (pair[0]["status"], pair[1]["status"])
        if pair[0]["request_id"] not in ordered:  # prompts that read the same share an answer
            ordered[pair[0]["request_id"]] = seen[statuses], pair
            seen[statuses] += 1
    return [pair for _, pair in sorted(ordered.values(), key=lambda place: place[0])]


def _field(spec: ParseExample, pair: Pair, results: Results) -> str:
    request: str = pair[0]["request_id"]
    if spec.field == "request":
        return request
    if spec.field == "reason":
        told = {f"{row['reading']}: {row['reason']}": None for row in pair if row["reason"]}
        return "; ".join(told) or "none given"
    if spec.field == "readings":
        return "; ".join(f"{row['reading']}: {_read(row)}" for row in pair)
    answers = results.answers(spec.answers)
    text = answers.filter(pc.equal(answers["request_id"], request))["text"][0].as_py()
    return text if len(text) <= SHOWN else f"{text[: SHOWN // 2]} ... {text[-SHOWN // 2 :]}"


def _read(row: Mapping[str, Any]) -> str:
    return row["status"] if row["score"] is None else f"{row['score']:g}"

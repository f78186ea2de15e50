"""The parse ledger: how answers were read, counted by status, with examples."""

from typing import Any

import pyarrow.compute as pc

from retrial.tables.declare import ParseExample, StatusCount
from retrial.tables.select import Results

SHOWN = 240
"""Characters of an answer that an example shows: its beginning and its end."""


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
    readings = _readings(spec, results)
    records = [results.select(s).record() for s in spec.ratings]
    found = sorted(request for request, rows in readings.items() if _wanted(spec, rows))
    fields: dict[str, Any] = {"selections": records, "n": len(found)}
    if not found:
        return {**fields, "reason": "no such answer"}
    return {**fields, "value_text": _field(spec, found[0], readings[found[0]], results)}


def _readings(spec: ParseExample, results: Results) -> dict[str, list[dict[str, Any]]]:
    """The rows of each answer, one for each parser, in the order of the selections."""
    found: dict[str, list[dict[str, Any]]] = {}
    for selection in spec.ratings:
        rows = results.select(selection).rows
        for row in rows.select(["request_id", "reading", "status", "reason", "score"]).to_pylist():
            found.setdefault(row["request_id"], []).append(row)
    return found


def _wanted(spec: ParseExample, rows: list[dict[str, Any]]) -> bool:
    if spec.status is None:
        return len({row["score"] for row in rows}) > 1
    return bool(rows[0]["status"] == spec.status)


def _field(spec: ParseExample, request: str, rows: list[dict[str, Any]], results: Results) -> str:
    if spec.field == "request":
        return request
    if spec.field == "reason":
        return rows[0]["reason"] or "none given"
    if spec.field == "readings":
        return "; ".join(f"{row['reading']}: {_read(row)}" for row in rows)
    answers = results.answers(spec.answers)
    text = answers.filter(pc.equal(answers["request_id"], request))["text"][0].as_py()
    return text if len(text) <= SHOWN else f"{text[: SHOWN // 2]} ... {text[-SHOWN // 2 :]}"


def _read(row: dict[str, Any]) -> str:
    return row["status"] if row["score"] is None else f"{row['score']:g}"

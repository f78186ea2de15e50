"""The ratings of one selection as script files: a head, and the rows in chunks.

A selection's files are named by the digest of its members, so cells that rest on the same
ratings share them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from retrial.report.answers import Answers
from retrial.report.behind import Behind
from retrial.report.scripts import pack, script_file
from retrial.tables.select import ROW, Selected

CHUNK = 1000
EXCERPT = 120
TITLES = {
    "label": "item",
    "dataset": "dataset",
    "attribute": "attribute",
    "condition": "condition",
    "replicate": "draw",
    "sample": "sample",
    "rater": "rater",
    "reading": "reading",
    "score": "rating",
    "status": "status",
    "text": "answer",
}
"""Columns of the table of ratings, in order. One that never varies stands in its caption."""
ALWAYS = ("label", "score", "status")


@dataclass
class RowFiles:
    """The row files of all selections: written once for each digest."""

    behind: Behind
    chunk: int = CHUNK
    files: dict[str, bytes] = field(default_factory=dict)
    heads: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, selected: Selected) -> dict[str, Any]:
        """The head of a selection's rows, whose files are written unless they are there."""
        name = selected.members_sha256[:16]
        if name not in self.heads:
            self.heads[name] = self._write(name, selected)
        return self.heads[name]

    def _write(self, name: str, selected: Selected) -> dict[str, Any]:
        rows = _in_order(selected, self.behind)
        answers = self.behind.answers(selected.selection.file)
        if answers is not None:
            answers.load()
        for number, start in enumerate(range(0, rows.num_rows, self.chunk)):
            part = rows.slice(start, self.chunk)
            content = _columns(part, self.behind, answers)
            key = f"rows/{name}/{number}"
            self.files[f"data/{key}.js"] = script_file(key, content)
        head = self._head(name, rows, answers)
        self.files[f"data/rows/{name}/head.js"] = script_file(f"rows/{name}/head", head)
        return head

    def _head(self, name: str, rows: pa.Table, answers: Answers | None) -> dict[str, Any]:
        statuses = Counter(rows["status"].to_pylist())
        varies = {k for k in TITLES if k in rows.column_names and len(rows[k].unique()) > 1}
        shown = {*ALWAYS, *varies, *(["text"] if answers and any(answers.texts.values()) else [])}
        datasets = sorted(set(rows["dataset"].to_pylist()))
        return {
            "name": name,
            "rows": rows.num_rows,
            "chunk": self.chunk,
            "statuses": sorted(statuses.items()),
            "columns": [[key, title] for key, title in TITLES.items() if key in shown],
            "items": {d: self.behind.items(d).store.head() for d in datasets},
            "answers": answers.store.head() if answers else None,
        }


def _in_order(selected: Selected, behind: Behind) -> pa.Table:
    """The rows by item as the sources list them, then by key."""
    rows = selected.rows
    ids = zip(rows["dataset"].to_pylist(), rows["item_id"].to_pylist(), strict=True)
    places = pa.array([behind.items(d).number(i) for d, i in ids], pa.int64())
    order = [(column, "ascending") for column in ("dataset", "place", *ROW)]
    return rows.append_column("place", places).sort_by(order)


def _columns(rows: pa.Table, behind: Behind, answers: Answers | None) -> dict[str, Any]:
    """Up to one chunk of rows, column by column."""
    names = ("item_id", "dataset", "request_id", "span_start", "span_end", "source", "source_line")
    found: dict[str, Sequence[Any]] = {name: rows[name].to_pylist() for name in names}
    ids = list(zip(found["dataset"], found["item_id"], strict=True))
    requests = list(zip(found["request_id"], found["item_id"], strict=True))
    columns: dict[str, Sequence[Any]] = {
        "label": [behind.items(d).label(i) for d, i in ids],
        "item": [behind.items(d).number(i) for d, i in ids],
        "dataset": found["dataset"],
        "from": found["span_start"],
        "to": found["span_end"],
        "place": list(_places(found, requests, answers)),
        "mass": [None if m is None else round(m, 6) for m in rows["rating_mass"].to_pylist()],
        "score": [None if s is None else round(s, 9) for s in rows["score"].to_pylist()],
    }
    for name in ("attribute", "condition", "replicate", "sample", "rater", "reading", "status",
                 "reason", "scale"):  # fmt: skip
        columns[name] = rows[name].to_pylist()
    if answers is not None:
        columns["answer"] = [answers.numbers.get(key) for key in requests]
        texts = (answers.texts.get(key, "") for key in requests)
        spans = zip(texts, found["span_start"], strict=True)
        columns["text"] = [excerpt(text, start) for text, start in spans]
    return {"rows": rows.num_rows, "columns": {k: pack(v) for k, v in columns.items()}}


def _places(
    found: dict[str, Sequence[Any]], requests: list[tuple[Any, str]], answers: Answers | None
) -> Iterator[str]:
    """Where each rating stands in its source; empty for answers that were asked here."""
    for source, line, key in zip(found["source"], found["source_line"], requests, strict=True):
        if source:
            yield f"{source}, line {line}"
        else:
            yield answers.places.get(key, "") if answers else ""


def excerpt(text: str, start: int | None) -> str:
    """At most EXCERPT characters of an answer on one line, around where the rating was read."""
    first = max(0, min((start or 0) - EXCERPT // 2, len(text) - EXCERPT))
    piece = " ".join(text[first : first + EXCERPT].split())
    before = "… " if first > 0 else ""
    return f"{before}{piece}{' …' if first + EXCERPT < len(text) else ''}"

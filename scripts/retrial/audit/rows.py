"""The chain behind single ratings: the answer, the exact prompt, the item and its source line."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from retrial.audit.influence import influences
from retrial.audit.members import Members
from retrial.audit.one_cell import OneCell
from retrial.audit.states import Link, State
from retrial.audit.steps import Marked, Step

Row = tuple[Members, dict[str, Any]]
"""A rating, and the selection that holds it."""
NOT_KEPT = "the wording of a recording's prompt is only declared"


@dataclass(frozen=True)
class Choice:
    """Which ratings to show: a seeded sample, those of an item, the ones that move the number
    most, or those that were left out."""

    sample: int = 0
    item: str | None = None
    worst: int = 0
    excluded: bool = False
    seed: int = 1


def row_steps(
    cell: OneCell, members: Sequence[Members], choice: Choice
) -> Iterator[tuple[Step, ...]]:
    """The chain of each chosen rating, in the order of the choice."""
    moves = {i.item_id: i for i in influences(cell)[: choice.worst]} if choice.worst else {}
    for group in _pooled(members):
        for one, row in _chosen(group, choice, list(moves)):
            moved = moves.get(row["item_id"])
            facts = {} if moved is None else {"moves the cell by": moved.moves,
                                              "value without it": moved.without}  # fmt: skip
            yield tuple(_chain(one, row, facts))


def _pooled(members: Sequence[Members]) -> Iterator[list[Members]]:
    """Selections of one rater that differ by dataset only, together: they are one sample."""
    groups: dict[tuple[object, ...], list[Members]] = {}
    for one in members:
        selection = one.selected.selection
        rater = selection.file.split("/")[1]  # ratings/<judge>/<dataset>
        groups.setdefault((selection.role, rater, selection.where), []).append(one)
    yield from groups.values()


def _chosen(group: Sequence[Members], choice: Choice, worst: Sequence[str]) -> list[Row]:
    rows = [(one, row) for one in group for row in one.rows]
    item = choice.item
    chosen = [r for r in rows if item is not None and r[1]["item_id"].startswith(item)]
    chosen += [r for item_id in worst for r in rows if r[1]["item_id"] == item_id]
    if choice.excluded:
        chosen += [r for r in rows if r[1]["score"] is None]
    if choice.sample and rows:
        generator = np.random.Generator(np.random.PCG64(choice.seed))
        count = min(choice.sample, len(rows))
        chosen += [rows[i] for i in sorted(generator.choice(len(rows), count, replace=False))]
    return chosen


def _chain(
    members: Members, row: Mapping[str, Any], influence: Mapping[str, float]
) -> Iterator[Step]:
    named = ("judge", "rater", "attribute", "condition", "replicate", "sample", "reading")
    facts = {name: row[name] for name in named if row[name] not in ("", None)}
    facts |= {"score": row["score"], "status": row["status"], **influence}
    if row["reason"]:
        facts["reason"] = row["reason"]
    yield Step(f"rating of item {row['item_id']}", facts)
    if not members.human:
        yield from _answer(members, row)
    yield _item(members, row)


def _answer(members: Members, row: Mapping[str, Any]) -> Iterator[Step]:
    """What came back, with the span that was read, and what was asked."""
    found = next((a for (request, _), a in members.answers.items()
                  if request == row["request_id"]), None)  # fmt: skip
    if found is None:
        yield Step("answer", {}, (Link(members.file, "answer", "MISSING", row["request_id"]),))
        return
    facts: dict[str, Any] = {"request": found["request_id"], "asked at": found["asked_at"],
                             "asked by": found["asked_by"], "engine": found["engine"]}  # fmt: skip
    if found["text"] is not None:
        facts["text"] = Marked(found["text"], row["span_start"], row["span_end"])
    else:
        facts["log-probabilities"] = dict(found["rating_logprobs"] or [])
    yield Step("answer", facts)
    prompt, kept = found["prompt_text"], found["prompt_text"] is not None
    state: State = "RECORDED" if kept else "ASSERTED"
    detail = "its digest is the request's id" if kept else NOT_KEPT
    asked = {**json.loads(found["asked"]), "text": prompt or "not kept"}
    yield Step("what was asked", asked, (Link(members.behind("answers"), "prompt", state, detail),))


def _item(members: Members, row: Mapping[str, Any]) -> Step:
    """The item, and the line of its source."""
    item = members.items.get(row["item_id"])
    if item is None:
        return Step("item", {}, (Link(members.items_file, "item", "MISSING", row["item_id"]),))
    turns = [f"{turn['speaker']}: {turn['text']}" for turn in item["turns"] or []]
    facts: dict[str, Any] = {"source": f"{item['source']} line {item['source_line']}"}
    facts |= members.origins.file_facts(item["source"])
    facts |= {name: item[name] for name in ("context", "text", "text_b") if item[name]}
    if turns:
        facts["dialogue"] = "\n".join(turns)
    if members.recorded:
        return Step("item", {"strata": dict(item["strata"]), **facts})
    return Step("item", facts, (members.origins.item_link(members.items_file, item),))

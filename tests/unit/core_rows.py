"""Smallest valid rows of every contract, for tests that build their own results folders."""

from pathlib import Path
from typing import Any

import pyarrow as pa
from story_rows import STORY_ROWS
from tuning_rows import TUNING_ROWS

from retrial.judging.templates import Part, Template
from retrial.record import CONTRACTS, Contract, Run, from_rows

TEMPLATE = Template(
    title="a test template",
    attribute="overall",
    instruction="Rate the dialogue from 1 to 5.\n\n",
    turn="{{ speaker }}: {{ text }}\n",
    example=Part(head="Dialogue:\n", tail="Rating: {{ label }}\n\n"),
    item=Part(head="Dialogue:\n", tail=""),
    cue="Rating:",
    ratings=("1", "2", "3", "4", "5"),
)


def turns(*texts: str) -> list[dict[str, str]]:
    """A dialogue whose speakers take turns."""
    return [{"speaker": "USER" if i % 2 == 0 else "SYSTEM", "text": t} for i, t in enumerate(texts)]


def item(item_id: str, split: str = "test", **fields: Any) -> dict[str, Any]:
    """A row of the items contract."""
    return {"item_id": item_id, "dataset": "d", "split": split, "kind": "dialogue",
            "turns": turns("hello", f"I am {item_id}"), "strata": [("subset", "d")],
            "source": "s/f", "source_line": 1, **fields}  # fmt: skip


def rating(item_id: str, score: float | None, **fields: Any) -> dict[str, Any]:
    """A judge's row of the ratings contract; without a score it is `no_rating_token`."""
    return {"judge": "j", "item_id": item_id, "dataset": "d", "attribute": "overall",
            "condition": "zero-shot", "replicate": 0, "sample": 0, "rater": "",
            "reading": "expectation", "score": score,
            "status": "ok" if score is not None else "no_rating_token",
            "scale": "1-5", "request_id": f"r-{item_id}", **fields}  # fmt: skip


def human(item_id: str, rater: str, score: float, **fields: Any) -> dict[str, Any]:
    """A person's row of the ratings contract."""
    return rating(item_id, score, judge="human", condition="", rater=rater, reading="human",
                  request_id=None, source="s/f", source_line=1, **fields)  # fmt: skip


def example_choice(item_id: str, example_id: str, rank: int = 0, **fields: Any) -> dict[str, Any]:
    """A row of the contract of example choices."""
    return {"item_id": item_id, "dataset": "d", "selector": "bm25-1", "replicate": 0,
            "rank": rank, "example_id": example_id, "truncated": False, **fields}  # fmt: skip


def prompt(prompt_id: str, *texts: str, **fields: Any) -> dict[str, Any]:
    """A row of the prompts contract, of a dialogue with these turns."""
    return {"prompt_id": prompt_id, "item_id": f"i-{prompt_id}", "dataset": "d",
            "attribute": "overall", "condition": "zero-shot", "replicate": 0,
            "template": "t", "template_sha256": TEMPLATE.sha256, "turns": turns(*texts),
            "examples": [], "shared_examples": False, "turn": 0, "text": None, "context": None,
            "text_b": None, "conversation_id": None, **fields}  # fmt: skip


def answer(request_id: str, **fields: Any) -> dict[str, Any]:
    """A row of the answers contract, by the logits method."""
    return {"request_id": request_id, "prompt_id": f"p-{request_id}", "judge": "j", "sample": 0,
            "method": "logits", "prompt_text": "Rating:", "asked": "{}",
            "rating_logprobs": [("1", -1.0), ("5", -2.0)],
            "finish_reason": "", "prompt_tokens": 10, "answer_tokens": 0, "examples_kept": 0,
            "turns_dropped": 0, "item_turns_dropped": 0, "answer_sha256": "a",
            "asked_at": "2024-01-01T00:00:00+00:00", "asked_by": "run", "engine": "e",
            "device": "cpu", **fields}  # fmt: skip


def link(recorded: str, item_id: str) -> dict[str, Any]:
    """A row of the links contract."""
    return {"recorded_item_id": recorded, "item_id": item_id, "score": 0.9, "margin": 0.1,
            "certainty": "clear"}  # fmt: skip


def cell(row: str = "r", column: str = "c") -> dict[str, Any]:
    """A row of the cells contract."""
    return {"table": "a_b", "row": row, "column": column, "row_order": 0, "column_order": 0,
            "block": "", "kind": "measured", "metric": "spearman", "parameters": "{}",
            "selections": [], "inputs": [], "value": 0.5, "format": ".2f", "n": 3,
            "excluded": [("too_long", 1)], "verdict": "", "inferred": False}  # fmt: skip


SAMPLES: dict[str, dict[str, Any]] = {
    "items": item("i"),
    "ratings": rating("i", 3.5),
    "examples": example_choice("i", "e"),
    "embeddings": {"item_id": "i", "vector": [0.6, 0.8], "truncated": False},
    "prompts": prompt("p", "hello"),
    "answers": answer("q"),
    "links": link("r", "i"),
    "cells": cell(),
    "figure_points": {
        "figure": "a_b",
        "panel": "p",
        "series": "s",
        "x": "1",
        "order": 0,
        "value": 0.5,
        "n": 3,
        "cell": "",
        "inferred": False,
    },
}
"""One valid row of each contract, by its name."""
SAMPLES.update(STORY_ROWS)
SAMPLES.update(TUNING_ROWS)


def write(root: Path, file: str, contract: str, *rows: dict[str, Any]) -> pa.Table:
    """Write rows as a results file below `root`, with its sidecar; returns the table."""
    kind: Contract = CONTRACTS[contract]
    table = from_rows(rows, kind)
    Run(rule="test", root=root).write_table(root / file, table, kind)
    return table

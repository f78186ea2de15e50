"""Made-up recordings and stories for the tests of the story order."""

from typing import Any, NamedTuple

import pyarrow as pa

from retrial.items.base import to_tables
from retrial.items.readers.chiang2023_stories import Story
from retrial.links.story_order import recover_order
from retrial.record import ANSWERS, ITEMS, PROMPTS, from_rows

WRITERS = ("human-written", "gpt2")


class Case(NamedTuple):
    """The tables that the recovery reads."""

    recorded: pa.Table
    prompts: pa.Table
    answers: pa.Table
    released: pa.Table

    def links(self, **settings: Any) -> dict[str, dict[str, Any]]:
        """The links by recorded item."""
        rows = recover_order(*self, **settings).to_pylist()
        return {row["recorded_item_id"]: row for row in rows}


def case(
    order: list[int], *, prompts: list[str] | None = None, lost: frozenset[int] = frozenset()
) -> Case:
    """Stories of made-up words; position p of both writers speaks of story `order[p]`.

    `lost`: stories whose prompt is damaged on the gpt2 side.
    """
    prompts = prompts or [f"premise{k}" for k in range(len(order))]
    stories, recorded, asked, answers = [], [], [], []
    for writer in WRITERS:
        for k, prompt in enumerate(prompts):
            shown = "#NAME?" if k in lost and writer == "gpt2" else prompt
            strata = {"writer": writer, "key": str(k)}
            stories.append(Story(f"plot{k} {writer}{k} scene{k} then", shown, "s/f", k + 1, strata))
        for position, k in enumerate(order):
            name = f"{writer}-{position}"
            recorded.append(_recorded(name, writer, position))
            asked.append(_prompt(name))
            answers.append(_answer(name, f"I rate it 4 since {writer}{k} meets {prompts[k]}"))
    tables = from_rows(recorded, ITEMS), from_rows(asked, PROMPTS), from_rows(answers, ANSWERS)
    return Case(*tables, to_tables(stories, "stories")[0])


def _recorded(name: str, writer: str, position: int) -> dict[str, Any]:
    return {
        "item_id": name,
        "dataset": "family",
        "split": "all",
        "kind": "story",
        "strata": [("writer", writer), ("position", str(position))],
        "source": "s/f",
        "source_line": position + 1,
    }


def _prompt(name: str) -> dict[str, Any]:
    texts = ("dataset", "attribute", "condition", "template", "template_sha256")
    counts = {"replicate": 0, "turn": 0, "examples": [], "shared_examples": False}
    return {"prompt_id": f"p-{name}", "item_id": name, **dict.fromkeys(texts, ""), **counts}


def _answer(name: str, text: str) -> dict[str, Any]:
    texts = ("judge", "method", "asked", "finish_reason", "answer_sha256", "asked_at", "asked_by")
    counts = ("sample", "prompt_tokens", "answer_tokens", "examples_kept", "turns_dropped")
    return {
        "request_id": f"a-{name}",
        "prompt_id": f"p-{name}",
        "text": text,
        **dict.fromkeys((*texts, "engine", "device"), ""),
        **dict.fromkeys((*counts, "item_turns_dropped"), 0),
    }


def keys(made: Case, **settings: Any) -> dict[str, int]:
    """Which story (by key) each recorded item is taken for."""
    key = {row["item_id"]: int(dict(row["strata"])["key"]) for row in made.released.to_pylist()}
    return {name: key[link["item_id"]] for name, link in made.links(**settings).items()}


def places(made: Case) -> dict[str, tuple[str, int]]:
    """Writer and position of every recorded item."""
    strata = {row["item_id"]: dict(row["strata"]) for row in made.recorded.to_pylist()}
    return {name: (s["writer"], int(s["position"])) for name, s in strata.items()}

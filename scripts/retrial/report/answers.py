"""Answers and the prompts that they answer, as entries of a store."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from retrial.audit.sidecars import Sidecar
from retrial.judging.recordings.chiang2023 import pointer
from retrial.record import ANSWERS, PROMPTS
from retrial.report.store import Pool, Store, facts

if TYPE_CHECKING:
    from retrial.report.behind import Behind

Row = Mapping[str, Any]
UNKNOWN_PROMPT = "The source of this recording does not hold the wording of its prompts."
TOKENS = (("prompt tokens", "prompt_tokens"), ("answer tokens", "answer_tokens"))
CUTS = (
    ("examples kept", "examples_kept"),
    ("turns cut", "turns_dropped"),
    ("turns of the item cut", "item_turns_dropped"),
)


@dataclass
class Answers:
    """The answers of one file and the prompts that they answer, as entries of a store.

    All answers of the file are stored on first use, those to one item together, so that the
    text of an item is written once for all conditions under which it was judged.
    """

    behind: "Behind"
    file: str
    store: Store
    numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    texts: dict[tuple[str, str], str] = field(default_factory=dict)
    places: dict[tuple[str, str], str] = field(default_factory=dict)

    @cached_property
    def sidecar(self) -> Sidecar:
        """How the answers were made."""
        return self.behind.sidecar(self.file)

    def load(self) -> None:
        """Store every answer of the file, once."""
        if self.numbers:
            return
        prompts = self._prompts()
        rows = self.behind.rows(self.file, ANSWERS)
        rows.sort(key=lambda a: (prompts[a["prompt_id"]]["item_id"], a["prompt_id"], a["sample"]))
        for answer in rows:
            prompt = prompts[answer["prompt_id"]]
            key = (answer["request_id"], prompt["item_id"])
            if key in self.numbers:
                continue
            self.numbers[key] = self.store.add(partial(_entry, answer=answer, prompt=prompt))
            self.texts[key] = answer["text"] or ""
            self.places[key] = self._place(answer, prompt)
        self.store.close()

    def _prompts(self) -> dict[str, dict[str, Any]]:
        files = self.sidecar.inputs_in("prompts") or [self._recorded_prompts]
        return {p["prompt_id"]: p for file in files for p in self.behind.rows(file, PROMPTS)}

    @property
    def _recorded_prompts(self) -> str:
        """A recording's prompts are written by the job that reads it."""
        _, _, dataset, name = self.file.split("/")
        return f"prompts/{dataset}/{name}"

    def _place(self, answer: Row, prompt: Row) -> str:
        """File and JSON pointer of a recorded answer; empty for answers asked here."""
        if answer["method"] != "recording":
            return ""
        files = self.sidecar.parameters.get("spec", {}).get("files", [])
        name = next((f["file"] for f in files if f["condition"] == prompt["condition"]), "")
        strata = dict(self.behind.items(prompt["dataset"]).by_id[prompt["item_id"]]["strata"])
        place = pointer(
            strata["writer"], prompt["attribute"], int(strata["position"]), answer["sample"]
        )
        return f"{name} {place}"


def _entry(pool: Pool, answer: Row, prompt: Row) -> dict[str, Any]:
    text = answer["prompt_text"]
    chances = sorted(answer["rating_logprobs"] or [])
    return {
        "prompt": None if text is None else [pool.put(line) for line in text.split("\n")],
        "note": pool.put(UNKNOWN_PROMPT) if text is None else None,
        "answer": pool.put(answer["text"]),
        "chances": [[pool.put(token), round(math.exp(p), 6)] for token, p in chances],
        "facts": facts(
            pool,
            [
                ("request", answer["request_id"]),
                ("prompt", prompt["prompt_id"]),
                ("template", prompt["template"]),
                ("examples", len(prompt["examples"]) or None),
                *((label, answer[name]) for label, name in TOKENS),
                *((label, answer[name] or None) for label, name in CUTS),
                ("finish reason", answer["finish_reason"]),
                ("asked", answer["asked_at"]),
                ("asked by", answer["asked_by"]),
                ("engine", answer["engine"]),
                ("device", answer["device"]),
                ("asked with", answer["asked"]),
                ("answer sha256", answer["answer_sha256"]),
            ],
        ),
    }

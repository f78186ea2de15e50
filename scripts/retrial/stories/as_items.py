"""Stories as items: the stories table of a generator becomes a dataset like any other.

What judges read is the trimmed text, and the cleaned prompt as its context. No person has rated
these stories, so the dataset has no human ratings.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retrial.errors import RetrialError
from retrial.items.base import HumanRating
from retrial.items.chiang2023 import GPT2, HUMAN_WRITTEN
from retrial.record import STORIES, read

WRITERS = {"human": HUMAN_WRITTEN, "generated": GPT2}
"""The writers as tables name them: gpt2 is the paper's word for the generator's side."""


@dataclass(frozen=True)
class WrittenStory:
    """A trimmed story and its prompt."""

    text: str
    context: str
    source: str
    source_line: int
    strata: Mapping[str, str] = field(default_factory=dict)
    ratings: tuple[HumanRating, ...] = ()

    def content(self) -> dict[str, Any]:
        """The kind, the text and the prompt."""
        return {"kind": "story", "text": self.text, "context": self.context}


def stories_as_items(paths: Sequence[Path], strata: Mapping[str, str]) -> Iterator[WrittenStory]:
    """The stories of all files in order.

    Strata: `writer` (human-written or gpt2), `generator`, `prompt_id` (joins the two writers'
    stories on a prompt), `story_id`, and `flags` where trimming left any. Stories of which
    trimming left nothing are refused by a RetrialError: a judge can't rate them.
    """
    for path in paths:
        for row in read(path, STORIES).to_pylist():
            if not row["text"]:
                raise RetrialError(
                    f"{path}: story {row['story_id']} ({row['source']}, line {row['source_line']}) "
                    "is empty after trimming; draw other prompts with another `seed`"
                )
            yield _item(row, strata)


def _item(row: Mapping[str, Any], strata: Mapping[str, str]) -> WrittenStory:
    own = {
        "writer": WRITERS[row["writer"]],
        "generator": row["generator"],
        "prompt_id": row["prompt_id"],
        "story_id": row["story_id"],
    }
    if row["flags"]:
        own["flags"] = " ".join(row["flags"])
    return WrittenStory(
        row["text"], row["prompt"], row["source"], row["source_line"], {**strata, **own}
    )

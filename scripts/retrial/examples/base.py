"""What every method of choosing examples works on and returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class SelectorSpec:
    """How examples are chosen: one entry of `selectors` in the configuration.

    `count` examples an item; `replicates` and `seed` are for random draws, `variant` and
    `tokenizer` for BM25, `embeddings` (of all items) for the encoder.
    """

    id: str
    method: str
    count: int
    replicates: int = 1
    seed: int = 1
    variant: Literal["smoothed", "okapi"] = "smoothed"
    tokenizer: str = "whitespace-lower"
    embeddings: pa.Table | None = None


@dataclass(frozen=True)
class Documents:
    """Items as texts, sorted by id. `folded` is what copies of an item have in common."""

    dataset: str
    ids: list[str]
    texts: list[str]
    folded: list[str]


@dataclass(frozen=True)
class Choices:
    """The chosen documents of the pool, best first.

    `indices` (replicates, items, count) into the pool; `scores` of the same shape, None for
    a random draw; `truncated` of the same shape, None where no text can be cut.
    """

    indices: Integers
    scores: Floats | None = None
    truncated: Flags | None = None


class Method(Protocol):
    """Chooses `spec.count` documents of the pool for each query, never a copy of it."""

    def __call__(self, pool: Documents, queries: Documents, spec: SelectorSpec) -> Choices:
        """The choices; RetrialError where too few documents are left to choose from."""
        ...


def fold(text: str) -> str:
    """The text without case and with single blanks: equal for copies of each other."""
    return " ".join(text.casefold().split())


def dialogue_text(turns: Sequence[Mapping[str, Any]]) -> str:
    """A dialogue as lines ``SPEAKER: text``, the form in which dialogues are compared."""
    return "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in turns)


def documents(rows: Sequence[Mapping[str, Any]], dataset: str) -> Documents:
    """The documents of rows of the items table (item_id, turns, text), sorted by id.

    Copies are told by what was said, whoever said it and however it was cut into turns.
    """
    ordered = sorted(rows, key=lambda row: str(row["item_id"]))
    texts, folded = [], []
    for row in ordered:
        turns = row["turns"]
        texts.append(row["text"] or "" if turns is None else dialogue_text(turns))
        said = texts[-1] if turns is None else " ".join(turn["text"] for turn in turns)
        folded.append(fold(said))
    return Documents(dataset, [row["item_id"] for row in ordered], texts, folded)

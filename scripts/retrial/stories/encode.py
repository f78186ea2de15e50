"""Prompts and stories as tokens, the same way for training and for drawing.

A sequence is prompt, separator, story, end of text. Prompt, separator and story are tokenised
apart and joined as tokens, so that a drawn story begins at exactly the token at which training
stories began. The separator is text of the model's own vocabulary (a blank line): no embedding
has to be learned from nothing. Nothing stands before the prompt.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from retrial.config.stories import Learning
from retrial.errors import RetrialError
from retrial.stories.clean import clean_prompt, clean_story
from retrial.stories.pairs import Pair

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Examples:
    """Token sequences end to end: `tokens[offsets[i]:offsets[i + 1]]` is sequence i.

    `starts[i]` is how many of its tokens stand before the story.
    """

    tokens: Ints
    offsets: npt.NDArray[np.int64]
    starts: Ints

    def __len__(self) -> int:
        """The number of sequences."""
        return len(self.starts)

    @property
    def digest(self) -> str:
        """sha256 over the three arrays."""
        total = hashlib.sha256()
        for array in (self.tokens, self.offsets, self.starts):
            total.update(np.ascontiguousarray(array).astype("<i8").tobytes())
        return total.hexdigest()

    def sequence(self, i: int) -> Ints:
        """The tokens of one sequence."""
        return self.tokens[self.offsets[i] : self.offsets[i + 1]]


class StoryEncoder:
    """Encodes pairs with a model's tokenizer, which must have an end-of-text token."""

    def __init__(self, tokenizer: Any, learning: Learning, context: int) -> None:
        if tokenizer.eos_token_id is None:
            raise RetrialError("generator: its tokenizer has no end-of-text token; choose another")
        self.tokenizer, self.learning = tokenizer, learning
        self.end: int = tokenizer.eos_token_id
        self.separator = self._ids(learning.separator)
        self.longest = min(learning.max_tokens, context)
        if self.longest <= learning.prompt_tokens + len(self.separator):
            raise RetrialError(
                f"generator: sequences of {self.longest} tokens leave no room for a story behind a "
                f"prompt of {learning.prompt_tokens}; raise max_tokens or lower prompt_tokens"
            )

    def prompt_text(self, pair: Pair) -> str:
        """The prompt as the generator reads it."""
        return clean_prompt(pair.prompt).text if self.learning.clean else pair.prompt

    def opening(self, prompt: str) -> list[int]:
        """The tokens before a story: the prompt, cut to its limit, and the separator."""
        return self._ids(prompt)[: self.learning.prompt_tokens] + self.separator

    def sequence(self, pair: Pair) -> tuple[list[int], int]:
        """The tokens of a pair, cut to the limit, and how many stand before the story."""
        opening = self.opening(self.prompt_text(pair))
        story = clean_story(pair.story).text if self.learning.clean else pair.story
        return [*opening, *self._ids(story), self.end][: self.longest], len(opening)

    def examples(self, pairs: Iterable[Pair]) -> Examples:
        """All pairs, in order."""
        chunks: list[Ints] = []
        starts = []
        for tokens, start in map(self.sequence, pairs):
            chunks.append(np.array(tokens, dtype=np.int32))
            starts.append(start)
        lengths = np.array([0, *map(len, chunks)], dtype=np.int64)
        flat = np.concatenate([*chunks, np.empty(0, np.int32)]).astype(np.int32)
        return Examples(flat, np.cumsum(lengths), np.array(starts, dtype=np.int32))

    def _ids(self, text: str) -> list[int]:
        found: list[int] = self.tokenizer(text, add_special_tokens=False, verbose=False).input_ids
        return found


def padded(examples: Examples, rows: Iterable[int], pad: int) -> dict[str, Any]:
    """The sequences as one batch, padded on the right: input_ids, attention_mask, story.

    `story` marks the tokens that are predicted: the story's, and the end of text.
    """
    import torch

    chosen = list(rows)
    sequences = [examples.sequence(i) for i in chosen]
    shape = len(sequences), max(map(len, sequences))
    ids = torch.full(shape, pad, dtype=torch.long)
    mask, story = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.bool)
    for row, (i, sequence) in enumerate(zip(chosen, sequences, strict=True)):
        ids[row, : len(sequence)] = torch.from_numpy(sequence.astype(np.int64))
        mask[row, : len(sequence)] = 1
        story[row, examples.starts[i] : len(sequence)] = True
    return {"input_ids": ids, "attention_mask": mask, "story": story}


def in_batches(rows: Iterable[int], size: int) -> Iterator[list[int]]:
    """Consecutive groups of rows, the last one maybe smaller."""
    listed = list(rows)
    return (listed[i : i + size] for i in range(0, len(listed), size))

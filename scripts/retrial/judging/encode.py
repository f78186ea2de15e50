"""Texts to token ids, with exactly one beginning-of-text token and nothing at the end."""

from collections.abc import Callable
from typing import Any

Encode = Callable[[str], tuple[int, ...]]
"""A text's token ids as the model is to read them."""


class PromptEncoder:
    """Encodes whole prompts for one tokenizer.

    For a causal model an end-of-text token that the tokenizer would append is cut off, since
    the answer is to follow. A prompt that opens with the beginning-of-text mark itself, as
    chat templates write it, does not get a second one.
    """

    def __init__(self, tokenizer: Any, *, keep_end: bool = False) -> None:
        """`keep_end` is for encoder-decoder models, whose prompts end with the end mark."""
        self._tokenizer = tokenizer
        self._keep_end = keep_end
        probe = self._ids("a", special=True)
        plain = self._ids("a", special=False)
        self._appends_end = len(probe) > len(plain) and probe[-1] == tokenizer.eos_token_id

    def __call__(self, text: str) -> tuple[int, ...]:
        """The prompt's tokens; equal texts give equal tokens."""
        bos = self._tokenizer.bos_token
        special = not (bos and text.startswith(bos))
        ids = self._ids(text, special=special)
        if special and self._appends_end and not self._keep_end:
            ids = ids[:-1]
        return tuple(ids)

    def count(self, text: str) -> int:
        """The number of tokens of a prompt."""
        return len(self(text))

    def label(self, text: str) -> tuple[int, ...]:
        """The tokens of a text that stands alone in the answer: no marks at either end."""
        return tuple(self._ids(text, special=False))

    def _ids(self, text: str, *, special: bool) -> list[int]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=special, verbose=False)[
            "input_ids"
        ]
        return ids

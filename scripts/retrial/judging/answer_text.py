"""One generated answer as it grows: its tokens, its text, and what ended it."""

from dataclasses import dataclass, field
from typing import Any

from retrial.judging.rating_tokens import Tokens
from retrial.judging.sampling import chance

CONTEXT = 8
"""Tokens of the prompt that the answer's text is decoded behind: blanks depend on them."""

INCOMPLETE = "\ufffd"
"""What the bytes of a character that is not whole decode to."""


@dataclass(frozen=True)
class Ending:
    """What ends an answer: end tokens, texts to stop before, the most tokens it may have."""

    tokens: frozenset[int]
    stop: tuple[str, ...]
    limit: int


@dataclass(frozen=True)
class GeneratedAnswer:
    """An answer as text. `finish_reason` is `stop` (end token or stop text) or `length`.

    The text holds neither the prompt nor the stop text, nor a part of a character. `tokens`
    counts all tokens that were generated for it.
    """

    request_id: str
    text: str
    finish_reason: str
    tokens: int


@dataclass
class GrowingAnswer:
    """An answer in the making. `finish_reason` is empty until it is done."""

    request_id: str
    tokenizer: Any
    context: Tokens
    ending: Ending
    tokens: list[int] = field(default_factory=list)
    finish_reason: str = ""

    def __post_init__(self) -> None:
        """Prepares what decoding needs at every token."""
        self._chance = chance(self.request_id)
        self._context = list(self.context[-CONTEXT:])
        self._before = self._decode(self._context)
        self._generated = 0
        self._cut: int | None = None

    def uniform(self) -> float:
        """The next random number of this answer, in [0, 1)."""
        return self._chance.random()

    def add(self, token: int) -> None:
        """Takes the next token; the answer may be done after it."""
        self._generated += 1
        if token in self.ending.tokens:
            self.finish_reason = "stop"
            return
        self.tokens.append(token)
        if self.ending.stop:
            text = self._text()
            found = [at for s in self.ending.stop if (at := text.find(s)) >= 0]
            if found:
                self.finish_reason, self._cut = "stop", min(found)
                return
        if self._generated >= self.ending.limit:
            self.finish_reason = "length"

    def done(self) -> GeneratedAnswer:
        """The finished answer."""
        text = self._text()[: self._cut].rstrip(INCOMPLETE)
        return GeneratedAnswer(self.request_id, text, self.finish_reason, self._generated)

    def _text(self) -> str:
        """The text behind the prompt: decoded together with the prompt's last tokens."""
        whole = self._decode([*self._context, *self.tokens])
        if whole.startswith(self._before):
            return whole[len(self._before) :]
        return self._decode(self.tokens)

    def _decode(self, tokens: list[int]) -> str:
        text: str = self.tokenizer.decode(
            tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return text


def end_tokens(model: Any, tokenizer: Any) -> frozenset[int]:
    """Every token that ends an answer: of the generation settings (or the model's), and </s>."""
    settings = getattr(model, "generation_config", None)
    stated = getattr(settings, "eos_token_id", None)
    if stated is None:
        stated = model.config.get_text_config(decoder=True).eos_token_id
    listed = stated if isinstance(stated, list | tuple) else [stated]
    return frozenset(int(t) for t in [*listed, tokenizer.eos_token_id] if t is not None)

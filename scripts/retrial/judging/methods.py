"""The method of a condition: rating tokens are read (logits), or text is drawn (generation)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retrial.config import Sampling
from retrial.errors import RetrialError
from retrial.judging.generation import Drawing


@dataclass(frozen=True)
class Method:
    """How the prompts of a condition are answered; `sampling` is that of generated answers."""

    name: str
    sampling: Sampling | None = None

    @property
    def samples(self) -> int:
        """Answers to each prompt: one where nothing is drawn by chance."""
        if self.sampling is None or self.sampling.temperature == 0:
            return 1
        return self.sampling.samples

    @property
    def asked(self) -> dict[str, Any] | None:
        """What of the sampling decides an answer; chance has no part in temperature 0."""
        if self.sampling is None:
            return None
        drawn = self.sampling.temperature > 0
        return {
            "temperature": self.sampling.temperature,
            "top_p": self.sampling.top_p if drawn else 1.0,
            "stop": list(self.sampling.stop),
            "answer_tokens": self.sampling.answer_tokens,
            "seed": self.sampling.seed if drawn else None,
        }

    @property
    def drawing(self) -> Drawing:
        """What the generating code needs to know. Only for generation."""
        assert self.sampling is not None, "logits are read, not drawn"
        sampling = self.sampling
        return Drawing(
            sampling.temperature, sampling.top_p, tuple(sampling.stop), sampling.answer_tokens
        )

    def prompt_limit(self, limit: int, reserve: int, *, seq2seq: bool) -> int:
        """The most tokens of a prompt, where `limit` leaves `reserve` tokens for a rating.

        The room of a drawn answer is kept free instead, unless a decoder of its own holds it.
        """
        if self.sampling is None or seq2seq:
            return limit
        room = limit + reserve - self.sampling.answer_tokens
        if room < 1:
            raise RetrialError(
                f"an answer of {self.sampling.answer_tokens} tokens fills the context of "
                f"{limit + reserve}; set a smaller answer_tokens for this condition"
            )
        return room


LOGITS = Method("logits")


def methods_of(conditions: Mapping[str, Mapping[str, Any]]) -> dict[str, Method]:
    """The method of each condition, from `{condition: {"method", "sampling"}}`.

    Raises RetrialError for a method that no live judge is asked by.
    """
    return {name: _method(name, leaves) for name, leaves in conditions.items()}


def _method(condition: str, leaves: Mapping[str, Any]) -> Method:
    name = leaves["method"]
    if name == "logits":
        return LOGITS
    if name != "generation":
        raise RetrialError(f"condition {condition}: a live judge can't be asked by method {name!r}")
    if "" in leaves["sampling"].get("stop", ()):
        raise RetrialError(f"condition {condition}: sampling.stop: an empty text ends every answer")
    return Method(name, Sampling.model_validate(leaves["sampling"]))

"""Reads completions in the shapes that servers return them in.

Log-probabilities come in two shapes: `content[i].top_logprobs = [{token, logprob}]` (chat, and
some servers' completions), and `top_logprobs[i] = {token: logprob}` (older completions).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retrial.errors import RetrialError


@dataclass(frozen=True)
class Position:
    """One token of an answer: its text, its log-probability, and the likeliest alternatives."""

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Completion:
    """One answer; `positions` is None where the server returned no log-probabilities."""

    text: str
    finish_reason: str
    positions: tuple[Position, ...] | None
    prompt_tokens: int | None
    answer_tokens: int | None
    model: str


def read_completion(answer: Mapping[str, Any]) -> Completion:
    """The first choice of a server's answer. RetrialError where there is none."""
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        raise RetrialError(f"the server's answer has no choices: {str(dict(answer))[:200]}")
    choice = choices[0]
    message = choice.get("message") or {}
    refusal = message.get("refusal")
    text = refusal or message.get("content") or choice.get("text") or ""
    usage = answer.get("usage") or {}
    return Completion(
        text=text,
        finish_reason="refusal" if refusal else str(choice.get("finish_reason") or ""),
        positions=_positions(choice.get("logprobs")),
        prompt_tokens=usage.get("prompt_tokens"),
        answer_tokens=usage.get("completion_tokens"),
        model=str(answer.get("model") or ""),
    )


def _positions(logprobs: Mapping[str, Any] | None) -> tuple[Position, ...] | None:
    if not logprobs:
        return None
    if content := logprobs.get("content"):
        return tuple(
            Position(
                entry["token"],
                float(entry["logprob"]),
                tuple((t["token"], float(t["logprob"])) for t in entry.get("top_logprobs") or ()),
            )
            for entry in content
        )
    if tops := logprobs.get("top_logprobs"):
        tokens = logprobs.get("tokens") or [""] * len(tops)
        own = logprobs.get("token_logprobs") or [0.0] * len(tops)
        return tuple(
            Position(token, float(logprob or 0.0), tuple((t, float(p)) for t, p in top.items()))
            for token, logprob, top in zip(tokens, own, tops, strict=True)
        )
    return None


def rating_logprobs(
    positions: Sequence[Position], ratings: Sequence[str]
) -> dict[str, float] | None:
    """Log-probability of each rating, at the first place where the answer is more than a blank.

    Tokenizers without a token for " 4" answer with a blank first; its probability is counted
    in, and the rating is read behind it. Spellings of one rating ("4", " 4") are added. A
    rating that the server does not list is absent: its probability is below all that it lists.
    None when the answer is nothing but blanks.
    """
    lead = 0.0
    for position in positions:
        if position.token.strip() or _holds_rating(position, ratings):
            found: dict[str, list[float]] = {}
            for token, logprob in position.top or ((position.token, position.logprob),):
                if token.strip() in ratings:
                    found.setdefault(token.strip(), []).append(lead + logprob)
            return {rating: _added(found[rating]) for rating in ratings if rating in found}
        lead += position.logprob
    return None


def _holds_rating(position: Position, ratings: Sequence[str]) -> bool:
    return sum(math.exp(p) for token, p in position.top if token.strip() in ratings) > 0.5


def _added(logprobs: Sequence[float]) -> float:
    highest = max(logprobs)
    return highest + math.log(sum(math.exp(p - highest) for p in logprobs))

"""Prompts as tokens, and their answers, for tests of scoring by logits."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from tiny_models import VOCABULARY

from retrial.judging.logits import ScoredRequest, TokenRequest, score_ratings
from retrial.judging.models import LoadedJudge
from retrial.judging.rating_tokens import RatingTokens

PLAIN = RatingTokens({"a": ((5,),), "b": ((6,), (7,)), "c": ((5, 8),), "d": ((9, 10, 11),)}, "")


def prompts(seed: int = 0) -> list[tuple[int, ...]]:
    """Prompts with shared beginnings, one inside another, a duplicate, and a stranger."""
    generator = torch.Generator().manual_seed(seed)

    def draw(n: int) -> tuple[int, ...]:
        return tuple(torch.randint(12, VOCABULARY, (n,), generator=generator).tolist())

    head = draw(9)
    twin = head + draw(4)
    return [head + draw(5), twin, draw(3), head, twin, head + draw(7), draw(1), head[:4] + draw(9)]


def requests_of(contexts: Sequence[tuple[int, ...]], tokens: RatingTokens) -> list[TokenRequest]:
    """One request per context, named by its place."""
    return [TokenRequest(str(i), context, tokens) for i, context in enumerate(contexts)]


def scored(judge: LoadedJudge, asked: list[TokenRequest], **options: Any) -> dict[str, Any]:
    """The answers by request id."""
    found: list[ScoredRequest] = list(score_ratings(judge, asked, **options))
    assert len(found) == len(asked)
    return {s.request_id: s for s in found}


def probability(judge: LoadedJudge, context: tuple[int, ...], spelling: tuple[int, ...]) -> float:
    """The product of conditional probabilities, from one pass over all positions."""
    with torch.no_grad():
        logits = judge.model(torch.tensor([context + spelling]), use_cache=False).logits[0]
    rows = torch.softmax(logits.double(), dim=-1)[len(context) - 1 :]
    return math.prod(rows[i, token].item() for i, token in enumerate(spelling))

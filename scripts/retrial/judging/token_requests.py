"""What is asked of a model by the logits method, and how its answer is put together."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from retrial.judging.rating_tokens import RatingTokens, Tokens


@dataclass(frozen=True)
class TokenRequest:
    """One prompt as tokens, with the rating tokens to read behind it."""

    request_id: str
    token_ids: Tokens
    rating_tokens: RatingTokens


@dataclass(frozen=True)
class ScoredRequest:
    """Natural logarithm of each rating's probability, over the whole vocabulary.

    Nothing is renormalised: the probabilities add up to the rating mass, at most 1. A rating
    of probability 0 is absent.
    """

    request_id: str
    rating_logprobs: dict[str, float]
    prompt_tokens: int


def next_tokens(rating_tokens: RatingTokens) -> dict[Tokens, tuple[int, ...]]:
    """For each beginning of a spelling, () among them, the tokens to read behind it, sorted."""
    wanted: dict[Tokens, set[int]] = {(): set()}
    for spelling in _all_spellings(rating_tokens.sequences):
        for length in range(len(spelling)):
            wanted.setdefault(spelling[:length], set()).add(spelling[length])
    return {beginning: tuple(sorted(ids)) for beginning, ids in wanted.items()}


def rating_logprobs(
    rating_tokens: RatingTokens, read: Mapping[Tokens, Mapping[int, float]]
) -> dict[str, float]:
    """Puts the ratings together from the log-probabilities behind each beginning.

    A spelling that another rating continues (`1` where `10` is `1`, `0`) counts only as far
    as the other does not follow.
    """
    spellings = set(_all_spellings(rating_tokens.sequences))
    path = {s: _path(s, read) for s in spellings}
    own = {s: _without(path[s], [path[t] for t in _continued(s, spellings)]) for s in spellings}
    sums = {r: _log_sum(own[s] for s in found) for r, found in rating_tokens.sequences.items()}
    return {r: value for r, value in sums.items() if value > -math.inf}


def _all_spellings(sequences: Mapping[str, tuple[Tokens, ...]]) -> Iterable[Tokens]:
    return (spelling for found in sequences.values() for spelling in found)


def _path(spelling: Tokens, read: Mapping[Tokens, Mapping[int, float]]) -> float:
    return math.fsum(read[spelling[:i]][token] for i, token in enumerate(spelling))


def _continued(spelling: Tokens, spellings: set[Tokens]) -> list[Tokens]:
    """The nearest longer spellings that begin with this one."""
    longer = [t for t in spellings if len(t) > len(spelling) and t[: len(spelling)] == spelling]
    return [t for t in longer if not any(t != u and t[: len(u)] == u for u in longer)]


def _without(whole: float, parts: Iterable[float]) -> float:
    """log(exp(whole) - sum exp(parts)), -inf where nothing is left."""
    if whole == -math.inf:
        return whole
    rest = 1.0 - math.fsum(math.exp(part - whole) for part in parts)
    return whole + math.log(rest) if rest > 0.0 else -math.inf


def _log_sum(values: Iterable[float]) -> float:
    listed = list(values)
    top = max(listed)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(v - top) for v in listed))

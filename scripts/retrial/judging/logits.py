"""Scoring by logits (jia2024, section 3): the probability of each rating as the answer.

The probabilities are those of the model's full vocabulary. Nothing is renormalised here, so
that the mass on rating tokens stays known.
"""

from collections.abc import Callable, Iterator, Sequence

import torch

from retrial.errors import RetrialError
from retrial.judging import forward
from retrial.judging.models import LoadedJudge
from retrial.judging.rating_tokens import Tokens
from retrial.judging.token_requests import (
    ScoredRequest,
    TokenRequest,
    next_tokens,
    rating_logprobs,
)

__all__ = ["ScoredRequest", "TokenRequest", "score_ratings"]

Place = tuple[Tokens, Tokens]
"""Where to read: what the model is given, and the decoder's own tokens (seq2seq only)."""

Progress = Callable[[int], None]


def score_ratings(
    judge: LoadedJudge,
    requests: Sequence[TokenRequest],
    *,
    strategy: str = "auto",
    batch_tokens: int = 16384,
    on_progress: Progress | None = None,
) -> Iterator[ScoredRequest]:
    """The rating log-probabilities of each request, in the order in which they get ready.

    `strategy` is `shared-prefix`, `batched`, `plain` or `auto`; all agree to about 1e-5 in
    float32. Nothing is kept from one call to the next, so the same requests always repeat
    the same arithmetic. Prompts that are asked twice are computed once. `on_progress` is
    told how many prompt tokens are done so far. Raises RetrialError for a prompt that is
    longer than the context and for logits that are not finite.
    """
    answers = _Answers(judge, requests)
    done = 0
    for place, logits in _read(judge, answers.places(), judge.strategy(strategy), batch_tokens):
        yield from answers.add(place, logits)
        done += len(place[0])
        if on_progress is not None:
            on_progress(done)


class _Answers:
    """Which places each request needs, and the requests that have all of theirs."""

    def __init__(self, judge: LoadedJudge, requests: Sequence[TokenRequest]) -> None:
        self._seq2seq = judge.architecture == "seq2seq"
        self._wanted: dict[Place, set[int]] = {}
        self._users: dict[Place, list[TokenRequest]] = {}
        self._read: dict[Place, dict[int, float]] = {}
        self._missing: dict[str, int] = {}
        for request in requests:
            self._add_request(request, judge.context_tokens)

    def places(self) -> list[Place]:
        """Every place to be read, each once."""
        return list(self._wanted)

    def add(self, place: Place, logits: torch.Tensor) -> Iterator[ScoredRequest]:
        """Takes the logits of one place; yields the requests that it completes."""
        self._read[place] = _log_probs(logits, sorted(self._wanted[place]))
        for request in self._users[place]:
            self._missing[request.request_id] -= 1
            if not self._missing[request.request_id]:
                yield self._scored(request)

    def _add_request(self, request: TokenRequest, limit: int) -> None:
        if request.request_id in self._missing:
            raise RetrialError(f"request {request.request_id} is asked twice in one call")
        if not request.token_ids:
            raise RetrialError(f"request {request.request_id}: its prompt has no tokens")
        wanted = next_tokens(request.rating_tokens)
        self._missing[request.request_id] = len(wanted)
        for beginning, tokens in wanted.items():
            place = self._place(request, beginning)
            if len(place[0]) > limit:
                raise RetrialError(
                    f"request {request.request_id}: {len(place[0])} tokens, but the model's "
                    f"context holds {limit}; the prompt must be cut first"
                )
            self._wanted.setdefault(place, set()).update(tokens)
            self._users.setdefault(place, []).append(request)

    def _place(self, request: TokenRequest, beginning: Tokens) -> Place:
        if self._seq2seq:
            return request.token_ids, request.rating_tokens.lead + beginning
        return request.token_ids + beginning, ()

    def _scored(self, request: TokenRequest) -> ScoredRequest:
        read = {
            beginning: self._read[self._place(request, beginning)]
            for beginning in next_tokens(request.rating_tokens)
        }
        logprobs = rating_logprobs(request.rating_tokens, read)
        return ScoredRequest(request.request_id, logprobs, len(request.token_ids))


def _read(
    judge: LoadedJudge, places: Sequence[Place], strategy: str, batch_tokens: int
) -> Iterator[tuple[Place, torch.Tensor]]:
    """Reads all places in the order that suits the strategy."""
    if judge.architecture == "seq2seq":
        yield from _read_decoder(judge, places)
        return
    contexts = [context for context, _ in places]
    longest = max(map(len, contexts), default=0)
    match forward.effective_strategy(judge, strategy, longest):
        case "shared-prefix":
            reads = forward.shared_prefix(judge, contexts)
        case "batched":
            reads = forward.batched(judge, contexts, batch_tokens)
        case _:
            reads = forward.plain(judge, contexts)
    for context, logits in reads:
        yield (context, ()), logits


def _read_decoder(
    judge: LoadedJudge, places: Sequence[Place]
) -> Iterator[tuple[Place, torch.Tensor]]:
    beginnings: dict[Tokens, list[Tokens]] = {}
    for prompt, beginning in places:
        beginnings.setdefault(prompt, []).append(beginning)
    for prompt, wanted in beginnings.items():
        for beginning, logits in forward.decoder(judge, prompt, wanted):
            yield (prompt, beginning), logits


def _log_probs(logits: torch.Tensor, tokens: Sequence[int]) -> dict[int, float]:
    """Log-probabilities of some tokens under the softmax over all, in double precision."""
    wide = logits.to("cpu", torch.float32).double()
    chosen = (wide[list(tokens)] - torch.logsumexp(wide, dim=-1)).tolist()
    return dict(zip(tokens, chosen, strict=True))

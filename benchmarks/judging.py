"""Judging by rating probabilities: Retrial, the plain loop, and lm-evaluation-harness."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from benchmarks.material import backend, dialogue_requests, story_requests
from benchmarks.rounds import Contender, Measured, measure
from retrial.judging.backends.base import Request
from retrial.judging.forward import shared_length

OURS, LOOP, HARNESS = "retrial", "plain loop", "lm-evaluation-harness"
RATINGS = ("1", "2", "3", "4", "5")
TOLERANCE = 1e-4


def workloads(rounds: int, small: bool) -> list[Measured]:
    """Zero-shot, four shared examples, and the four story questions."""
    torch.set_num_threads(1)
    dialogues, shared, stories = (4, 4, 2) if small else (16, 12, 4)
    return [
        _compare("zero-shot", dialogue_requests(dialogues, 0), rounds),
        _compare("random-4", dialogue_requests(shared, 4), rounds),
        _compare("story", story_requests(stories), rounds),
    ]


def _compare(workload: str, requests: Sequence[Request], rounds: int) -> Measured:
    backend().loaded  # noqa: B018 - loads the model outside the measurement
    harness = Harness()
    contenders = [
        Contender(OURS, lambda: ours(requests)),
        Contender(LOOP, lambda: plain_loop(requests)),
        Contender(HARNESS, lambda: harness.probabilities(requests)),
    ]
    tokens = [request.place for request in requests]
    best = sum(map(len, tokens)) / needed_tokens(tokens)
    note = (
        f"{len(requests)} prompts, {np.mean([len(t) for t in tokens]):.0f} tokens on average; "
        f"of all tokens {1 / best:.0%} differ from the prompt before"
    )
    return measure(workload, contenders, unit="prompts", units=len(requests), rounds=rounds,
                   tolerance=TOLERANCE, ceiling=best, note=note)  # fmt: skip


def needed_tokens(prompts: Sequence[tuple[int, ...]]) -> int:
    """Tokens that must be computed when every shared beginning is computed once."""
    held: tuple[int, ...] = ()
    needed = 0
    for tokens in sorted(prompts):
        needed += len(tokens) - min(shared_length(held, tokens), len(tokens) - 1)
        held = tokens
    return needed


def ours(requests: Sequence[Request]) -> Any:
    """The ratings' distribution (prompts, ratings) as the judging job gets it."""
    answers = {a["request_id"]: a for a in backend().ask(requests, lambda _: None)}
    rows = [dict(answers[r.request_id]["rating_logprobs"]) for r in requests]
    return distribution([[row.get(rating, -np.inf) for rating in RATINGS] for row in rows])


def distribution(logprobs: Any) -> Any:
    """Probabilities of the ratings among the ratings.

    The harness counts the blank before a rating as part of the option where the tokenizer makes
    it a token of its own; among the ratings that factor cancels.
    """
    chances = np.exp(np.asarray(logprobs, dtype=float))
    return chances / chances.sum(axis=1, keepdims=True)


@torch.inference_mode()
def plain_loop(requests: Sequence[Request]) -> Any:
    """One forward pass a prompt, as transformers is used by hand: logits of every position."""
    judge = backend().loaded
    found = []
    for request in requests:
        logits = judge.model(torch.tensor([request.place])).logits[0, -1].double()
        tokens = [request.payload.sequences[rating][0][0] for rating in RATINGS]
        found.append(torch.log_softmax(logits, dim=-1)[tokens].tolist())
    return distribution(found)


class Harness:
    """lm-evaluation-harness on the same model object, prompt texts and options."""

    def __init__(self) -> None:
        from lm_eval.models.huggingface import HFLM

        judge = backend().loaded
        self.model = HFLM(pretrained=judge.model, tokenizer=judge.tokenizer, batch_size=1)

    def probabilities(self, requests: Sequence[Request]) -> Any:
        """Its log-likelihood of each option behind each prompt, as a distribution."""
        from lm_eval.api.instance import Instance

        options = [
            Instance("loglikelihood", {}, (request.about["prompt_text"], f" {rating}"), number)
            for number, request in enumerate(requests)
            for rating in RATINGS
        ]
        scored = self.model.loglikelihood(options, disable_tqdm=True)
        scores = np.reshape([score for score, _ in scored], (len(requests), len(RATINGS)))
        return distribution(scores)

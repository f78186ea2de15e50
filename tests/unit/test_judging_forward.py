"""The model calls: what is shared, what falls back, and a GPU without room."""

import math
from typing import Any

import pytest
import torch
from judging_requests import PLAIN, probability, prompts, requests_of, scored
from tiny_models import tiny_judge

from retrial.errors import RetrialError
from retrial.judging import forward
from retrial.judging.rating_tokens import RatingTokens


def test_a_shared_beginning_and_a_duplicate_are_computed_once() -> None:
    judge = tiny_judge("llama")
    seen: list[int] = []
    judge.model.model.embed_tokens.register_forward_hook(
        lambda _module, inputs, _output: seen.append(inputs[0].numel())
    )
    single = RatingTokens({"a": ((5,),), "b": ((6,),)}, "")
    head = tuple(range(20, 40))
    contexts = [(*head, 50, 51), (*head, 60), (*head, 50, 51), head]
    scored(judge, requests_of(contexts, single), strategy="shared-prefix")
    # In token order: all 20 of `head`; then 50, 51 behind it; then 60.
    assert seen == [20, 2, 1]


def test_cache_never_covers_the_whole_prompt() -> None:
    judge = tiny_judge("gpt2")
    contexts = [(20, 21, 22), (20, 21, 22, 23), (20, 21)]
    single = RatingTokens({"a": ((5,),), "b": ((6,),)}, "")
    answers = scored(judge, requests_of(contexts, single), strategy="shared-prefix")
    for i, context in enumerate(contexts):
        expected = math.log(probability(judge, context, (5,)))
        assert answers[str(i)].rating_logprobs["a"] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("kind", "longest", "strategy", "expected"),
    [
        ("llama", 1000, "shared-prefix", "shared-prefix"),
        ("falcon-40b", 1000, "shared-prefix", "shared-prefix"),
        ("mistral", 15, "shared-prefix", "shared-prefix"),
        ("mistral", 16, "shared-prefix", "plain"),
        ("mistral", 1000, "batched", "batched"),
        ("mamba", 3, "shared-prefix", "plain"),
        ("mamba", 3, "batched", "plain"),
    ],
)
def test_strategies_that_would_be_wrong_are_not_used(
    kind: str, longest: int, strategy: str, expected: str
) -> None:
    assert forward.effective_strategy(tiny_judge(kind), strategy, longest) == expected


def test_positions_that_depend_on_the_length_are_asked_one_by_one() -> None:
    judge = tiny_judge("llama")
    judge.model.config.rope_parameters = {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.0}
    assert forward.effective_strategy(judge, "shared-prefix", 5) == "plain"


def test_sliding_window_beyond_its_length() -> None:
    judge = tiny_judge("mistral")
    head = tuple(range(20, 50))
    asked = requests_of([(*head, 60, 61), (*head, 70)], PLAIN)
    plain = scored(judge, asked, strategy="plain")
    for strategy in ("shared-prefix", "batched"):
        others = scored(judge, asked, strategy=strategy)
        for key, answer in plain.items():
            assert others[key].rating_logprobs == pytest.approx(answer.rating_logprobs, abs=1e-4)


def test_mamba_is_scored() -> None:
    judge = tiny_judge("mamba")
    answers = scored(judge, requests_of(prompts()[:3], PLAIN), strategy="shared-prefix")
    expected = math.log(probability(judge, prompts()[0], (9, 10, 11)))
    assert answers["0"].rating_logprobs["d"] == pytest.approx(expected, abs=1e-4)


def test_a_batch_that_does_not_fit_the_gpu_is_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = tiny_judge("llama")
    asked = requests_of(prompts(), PLAIN)
    expected = scored(judge, asked, strategy="plain")
    real, sizes = forward.last, []

    def short_of_memory(model: Any, **inputs: Any) -> torch.Tensor:
        sizes.append(inputs["input_ids"].shape[0])
        if sizes[-1] > 2:
            raise torch.cuda.OutOfMemoryError("out of memory")
        return real(model, **inputs)

    monkeypatch.setattr(forward, "last", short_of_memory)
    answers = scored(judge, asked, strategy="batched", batch_tokens=10_000)
    assert max(sizes) > 2 and sizes[-1] <= 2
    for key, answer in expected.items():
        assert answers[key].rating_logprobs == pytest.approx(answer.rating_logprobs, abs=1e-4)


def test_one_prompt_that_does_not_fit_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(_model: Any, **_inputs: Any) -> torch.Tensor:
        raise torch.cuda.OutOfMemoryError("out of memory")

    monkeypatch.setattr(forward, "last", no_memory)
    with pytest.raises(RetrialError, match="one prompt of 16 tokens"):
        scored(tiny_judge("llama"), requests_of(prompts()[:1], PLAIN), strategy="batched")


def test_a_beginning_too_short_to_pay_is_computed_again() -> None:
    judge = tiny_judge("llama")
    seen: list[int] = []
    judge.model.model.embed_tokens.register_forward_hook(
        lambda _module, inputs, _output: seen.append(inputs[0].numel())
    )
    contexts = [(20, *range(30, 30 + n)) for n in (60,)] + [(20, *range(40, 90))]
    single = RatingTokens({"a": ((5,),), "b": ((6,),)}, "")
    answers = scored(judge, requests_of(contexts, single), strategy="shared-prefix")
    assert seen == [61, 51]
    for i, context in enumerate(contexts):
        expected = math.log(probability(judge, context, (5,)))
        assert answers[str(i)].rating_logprobs["a"] == pytest.approx(expected, abs=1e-4)

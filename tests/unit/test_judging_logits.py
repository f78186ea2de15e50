"""Scoring by logits: the three strategies agree, and agree with a plain softmax."""

import math
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import VOCABULARY, t5_like, tiny_judge

from retrial.errors import RetrialError
from retrial.judging import forward
from retrial.judging.encode import PromptEncoder
from retrial.judging.logits import ScoredRequest, TokenRequest, score_ratings
from retrial.judging.model_files import ModelFiles
from retrial.judging.models import LoadedJudge, load_judge
from retrial.judging.rating_tokens import RatingTokens, find_decoder_tokens, find_rating_tokens
from retrial.judging.token_requests import next_tokens, rating_logprobs

CAUSAL = ["llama", "mistral", "gpt2", "falcon", "falcon-40b", "falcon-alibi"]
STRATEGIES = ["shared-prefix", "batched", "plain"]
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


@pytest.mark.parametrize("kind", CAUSAL)
def test_strategies_give_the_softmax_over_the_vocabulary(kind: str) -> None:
    judge = tiny_judge(kind)
    contexts = prompts()
    asked = requests_of(contexts, PLAIN)
    answers = [scored(judge, asked, strategy=s, batch_tokens=40) for s in STRATEGIES]
    for i, context in enumerate(contexts):
        c = probability(judge, context, (5, 8))
        expected = {
            "a": probability(judge, context, (5,)) - c,
            "b": probability(judge, context, (6,)) + probability(judge, context, (7,)),
            "c": c,
            "d": probability(judge, context, (9, 10, 11)),
        }
        for answer in answers:
            got = {r: math.exp(v) for r, v in answer[str(i)].rating_logprobs.items()}
            assert got == pytest.approx(expected, abs=1e-6, rel=1e-4)
            assert answer[str(i)].prompt_tokens == len(context)


def test_the_models_answers_differ_between_prompts() -> None:
    answers = scored(tiny_judge("llama"), requests_of(prompts(), PLAIN))
    values = {round(a.rating_logprobs["b"], 3) for a in answers.values()}
    assert len(values) == len(set(prompts()))


@settings(max_examples=8, deadline=None)
@given(
    contexts=st.lists(
        st.lists(st.integers(12, 15), min_size=1, max_size=9).map(tuple), min_size=1, max_size=5
    ),
    budget=st.integers(1, 60),
)
def test_strategies_agree(contexts: list[tuple[int, ...]], budget: int) -> None:
    judge = JUDGE
    asked = requests_of(contexts, PLAIN)
    plain = scored(judge, asked, strategy="plain")
    for strategy in ("shared-prefix", "batched"):
        others = scored(judge, asked, strategy=strategy, batch_tokens=budget)
        for key, answer in plain.items():
            assert others[key].rating_logprobs == pytest.approx(answer.rating_logprobs, abs=1e-4)


JUDGE = tiny_judge("llama")


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
    real, sizes = forward._last, []

    def short_of_memory(model: Any, **inputs: Any) -> torch.Tensor:
        sizes.append(inputs["input_ids"].shape[0])
        if sizes[-1] > 2:
            raise torch.cuda.OutOfMemoryError("out of memory")
        return real(model, **inputs)

    monkeypatch.setattr(forward, "_last", short_of_memory)
    answers = scored(judge, asked, strategy="batched", batch_tokens=10_000)
    assert max(sizes) > 2 and sizes[-1] <= 2
    for key, answer in expected.items():
        assert answers[key].rating_logprobs == pytest.approx(answer.rating_logprobs, abs=1e-4)


def test_one_prompt_that_does_not_fit_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(_model: Any, **_inputs: Any) -> torch.Tensor:
        raise torch.cuda.OutOfMemoryError("out of memory")

    monkeypatch.setattr(forward, "_last", no_memory)
    with pytest.raises(RetrialError, match="one prompt of 16 tokens"):
        scored(tiny_judge("llama"), requests_of(prompts()[:1], PLAIN), strategy="batched")


def test_encoder_decoder_reads_the_start_of_the_answer() -> None:
    tokenizer = t5_like("▁1", "▁2", "▁4")
    judge = tiny_judge("t5", tokenizer)
    encoder = PromptEncoder(tokenizer, keep_end=True)
    found = find_decoder_tokens(encoder, ("1", "2", "4", "10"))
    assert judge.encoder("rate a") == found.context("rate a")
    prompt = found.context("rate a")
    answers = scored(judge, [TokenRequest("r", prompt, found)], strategy="batched")
    spelling = found.sequences["10"][0]
    assert len(spelling) == 2
    with torch.no_grad():
        logits = judge.model(
            input_ids=torch.tensor([prompt]), decoder_input_ids=torch.tensor([[0, *spelling]])
        ).logits[0]
    rows = torch.softmax(logits.double(), dim=-1)
    ten = rows[0, spelling[0]].item() * rows[1, spelling[1]].item()
    one = rows[0, found.sequences["1"][0][0]].item() - ten
    got = {r: math.exp(v) for r, v in answers["r"].rating_logprobs.items()}
    assert got["10"] == pytest.approx(ten, rel=1e-4)
    assert got["1"] == pytest.approx(one, rel=1e-4)


def test_progress_counts_prompt_tokens() -> None:
    single = RatingTokens({"a": ((5,),), "b": ((6,),)}, "")
    told: list[int] = []
    scored(
        tiny_judge("llama"),
        requests_of([(20, 21), (20, 21, 22)], single),
        on_progress=told.append,
    )
    assert told == [2, 5]


def test_faults_are_named() -> None:
    judge = tiny_judge("llama")
    with pytest.raises(RetrialError, match="request 0: 129 tokens.*holds 128"):
        scored(judge, requests_of([(20,) * 129], PLAIN))
    with pytest.raises(RetrialError, match="no tokens"):
        scored(judge, requests_of([()], PLAIN))
    twice = [*requests_of([(20,)], PLAIN), *requests_of([(21,)], PLAIN)]
    with pytest.raises(RetrialError, match="asked twice"):
        scored(judge, twice)
    with pytest.raises(RetrialError, match="choose auto or one of"):
        scored(judge, requests_of([(20,)], PLAIN), strategy="fast")


def test_logits_that_are_not_finite() -> None:
    judge = tiny_judge("llama")
    with torch.no_grad():
        judge.model.model.norm.weight.fill_(math.nan)
    with pytest.raises(RetrialError, match="bfloat16 or float32"):
        scored(judge, requests_of([(20, 21)], PLAIN))


def test_nothing_to_ask() -> None:
    assert scored(tiny_judge("llama"), []) == {}


def test_next_tokens_are_the_inner_nodes() -> None:
    assert next_tokens(PLAIN) == {(): (5, 6, 7, 9), (5,): (8,), (9,): (10,), (9, 10): (11,)}


def test_a_rating_of_probability_zero_is_absent() -> None:
    tokens = RatingTokens({"1": ((1,),), "10": ((1, 0),), "2": ((2,),)}, "")
    read = {(): {1: math.log(0.5), 2: -math.inf}, (1,): {0: 0.0}}
    assert rating_logprobs(tokens, read) == {"10": math.log(0.5)}


@pytest.mark.model
def test_packaged_model_agrees_between_strategies(packaged_judge_files: ModelFiles) -> None:
    judge = load_judge(packaged_judge_files, threads=1)
    head = "Rate how satisfied the user is, from 1 (bad) to 5 (good).\n\nUSER: "
    texts = [head + t + "\nRating:" for t in ("It is fine.", "It is bad.", "I need a taxi.")]
    found = find_rating_tokens(judge.encoder, texts[0], ("1", "2", "3", "4", "5"))
    asked = requests_of([found.context(t) for t in texts], found)
    plain = scored(judge, asked, strategy="plain")
    assert all(sum(map(math.exp, a.rating_logprobs.values())) > 0.5 for a in plain.values())
    for strategy in ("shared-prefix", "batched"):
        others = scored(judge, asked, strategy=strategy)
        for key, answer in plain.items():
            assert others[key].rating_logprobs == pytest.approx(answer.rating_logprobs, abs=1e-4)

"""Scoring by logits: the three strategies agree, and agree with a plain softmax."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from judging_requests import PLAIN, probability, prompts, requests_of, scored
from tiny_models import t5_like, tiny_judge

from retrial.errors import RetrialError
from retrial.judging.encode import PromptEncoder
from retrial.judging.logits import TokenRequest
from retrial.judging.model_files import ModelFiles
from retrial.judging.models import load_judge
from retrial.judging.rating_tokens import RatingTokens, find_decoder_tokens, find_rating_tokens
from retrial.judging.token_requests import next_tokens, rating_logprobs

CAUSAL = ["llama", "mistral", "gpt2", "falcon", "falcon-40b", "falcon-alibi"]
STRATEGIES = ["shared-prefix", "batched", "plain"]


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
    with pytest.raises(RetrialError, match=r"request 0: 129 tokens.*holds 128"):
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

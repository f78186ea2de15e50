"""Generation: samples share one reading of the prompt, and no answer depends on its neighbours."""

import hashlib
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
import torch
from judging_requests import prompts
from tiny_models import tiny_judge

from retrial.errors import RetrialError
from retrial.judging import forward
from retrial.judging.answer_text import GeneratedAnswer, end_tokens
from retrial.judging.generation import Drawing, Question, generate_answers
from retrial.judging.models import LoadedJudge
from retrial.judging.sampling import chance, draw_tokens

WARM = Drawing(0.7, 0.9, (), 12)
GREEDY = Drawing(0.0, 1.0, (), 12)
CACHED = ["llama", "mistral", "gpt2", "falcon", "falcon-40b", "falcon-alibi"]
KINDS = [*CACHED, "mamba", "t5"]


def request_of(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:32]


def questions(samples: int = 3, drawing: Drawing = WARM) -> list[Question]:
    """Prompts with shared beginnings, as many answers to each, some of them of one length."""
    found = dict.fromkeys(p for p in prompts() if p)
    return [
        Question(p, tuple(request_of(f"{i}/{s}") for s in range(samples)), drawing)
        for i, p in enumerate(found)
    ]


def answers(judge: LoadedJudge, asked: list[Question], **options: Any) -> dict[str, Any]:
    found: list[GeneratedAnswer] = list(generate_answers(judge, asked, **options))
    assert len(found) == sum(len(q.request_ids) for q in asked)
    return {a.request_id: a for a in found}


def by_hand(judge: LoadedJudge, prompt: tuple[int, ...], request_id: str, drawing: Drawing):
    """The tokens of one answer, the whole text read again at each step, without any cache."""
    random, written = chance(request_id), []
    ends = end_tokens(judge.model, judge.tokenizer)
    while len(written) < drawing.answer_tokens:
        if judge.architecture == "seq2seq":
            start = judge.model.config.decoder_start_token_id
            inputs = {"input_ids": torch.tensor([prompt]),
                      "decoder_input_ids": torch.tensor([[start, *written]])}  # fmt: skip
        else:
            inputs = {"input_ids": torch.tensor([[*prompt, *written]])}
        with torch.no_grad():
            logits = judge.model(**inputs, use_cache=False).logits[:, -1]
        (token,) = draw_tokens(logits, [random.random()], drawing.temperature, drawing.top_p)
        if token in ends:
            return written, "stop"
        written.append(token)
    return written, "length"


def text_of(judge: LoadedJudge, prompt: tuple[int, ...], written: list[int]) -> str:
    behind = () if judge.architecture == "seq2seq" else prompt[-8:]
    whole = judge.tokenizer.decode([*behind, *written], skip_special_tokens=True)
    before = judge.tokenizer.decode(list(behind), skip_special_tokens=True)
    assert whole.startswith(before)
    return whole[len(before) :].rstrip("\ufffd")


@pytest.mark.parametrize("kind", KINDS)
def test_samples_that_share_a_reading_are_those_of_single_calls(kind):
    judge = tiny_judge(kind)
    asked = questions()
    together = answers(judge, asked)
    for question in asked:
        for request_id in question.request_ids:
            single = answers(judge, [replace(question, request_ids=(request_id,))])
            assert single[request_id] == together[request_id]


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_those_of_a_model_without_a_cache(kind):
    judge = tiny_judge(kind)
    asked = questions(samples=2)
    found = answers(judge, asked)
    for question in asked:
        for request_id in question.request_ids:
            written, reason = by_hand(judge, question.token_ids, request_id, WARM)
            assert found[request_id].finish_reason == reason
            assert found[request_id].text == text_of(judge, question.token_ids, written)
            assert found[request_id].tokens == len(written) + (reason == "stop")


@pytest.mark.parametrize("strategy", ["plain", "batched", "shared-prefix"])
@pytest.mark.parametrize("kind", CACHED)
def test_every_strategy_gives_the_same_answers(kind, strategy):
    judge = tiny_judge(kind)
    expected = answers(judge, questions(), strategy="auto")
    assert answers(judge, questions(), strategy=strategy, batch_tokens=200) == expected


@pytest.mark.parametrize("batch_tokens", [1, 100, 250, 10_000])
def test_the_size_of_batches_changes_no_answer(batch_tokens):
    judge = tiny_judge("llama")
    found = answers(judge, questions(), strategy="batched", batch_tokens=batch_tokens)
    assert found == answers(judge, questions(), strategy="plain")


@pytest.mark.parametrize("kind", ["llama", "gpt2", "t5"])
def test_greedy_answers_are_those_of_the_library(kind):
    judge = tiny_judge(kind)
    for question in questions(1, GREEDY):
        ids = torch.tensor([question.token_ids])
        whole = judge.model.generate(
            ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=12,
            pad_token_id=0, eos_token_id=sorted(end_tokens(judge.model, judge.tokenizer)),
        )[0].tolist()  # fmt: skip
        written = whole[1:] if kind == "t5" else whole[len(question.token_ids) :]
        ended = written[-1] in end_tokens(judge.model, judge.tokenizer)
        (found,) = generate_answers(judge, [question])
        assert found.tokens == len(written)
        assert found.finish_reason == ("stop" if ended else "length")
        expected = text_of(judge, question.token_ids, written[:-1] if ended else written)
        assert found.text == expected


@pytest.mark.parametrize("kind", CACHED)
def test_each_prompt_is_read_once_for_all_its_samples(kind, monkeypatch):
    judge = tiny_judge(kind)
    real, read = forward.last, Counter()

    def counting(model: Any, **inputs: Any) -> torch.Tensor:
        rows, columns = inputs["input_ids"].shape
        read["prompts" if columns > 1 else "steps"] += rows * columns
        return real(model, **inputs)

    monkeypatch.setattr(forward, "last", counting)
    prompt = tuple(range(20, 60))
    ids = tuple(request_of(str(n)) for n in range(5))
    answers(judge, [Question(prompt, ids, WARM)])
    assert read["prompts"] == len(prompt)
    assert 0 < read["steps"] <= len(ids) * (WARM.answer_tokens - 1)


def test_the_encoder_reads_a_prompt_once_for_all_its_samples(monkeypatch):
    judge = tiny_judge("t5")
    real, calls = forward.encode, []
    monkeypatch.setattr(forward, "encode", lambda *a: calls.append(1) or real(*a))
    answers(judge, questions(4))
    assert len(calls) == len(questions())


def test_a_common_beginning_of_prompts_is_read_once(monkeypatch):
    judge = tiny_judge("llama")
    monkeypatch.setattr(forward, "_attention_toll", lambda model: 0.0)
    real, widths = forward.last, []

    def counting(model: Any, **inputs: Any) -> torch.Tensor:
        widths.append(inputs["input_ids"].shape[1])
        return real(model, **inputs)

    monkeypatch.setattr(forward, "last", counting)
    head = tuple(range(20, 80))
    asked = [Question((*head, n), (request_of(str(n)),), WARM) for n in (30, 31, 32)]
    found = answers(judge, asked, strategy="shared-prefix")
    assert [w for w in widths if w > 1] == [len(head) + 1]
    monkeypatch.undo()
    assert found == answers(judge, asked, strategy="plain")


def test_samples_differ_and_the_same_request_repeats():
    judge = tiny_judge("llama")
    (question,) = questions(8)[:1]
    found = answers(judge, [question])
    assert len({a.text for a in found.values()}) > 4
    assert answers(judge, [question]) == found


def test_an_answer_that_is_done_leaves_the_others_alone():
    """Answers of very different lengths in one batch: those that end early are taken out."""
    judge = tiny_judge("llama")
    judge.model.generation_config.eos_token_id = list(range(0, 300, 7))
    drawing = replace(WARM, answer_tokens=40, temperature=2.0)
    asked = questions(4, drawing)
    together = answers(judge, asked, strategy="batched")
    assert len({a.tokens for a in together.values()}) > 5
    assert together == answers(judge, asked, strategy="plain")


def test_all_end_tokens_of_the_generation_settings_end_an_answer():
    judge = tiny_judge("llama")
    (question,) = questions(1, GREEDY)[:1]
    written, _ = by_hand(judge, question.token_ids, question.request_ids[0], GREEDY)
    judge.model.generation_config.eos_token_id = [written[3], 2]
    (found,) = generate_answers(judge, [question])
    assert (found.finish_reason, found.tokens) == ("stop", written.index(written[3]) + 1)


def test_stop_texts_and_limits_are_those_of_each_question():
    judge = tiny_judge("llama")
    (question,) = questions(1, replace(GREEDY, answer_tokens=30))[:1]
    (whole,) = generate_answers(judge, [question])
    mark = whole.text[10:12]
    short = replace(question, request_ids=(request_of("short"),),
                    drawing=replace(GREEDY, answer_tokens=2))  # fmt: skip
    stopped = replace(question, request_ids=(request_of("stopped"),),
                      drawing=replace(GREEDY, answer_tokens=30, stop=(mark,)))  # fmt: skip
    for strategy in ("batched", "plain"):
        found = answers(judge, [question, short, stopped], strategy=strategy)
        assert found[question.request_ids[0]] == whole
        cut = found[short.request_ids[0]]
        assert (cut.tokens, cut.finish_reason) == (2, "length")
        assert whole.text.startswith(cut.text)
        stop = found[stopped.request_ids[0]]
        assert (stop.text, stop.finish_reason) == (whole.text[: whole.text.index(mark)], "stop")


def test_a_model_without_a_padding_token_is_batched():
    judge = tiny_judge("gpt2")
    judge.tokenizer.pad_token = None
    assert judge.tokenizer.pad_token_id is None
    found = answers(judge, questions(), strategy="batched")
    assert found == answers(judge, questions(), strategy="plain")


@pytest.mark.parametrize("kind", ["llama", "t5"])
def test_a_prompt_that_leaves_no_room_is_refused(kind):
    judge = tiny_judge(kind)
    tokens = judge.context_tokens - (WARM.answer_tokens if kind == "llama" else 0)
    fits = Question((20,) * tokens, (request_of("a"),), WARM)
    assert len(list(generate_answers(judge, [fits]))) == 1
    too_long = replace(fits, token_ids=(20,) * (tokens + 1))
    with pytest.raises(RetrialError, match="are more than the model's context holds"):
        list(generate_answers(judge, [too_long]))
    with pytest.raises(RetrialError, match="no tokens"):
        list(generate_answers(judge, [replace(fits, token_ids=())]))


def test_a_batch_that_does_not_fit_the_gpu_is_halved(monkeypatch):
    judge = tiny_judge("llama")
    expected = answers(judge, questions(), strategy="plain")
    real, sizes = forward.last, []

    def short_of_memory(model: Any, **inputs: Any) -> torch.Tensor:
        sizes.append(inputs["input_ids"].shape[0])
        if sizes[-1] > 6:
            raise torch.cuda.OutOfMemoryError("out of memory")
        return real(model, **inputs)

    monkeypatch.setattr(forward, "last", short_of_memory)
    assert answers(judge, questions(), strategy="batched") == expected
    assert max(sizes) > 6 and sizes[-1] <= 6


def test_a_prompt_whose_answers_do_not_fit_the_gpu_is_named(monkeypatch):
    def no_memory(_model: Any, **_inputs: Any) -> torch.Tensor:
        raise torch.cuda.OutOfMemoryError("out of memory")

    monkeypatch.setattr(forward, "last", no_memory)
    with pytest.raises(RetrialError, match="no room for 3 answers to a prompt of"):
        answers(tiny_judge("llama"), questions(), strategy="batched")


def test_logits_that_are_not_finite_are_an_error():
    judge = tiny_judge("llama")
    with torch.no_grad():
        judge.model.lm_head.weight.fill_(float("nan"))
    with pytest.raises(RetrialError, match="no finite logits"):
        answers(judge, questions())


def test_no_questions_give_no_answers():
    for strategy in ("plain", "batched", "shared-prefix"):
        assert answers(tiny_judge("llama"), [], strategy=strategy) == {}


def test_chosen_tokens_have_the_frequencies_of_the_model():
    """First tokens of 3,000 answers against the model's own distribution, five standard errors."""
    judge = tiny_judge("llama")
    prompt, count = prompts()[0], 3000
    drawing = Drawing(1.0, 1.0, (), 1)
    ids = tuple(request_of(f"draw {n}") for n in range(count))
    found = list(generate_answers(judge, [Question(prompt, ids, drawing)]))
    with torch.no_grad():
        logits = judge.model(torch.tensor([prompt])).logits[0, -1]
    exact = torch.softmax(logits.double(), dim=-1)
    ends = sum(float(exact[t]) for t in end_tokens(judge.model, judge.tokenizer))
    stopped = sum(a.finish_reason == "stop" for a in found) / count
    assert abs(stopped - ends) <= 5 * (ends * (1 - ends) / count) ** 0.5
    texts = Counter(a.text for a in found if a.finish_reason == "length")
    token = int(exact.argmax())
    p, text = float(exact[token]), text_of(judge, prompt, [token])
    same = sum(float(exact[t]) for t in range(len(exact)) if text_of(judge, prompt, [t]) == text
               and t not in end_tokens(judge.model, judge.tokenizer))  # fmt: skip
    assert same >= p > 0.02
    assert abs(texts[text] / count - same) <= 5 * (same * (1 - same) / count) ** 0.5

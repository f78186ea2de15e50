"""A judging job that draws texts: killed and resumed, mixed with logits, long and chat prompts."""

import json
from pathlib import Path
from typing import Any

import pytest
from core_rows import TEMPLATE, prompt
from tiny_models import gpt2_like, t5_like, tiny_model

from retrial.errors import RetrialError
from retrial.judging.backends import open_backend
from retrial.judging.job import answer_prompts, plan_chunks
from retrial.judging.model_files import ModelFiles, describe_folder
from retrial.judging.request import request_id
from retrial.judging.store import AnswerStore
from retrial.record import PROMPTS, from_rows

SPEC = {"backend": "transformers", "source": {"package": "tiny"}, "context_tokens": 700}
SAMPLING = {"temperature": 0.7, "top_p": 0.9, "samples": 3, "answer_tokens": 10, "stop": [],
            "seed": 1}  # fmt: skip
TEMPLATES = {"t": TEMPLATE}
VOLATILE = ["asked_at", "asked_by"]
TEN = [prompt(f"p{n}", f"dialogue {n % 7} {'x' * n}", "yes") for n in range(10)]


def save(folder: Path, kind: str, tokenizer: Any) -> ModelFiles:
    model = tiny_model(kind, len(tokenizer))
    if kind == "llama":
        model.config.max_position_embeddings = 2048
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return describe_folder(folder, model="tiny", revision="0")


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> ModelFiles:
    """A causal model whose tokenizer has no padding token and whole bytes as tokens."""
    tokenizer = gpt2_like()
    assert tokenizer.pad_token is None
    return save(tmp_path_factory.mktemp("tiny"), "llama", tokenizer)


def backend(files: ModelFiles, *, conditions: Any = None, spec: Any = None, **sampling: Any):
    drawn = {"method": "generation", "sampling": {**SAMPLING, **sampling}}
    return open_backend({**SPEC, **(spec or {})}, files, 1, None,
                        conditions or {"zero-shot": drawn})  # fmt: skip


def answers(judge, prompts, folder: Path, chunk: int = 6) -> list[dict[str, Any]]:
    table = from_rows(prompts, PROMPTS)
    found = answer_prompts("tiny", judge, table, TEMPLATES, AnswerStore(folder), chunk)
    return found.drop_columns(VOLATILE).to_pylist()


@pytest.fixture(scope="module")
def undisturbed(files, tmp_path_factory) -> list[dict[str, Any]]:
    return answers(backend(files), TEN, tmp_path_factory.mktemp("undisturbed"))


def test_each_prompt_has_all_its_samples_in_the_contract(undisturbed):
    assert [(r["prompt_id"], r["sample"]) for r in undisturbed] == [
        (f"p{n}", s) for n in range(10) for s in range(3)
    ]
    for row in undisturbed:
        assert row["method"] == "generation" and row["rating_logprobs"] is None
        assert row["request_id"] == request_id(row["prompt_text"], row["asked"])
        asked = json.loads(row["asked"])
        assert asked["sample"] == row["sample"]
        expected = {k: v for k, v in SAMPLING.items() if k != "samples"}
        assert asked["sampling"] == expected
        assert row["finish_reason"] in ("stop", "length")
        assert 0 < row["answer_tokens"] <= 10
        assert "\ufffd" not in row["text"][-1:]
        assert not row["text"].startswith("Rate the dialogue")
    assert len({r["text"] for r in undisturbed}) > 20


class KilledError(Exception):
    """Stands for the end of the process."""


@pytest.mark.parametrize("chunks", [1, 2, 4])
def test_a_killed_job_resumes_and_gives_the_same_answers(files, tmp_path, undisturbed, chunks):
    class Dying(AnswerStore):
        def add(self, rows):
            if len(self.files()) == chunks:
                raise KilledError
            return super().add(rows)

    table = from_rows(TEN, PROMPTS)
    with pytest.raises(KilledError):
        answer_prompts("tiny", backend(files), table, TEMPLATES, Dying(tmp_path), 6)
    left = AnswerStore(tmp_path).files()
    assert len(left) == chunks
    assert answers(backend(files), TEN, tmp_path) == undisturbed
    again = backend(files)
    assert answers(again, TEN, tmp_path) == undisturbed
    assert "loaded" not in again.__dict__


@pytest.mark.parametrize("strategy", ["plain", "batched", "shared-prefix"])
def test_neither_chunks_nor_strategies_change_a_text(files, tmp_path, undisturbed, strategy):
    for chunk in (1, 30):
        judge = backend(files, spec={"strategy": strategy, "batch_tokens": 300})
        found = answers(judge, TEN, tmp_path / str(chunk), chunk)
        same = ("request_id", "text", "finish_reason", "answer_tokens", "answer_sha256")
        assert [[r[k] for k in same] for r in found] == [[r[k] for k in same] for r in undisturbed]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 100])
def test_a_chunk_never_parts_the_samples_of_a_prompt(files, size):
    requests = backend(files).render(TEN, TEMPLATES)
    chunks = list(plan_chunks(requests, size))
    where = {r.request_id: i for i, chunk in enumerate(chunks) for r in chunk}
    assert len(where) == sum(map(len, chunks)) == 30
    for row in TEN:
        own = {where[r.request_id] for r in requests if r.prompt_id == row["prompt_id"]}
        assert len(own) == 1
    assert all(len(chunk) <= max(size, 3) for chunk in chunks)


def test_more_samples_keep_those_that_there_are(files, tmp_path, undisturbed):
    first = answers(backend(files, samples=1), TEN, tmp_path)
    assert [r["text"] for r in first] == [r["text"] for r in undisturbed if r["sample"] == 0]
    found = answers(backend(files), TEN, tmp_path)
    assert [r["text"] for r in found] == [r["text"] for r in undisturbed]


def test_temperature_zero_is_asked_once_and_knows_no_seed(files, tmp_path):
    cold = answers(backend(files, temperature=0, seed=1), TEN, tmp_path)
    assert len(cold) == 10 and {r["sample"] for r in cold} == {0}
    other = backend(files, temperature=0, seed=2, top_p=0.5, samples=5)
    assert answers(other, TEN, tmp_path) == cold
    assert "loaded" not in other.__dict__


@pytest.mark.parametrize("changed", [{"seed": 2}, {"temperature": 0.8}, {"top_p": 1.0},
                                     {"stop": ["x"]}, {"answer_tokens": 11}])  # fmt: skip
def test_whatever_decides_an_answer_is_part_of_its_id(files, undisturbed, changed):
    ids = {r.request_id for r in backend(files, **changed).render(TEN, TEMPLATES)}
    assert not ids & {r["request_id"] for r in undisturbed}


def test_another_seed_gives_other_texts(files, tmp_path, undisturbed):
    found = answers(backend(files, seed=2), TEN, tmp_path)
    same = [a["text"] == b["text"] for a, b in zip(found, undisturbed, strict=True)]
    assert sum(same) < len(same) / 2


def test_one_experiment_mixes_methods_and_logits_requests_keep_their_ids(files, tmp_path):
    both = {"zero-shot": {"method": "logits", "sampling": None},
            "cot": {"method": "generation", "sampling": SAMPLING}}  # fmt: skip
    prompts = [*TEN, *({**p, "prompt_id": f"g{p['prompt_id']}", "condition": "cot"} for p in TEN)]
    found = answers(backend(files, conditions=both), prompts, tmp_path / "both")
    alone = answers(open_backend(SPEC, files, 1), TEN, tmp_path / "alone")
    read = [r for r in found if r["method"] == "logits"]
    for one, other in zip(read, alone, strict=True):
        assert one["request_id"] == other["request_id"]
        first, second = dict(one["rating_logprobs"]), dict(other["rating_logprobs"])
        assert first == pytest.approx(second, abs=1e-4)
    drawn = [r for r in found if r["method"] == "generation"]
    assert len(drawn) == 30 and all(r["text"] is not None for r in drawn)


def test_prompts_of_a_condition_that_the_job_does_not_know_are_named(files):
    with pytest.raises(RetrialError, match=r"condition other: .*knows zero-shot"):
        backend(files).render([prompt("p", "hi", condition="other")], TEMPLATES)


def test_a_live_judge_is_not_asked_by_a_recording(files):
    recorded = {"plain": {"method": "recording", "sampling": None}}
    with pytest.raises(RetrialError, match=r"condition plain: .*'recording'"):
        backend(files, conditions=recorded)


def test_an_empty_stop_text_is_refused(files):
    with pytest.raises(RetrialError, match=r"condition zero-shot: sampling\.stop"):
        backend(files, stop=["\n", ""])


def test_a_dialogue_that_is_too_long_is_cut_and_its_answer_has_room(files, tmp_path):
    texts = [f"this is turn number {n}" for n in range(300)]
    judge = backend(files, answer_tokens=40)
    rows = answers(judge, [prompt("p", *texts)], tmp_path)
    assert len(rows) == 3
    for row in rows:
        assert row["prompt_tokens"] <= 700 - 40 < row["prompt_tokens"] + 60
        assert row["turns_dropped"] == row["item_turns_dropped"] > 0
        assert row["prompt_text"].endswith("number 299\nRating:")
        assert row["answer_tokens"] > 0


def test_what_no_cut_fits_is_recorded_for_each_sample_and_never_asked(files, tmp_path):
    judge = backend(files)
    rows = answers(judge, [prompt("p", "word " * 2000)], tmp_path)
    assert [(r["sample"], r["finish_reason"], r["text"]) for r in rows] == [
        (s, "too_long", None) for s in range(3)
    ]
    assert "loaded" not in judge.__dict__
    longer = backend(files, spec={"context_tokens": 690}).render(
        [prompt("p", "word " * 2000)], TEMPLATES
    )
    assert not {r.request_id for r in longer} & {r["request_id"] for r in rows}


def test_an_answer_that_fills_the_context_is_a_clear_error(files):
    with pytest.raises(RetrialError, match=r"fills the context of .*smaller answer_tokens"):
        backend(files, answer_tokens=700).render(TEN, TEMPLATES)


def test_an_encoder_decoder_model_draws_texts(tmp_path):
    tokenizer = t5_like()
    files = save(tmp_path / "t5", "t5", tokenizer)
    first = answers(backend(files), TEN, tmp_path / "store")
    assert len(first) == 30 and {r["finish_reason"] for r in first} <= {"stop", "length"}
    assert len({r["text"] for r in first}) > 10
    assert answers(backend(files), TEN, tmp_path / "other", 2) == first

"""The judging job: asks only what is missing, loses a chunk at most, and ends the same."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest
from core_rows import TEMPLATE, prompt

from retrial.errors import RetrialError
from retrial.judging.backends.base import Request
from retrial.judging.job import answer_prompts, plan_chunks
from retrial.judging.parts import parts_of
from retrial.judging.request import asked_fields, request_id
from retrial.judging.store import AnswerStore
from retrial.record import ANSWERS, PROMPTS, from_rows

VOLATILE = ["asked_at", "asked_by"]
TEMPLATES = {"t": TEMPLATE}


class LetterJudge:
    """A deterministic judge without a model: what it answers follows from the prompt's text.

    It answers in an order of its own, and stops with an error after `chunks` chunks.
    """

    engine = "letters 1"
    independent = False

    def __init__(self, chunks: int | None = None) -> None:
        self.chunks = chunks
        self.asked: list[list[str]] = []

    def render(self, prompts: Sequence[Mapping[str, Any]], templates) -> list[Request]:
        return [self._request(p, parts_of(p, templates[p["template"]]).text) for p in prompts]

    def _request(self, row: Mapping[str, Any], text: str) -> Request:
        asked = asked_fields(
            method="logits", ratings=("1", "2"), model="letters", revision="1", files_digest="0",
            adapter_digest=None, backend="letters", dtype="float64", quantisation=None,
            sampling=None, sample=0,
        )  # fmt: skip
        about = {
            "prompt_tokens": len(text),
            "examples_kept": 0,
            "turns_dropped": row["replicate"],
            "item_turns_dropped": 0,
            "prompt_text": text,
            "asked": asked,
        }
        place = tuple(text.encode())
        return Request(request_id(text, asked), row["prompt_id"], 0, "logits", place, text, about)

    def ask(self, chunk: Sequence[Request], advance) -> Iterator[Mapping[str, Any]]:
        if self.chunks is not None and len(self.asked) >= self.chunks:
            yield self._answer(chunk[0])
            raise RuntimeError("the machine went away")
        self.asked.append([r.request_id for r in chunk])
        for request in reversed(chunk):
            advance(1)
            yield self._answer(request)

    def _answer(self, request: Request) -> dict[str, Any]:
        share = hashlib.sha256(request.payload.encode()).digest()[0] / 256
        logprobs = [("1", -share), ("2", share - 1)]
        return {"request_id": request.request_id, "text": None, "rating_logprobs": logprobs,
                "finish_reason": "", "answer_tokens": 0, "device": "none"}  # fmt: skip


def prompts_of(*names: str, **fields: Any) -> pa.Table:
    return from_rows([prompt(f"p-{n}", n, **fields) for n in names], PROMPTS)


TEN = [f"dialogue {n}" for n in range(10)]


def ask(backend: LetterJudge, prompts: pa.Table, store: AnswerStore, chunk: int = 3) -> pa.Table:
    return answer_prompts("letters", backend, prompts, TEMPLATES, store, chunk)


def lasting(answers: pa.Table) -> list[dict[str, Any]]:
    return answers.drop_columns(VOLATILE).to_pylist()


def undisturbed(tmp_path, prompts: pa.Table) -> list[dict[str, Any]]:
    return lasting(ask(LetterJudge(), prompts, AnswerStore(tmp_path / "undisturbed")))


def test_every_prompt_gets_its_own_answer_sorted_by_prompt(tmp_path):
    prompts = prompts_of(*reversed(TEN))
    answers = ask(LetterJudge(), prompts, AnswerStore(tmp_path))
    assert answers.schema.equals(ANSWERS.schema)
    assert answers["prompt_id"].to_pylist() == sorted(prompts["prompt_id"].to_pylist())
    for row in answers.to_pylist():
        assert row["prompt_text"].endswith(f"USER: {row['prompt_id'].removeprefix('p-')}\nRating:")
        assert row["request_id"] == request_id(row["prompt_text"], row["asked"])
        assert (row["judge"], row["engine"]) == ("letters", "letters 1")


def test_with_nothing_to_ask_the_judge_is_never_asked(tmp_path):
    store, prompts = AnswerStore(tmp_path), prompts_of(*TEN)
    first = ask(LetterJudge(), prompts, store)
    again = LetterJudge(chunks=0)
    assert ask(again, prompts, store).equals(first)
    assert again.asked == []
    assert ask(again, prompts_of(), store).num_rows == 0


@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_a_failure_loses_one_chunk_and_a_resumed_job_asks_the_rest(tmp_path, after):
    store, prompts = AnswerStore(tmp_path / "store"), prompts_of(*TEN)
    failing = LetterJudge(chunks=after)
    with pytest.raises(RuntimeError, match="went away"):
        ask(failing, prompts, store)
    assert len(store.files()) == after
    resumed = LetterJudge()
    answers = ask(resumed, prompts, store)
    done = {r for chunk in failing.asked for r in chunk}
    asked = [r for chunk in resumed.asked for r in chunk]
    assert len(asked) == len(set(asked)) == 10 - len(done)
    assert not done & set(asked)
    assert lasting(answers) == undisturbed(tmp_path, prompts)


def test_a_resumed_job_cuts_its_chunks_where_an_undisturbed_one_does(tmp_path):
    store, prompts = AnswerStore(tmp_path), prompts_of(*TEN)
    whole = LetterJudge()
    ask(whole, prompts, AnswerStore(tmp_path / "other"))
    failing, resumed = LetterJudge(chunks=2), LetterJudge()
    with pytest.raises(RuntimeError):
        ask(failing, prompts, store)
    ask(resumed, prompts, store)
    assert failing.asked + resumed.asked == whole.asked


@pytest.mark.parametrize("chunk", [1, 3, 1000])
def test_the_size_of_chunks_changes_no_answer(tmp_path, chunk):
    prompts, backend = prompts_of(*TEN), LetterJudge()
    answers = ask(backend, prompts, AnswerStore(tmp_path / "store"), chunk)
    assert lasting(answers) == undisturbed(tmp_path, prompts)
    assert all(len(c) <= chunk for c in backend.asked)


def test_prompts_that_read_the_same_share_an_answer_and_keep_what_is_theirs(tmp_path):
    rows = [prompt("p-a", "same"), prompt("p-b", "same", condition="bm25-1", replicate=2)]
    backend = LetterJudge()
    answers = ask(backend, from_rows(rows, PROMPTS), AnswerStore(tmp_path)).to_pylist()
    assert [len(c) for c in backend.asked] == [1]
    assert [a["prompt_id"] for a in answers] == ["p-a", "p-b"]
    assert [a["turns_dropped"] for a in answers] == [0, 2]
    assert answers[0]["request_id"] == answers[1]["request_id"]
    assert answers[0]["answer_sha256"] == answers[1]["answer_sha256"]


def test_two_experiments_share_answers_through_the_store(tmp_path):
    store, second = AnswerStore(tmp_path), LetterJudge()
    ask(LetterJudge(), prompts_of(*TEN[:6]), store)
    answers = ask(second, prompts_of(*TEN[4:]), store)
    assert answers.num_rows == 6
    assert sum(len(c) for c in second.asked) == 4


def test_a_damaged_checkpoint_is_asked_again_and_nothing_else(tmp_path):
    store, prompts = AnswerStore(tmp_path / "store"), prompts_of(*TEN)
    ask(LetterJudge(), prompts, store)
    store.files()[0].write_bytes(b"damaged")
    again = LetterJudge()
    assert lasting(ask(again, prompts, store)) == undisturbed(tmp_path, prompts)
    assert 1 <= sum(len(c) for c in again.asked) <= 3


def test_a_judge_that_leaves_a_question_out_is_found_out(tmp_path):
    class Forgetful(LetterJudge):
        def ask(self, chunk, advance):
            yield from list(super().ask(chunk, advance))[1:]

    store = AnswerStore(tmp_path)
    with pytest.raises(RuntimeError, match="1 requests of a chunk unanswered"):
        ask(Forgetful(), prompts_of(*TEN), store)
    assert store.files() == []


def test_a_template_that_was_changed_after_the_prompts_were_made_is_refused(tmp_path):
    stale = prompts_of("a", template_sha256="0" * 64)
    with pytest.raises(RetrialError, match="template t was changed"):
        ask(LetterJudge(), stale, AnswerStore(tmp_path))


def test_chunks_hold_each_request_once_neighbours_together():
    requests = LetterJudge().render(prompts_of("b1", "a1", "b2", "a2").to_pylist(), TEMPLATES)
    chunks = list(plan_chunks([*requests, *requests], 2))
    assert [[r.prompt_id for r in c] for c in chunks] == [["p-a1", "p-a2"], ["p-b1", "p-b2"]]


@pytest.mark.parametrize("independent", [False, True])
def test_answers_that_came_before_a_fault_are_kept_where_each_stands_for_itself(
    tmp_path, independent: bool
):
    store, prompts = AnswerStore(tmp_path), prompts_of(*TEN)
    judge = LetterJudge(chunks=1)
    judge.independent = independent
    with pytest.raises(RuntimeError, match="went away"):
        ask(judge, prompts, store)
    kept = sum(store._checkpoint(path).num_rows for path in store.files())
    assert kept == 3 + (1 if independent else 0)
    assert lasting(ask(LetterJudge(), prompts, store)) == undisturbed(tmp_path, prompts)

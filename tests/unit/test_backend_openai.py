import logging
import math
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from openai_server import Answer, Server, chat, completion, serving

from retrial.config import OpenAIJudge
from retrial.errors import RetrialError
from retrial.judging.api.client import Client, ContextError
from retrial.judging.backends.openai import OpenAIBackend
from retrial.judging.templates import load_template
from retrial.sources.retry import RetryPolicy

PROMPTS = Path(__file__).parents[2] / "data/prompts"
TEMPLATES = {"dialogue-overall": load_template(PROMPTS, "dialogue-overall")}
SAMPLING = {"temperature": 0.7, "samples": 2, "answer_tokens": 20, "stop": ["\n\n"]}
GENERATION = {"asked": {"method": "generation", "sampling": SAMPLING}}
QUICK = RetryPolicy(attempts=3, first_wait=0.01, longest_wait=0.02)


def prompt(text: str, number: int = 0) -> dict[str, Any]:
    return {
        "prompt_id": f"prompt-{number}", "item_id": str(number), "condition": "asked",
        "template": "dialogue-overall", "examples": [], "shared_examples": False,
        "turns": [{"speaker": "USER", "text": text}], "text": None, "context": None,
        "text_b": None,
    }  # fmt: skip


def backend(server: Server, conditions: Any = None, **judge: Any) -> OpenAIBackend:
    spec = {"backend": "openai", "label": "", "url": server.url, "model": "some-model", **judge}
    opened = OpenAIBackend(OpenAIJudge.model_validate(spec), conditions)
    opened.__dict__["client"] = Client(server.url, judge.get("key_variable"), policy=QUICK)
    return opened


def answers(opened: OpenAIBackend, *texts: str) -> list[dict[str, Any]]:
    rows = [prompt(text, number) for number, text in enumerate(texts)]
    requests = opened.render(rows, TEMPLATES)
    by_id = {a["request_id"]: dict(a) for a in opened.ask(requests, lambda _: None)}
    return [by_id[r.request_id] for r in requests]


def log(probability: float) -> float:
    return math.log(probability)


def test_spellings_of_a_rating_are_added_in_the_chat_shape() -> None:
    top = [[("4", log(0.5)), (" 4", log(0.1)), ("5", log(0.2)), ("x", log(0.1))]]
    with serving(lambda *_: chat("4", top)) as server:
        (answer,) = answers(backend(server), "hello")
    found = {k: math.exp(v) for k, v in answer["rating_logprobs"]}
    assert found == pytest.approx({"4": 0.6, "5": 0.2})
    assert (answer["device"], answer["prompt_tokens"]) == ("served", 11)
    assert server.asked[0][0] == "/v1/chat/completions"
    assert server.asked[0][1]["top_logprobs"] == 20


def test_a_blank_token_before_the_rating_is_counted_in_the_older_shape() -> None:
    top = [[(" ", log(0.8)), ("\n", log(0.1))], [("3", log(0.25)), ("2", log(0.5))]]
    with serving(lambda *_: completion(" 3", top)) as server:
        (answer,) = answers(backend(server, prompt_format="plain"), "hello")
    found = {k: math.exp(v) for k, v in answer["rating_logprobs"]}
    assert found == pytest.approx({"2": 0.4, "3": 0.2})
    assert server.asked[0][0] == "/v1/completions"
    assert server.asked[0][1]["prompt"].endswith("Rating:")


def test_a_server_without_logprobs_is_said_and_not_replaced_by_the_text() -> None:
    with serving(lambda *_: chat("4")) as server:
        (answer,) = answers(backend(server), "hello")
    assert answer["rating_logprobs"] is None
    assert (answer["finish_reason"], answer["text"]) == ("no_logprobs", "4")


def test_no_rating_among_the_likeliest_tokens_gives_no_probability() -> None:
    with serving(lambda *_: chat("I", [[("I", log(0.9)), ("As", log(0.1))]])) as server:
        (answer,) = answers(backend(server), "hello")
    assert (answer["rating_logprobs"], answer["finish_reason"]) == ([], "")


def test_samples_are_asked_with_seeds_of_their_own() -> None:
    with serving(lambda *_: chat("I would say 4.")) as server:
        found = answers(backend(server, GENERATION), "hello", "again")
    assert [a["text"] for a in found] == ["I would say 4."] * 4
    bodies = [body for _, body, _ in server.asked]
    assert len({body["seed"] for body in bodies}) == 4
    assert all(body["stop"] == ["\n\n"] and body["max_tokens"] == 20 for body in bodies)


def test_a_refusal_is_kept_as_the_answer() -> None:
    refused = {"message": {"content": None, "refusal": "I can't rate this."}}
    with serving(lambda *_: chat("", **refused)) as server:
        found = answers(backend(server, GENERATION), "hello")
    assert {(a["text"], a["finish_reason"]) for a in found} == {("I can't rate this.", "refusal")}


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again(status: int) -> None:
    left = [1, 1]

    def reply(*_: Any) -> Answer:
        return (status, {}, {"Retry-After": "0"}) if left and left.pop() else chat("4")

    with serving(reply) as server:
        found = answers(backend(server, GENERATION, concurrency=1), "hello")
    assert [a["text"] for a in found] == ["4", "4"]
    assert len(server.asked) == 4


def test_a_server_that_stays_down_is_given_up_with_advice() -> None:
    with (
        serving(lambda *_: (503, {}, {})) as server,
        pytest.raises(RetrialError, match=r"gave up after 3 attempts: HTTP 503.*run the same"),
    ):
        answers(backend(server), "hello")


def test_a_wait_of_an_hour_is_told_and_not_slept() -> None:
    with (
        serving(lambda *_: (429, {}, {"Retry-After": "3600"})) as server,
        pytest.raises(RetrialError, match="asks to wait 3600 s"),
    ):
        answers(backend(server), "hello")


def test_what_came_back_before_a_lasting_fault_is_still_given() -> None:
    def reply(path: str, body: Mapping[str, Any]) -> Answer:
        said = body["messages"][0]["content"]
        return (404, {"error": "no such model"}, {}) if "bad" in said else chat("4")

    with serving(reply) as server:
        opened = backend(server, concurrency=1)
        requests = opened.render([prompt(t, n) for n, t in enumerate(["good", "bad"])], TEMPLATES)
        got = []
        with pytest.raises(RetrialError, match=r"no such model.*`url`"):
            for answer in opened.ask(requests, lambda _: None):
                got.append(answer["request_id"])
    assert got == [requests[0].request_id]


def test_the_key_is_sent_and_never_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    key = "sk-very-secret"
    monkeypatch.setenv("SOME_KEY", key)

    def reply(*_: Any) -> Answer:
        return 401, f"no such key: {key}".encode(), {}

    with caplog.at_level(logging.DEBUG), serving(reply) as server:
        with pytest.raises(RetrialError) as caught:
            answers(backend(server, key_variable="SOME_KEY"), "hello")
        (_, _, headers) = server.asked[0]
    assert headers["Authorization"] == f"Bearer {key}"
    assert "[key]" in str(caught.value)
    assert "$SOME_KEY" in str(caught.value)
    assert key not in str(caught.value) + caplog.text


def test_a_missing_key_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(RetrialError, match="SOME_KEY, which is not set"):
        Client("http://127.0.0.1:1/v1", "SOME_KEY")


def test_a_prompt_that_the_server_finds_too_long_is_an_answer() -> None:
    told = {"error": {"message": "This model's maximum context length is 10 tokens"}}
    with serving(lambda *_: (400, told, {})) as server:
        (answer,) = answers(backend(server), "hello")
        with pytest.raises(ContextError):
            Client(server.url, policy=QUICK).post("chat/completions", {})
    assert answer["finish_reason"] == "too_long"


def test_a_long_dialogue_is_cut_by_turns_before_it_is_sent() -> None:
    long = prompt("x")
    long["turns"] = [{"speaker": "USER", "text": f"turn {n} " + "word " * 40} for n in range(20)]
    with serving(lambda *_: chat("4")) as server:
        opened = backend(server, context_tokens=400)
        (request,) = opened.render([long], TEMPLATES)
    assert request.about["item_turns_dropped"] > 0
    assert len(request.about["prompt_text"]) / 3 < 400
    assert "turn 19" in request.about["prompt_text"]


def test_several_requests_are_under_way_at_once() -> None:
    together = threading.Barrier(3, timeout=10)

    def reply(*_: Any) -> Answer:
        together.wait()
        return chat("4")

    with serving(reply) as server:
        found = answers(backend(server, concurrency=3), "a", "b", "c")
    assert len(found) == 3


def test_moving_the_server_asks_nothing_again() -> None:
    with serving(lambda *_: chat("4")) as one, serving(lambda *_: chat("4")) as other:
        rows = [prompt("hello")]
        ids = [backend(s).render(rows, TEMPLATES)[0].request_id for s in (one, other)]
        renamed = backend(one, revision="2026-11").render(rows, TEMPLATES)[0].request_id
    assert ids[0] == ids[1] != renamed

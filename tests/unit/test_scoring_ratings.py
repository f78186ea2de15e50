"""From answers to ratings: every reading of every answer, a reason wherever there is none."""

import math

import pyarrow as pa
import pytest
from core_rows import answer, prompt

from retrial.record import ANSWERS, PROMPTS, RATINGS, ContractError, from_rows
from retrial.scoring.parsers import get
from retrial.scoring.ratings import rate_answers

PARSERS = {name: get(name) for name in ("robust", "chiang2023")}


def rated(prompts: list[dict], answers: list[dict], **options) -> pa.Table:
    table = rate_answers(
        from_rows(prompts, PROMPTS), from_rows(answers, ANSWERS),
        **{"top_k": 5, "low_mass": 0.05, "parsers": PARSERS, **options},
    )  # fmt: skip
    assert table.schema.equals(RATINGS.schema)
    return table


def by_reading(table: pa.Table) -> dict[str, dict]:
    return {row["reading"]: row for row in table.to_pylist()}


def one(**fields) -> dict[str, dict]:
    return by_reading(rated([prompt("p-q", "hi")], [answer("q", **fields)]))


def text(answered: str, **fields) -> dict[str, dict]:
    return one(method="generation", rating_logprobs=None, text=answered,
               finish_reason=fields.get("finish_reason", "stop"))  # fmt: skip


def test_a_logits_answer_has_two_readings_side_by_side():
    found = one(rating_logprobs=[("1", math.log(0.25)), ("5", math.log(0.5))])
    assert found.keys() == {"expectation", "log-literal"}
    assert found["expectation"]["score"] == pytest.approx(11 / 3)
    assert found["log-literal"]["score"] == pytest.approx(7 / 3)
    assert found["expectation"]["rating_mass"] == pytest.approx(0.75)
    assert {row["status"] for row in found.values()} == {"ok"}


def test_a_rating_carries_what_was_asked_and_the_request():
    asked = {"item_id": "i", "attribute": "overall", "condition": "bm25-4", "replicate": 2}
    found = rated([prompt("p-q", "hi", **asked)], [answer("q", sample=1)]).to_pylist()
    for row in found:
        assert {name: row[name] for name in asked} == asked
        assert (row["request_id"], row["sample"], row["judge"]) == ("q", 1, "j")


@pytest.mark.parametrize("logprobs", [None, []])
def test_without_rating_tokens_the_reason_is_kept(logprobs):
    for row in one(rating_logprobs=logprobs).values():
        assert (row["score"], row["status"]) == (None, "no_rating_token")
        assert row["reason"]


@pytest.mark.parametrize("method", ["logits", "generation"])
def test_a_prompt_that_was_too_long_has_no_score_in_any_reading(method):
    found = one(method=method, finish_reason="too_long", rating_logprobs=None)
    assert found.keys() == (
        {"expectation", "log-literal"} if method == "logits" else PARSERS.keys()
    )
    assert {(row["score"], row["status"]) for row in found.values()} == {(None, "too_long")}


def test_a_text_answer_has_one_reading_for_each_parser_with_its_span():
    found = text("I would rate it 4 out of 5.")
    assert found.keys() == PARSERS.keys()
    row = found["robust"]
    assert row["score"] == 4.0
    assert "I would rate it 4 out of 5."[row["span_start"] : row["span_end"]].startswith("4")


def test_a_text_without_a_rating_says_why():
    row = text("It is hard to say.")["robust"]
    assert row["score"] is None and row["status"] != "ok"


def test_top_k_and_low_mass_reach_the_readings():
    fields = {"rating_logprobs": [("1", math.log(0.25)), ("5", math.log(0.5))]}
    prompts, answers = [prompt("p-q", "hi")], [answer("q", **fields)]
    row = by_reading(rated(prompts, answers, top_k=1, low_mass=0.8))["expectation"]
    assert row["score"] == 5.0
    assert "low rating mass: 0.75" in row["reason"]


def test_prompts_that_share_an_answer_are_rated_each():
    prompts = [prompt("p-a", "hi"), prompt("p-b", "hi", condition="bm25-1", item_id="i-p-a")]
    answers = [answer("q", prompt_id="p-a"), answer("q", prompt_id="p-b")]
    found = rated(prompts, answers)
    assert sorted(set(found["condition"].to_pylist())) == ["bm25-1", "zero-shot"]
    assert found.num_rows == 4


def test_an_answer_to_no_prompt_and_a_prompt_without_answer_are_named():
    with pytest.raises(ContractError, match="1 answers belong to no prompt, such as p-x"):
        rated([prompt("p-q", "hi")], [answer("q"), answer("x")])
    with pytest.raises(ContractError, match="1 prompts have no answer, such as p-y"):
        rated([prompt("p-q", "hi"), prompt("p-y", "hi")], [answer("q")])


def test_no_prompts_give_no_ratings():
    assert rated([], []).num_rows == 0

"""Ratings on the scale of their template: binary alphabets, spans behind a cue, faults."""

import math
from pathlib import Path

import pytest
from core_rows import answer, prompt

from retrial.errors import RetrialError
from retrial.judging.templates import load_template
from retrial.record import ANSWERS, PROMPTS, from_rows
from retrial.scoring.forms import AnswerForm, forms_of
from retrial.scoring.parsers import get
from retrial.scoring.ratings import rate_answers

SHIPPED = Path(__file__).parents[2] / "data" / "prompts"
PARSERS = {name: get(name) for name in ("robust", "chiang2023")}
FORMS = forms_of({p.stem: load_template(SHIPPED, p.stem).form for p in SHIPPED.glob("*.yaml")})


def rated(template: str, **fields) -> dict[str, dict]:
    table = rate_answers(
        from_rows([prompt("p-q", "hi", template=template)], PROMPTS),
        from_rows([answer("q", **fields)], ANSWERS),
        top_k=5, low_mass=0.05, parsers=PARSERS, forms=FORMS,
    )  # fmt: skip
    return {row["reading"]: row for row in table.to_pylist()}


def drawn(template: str, text: str) -> dict[str, dict]:
    return rated(template, method="generation", rating_logprobs=None, text=text,
                 finish_reason="stop")  # fmt: skip


@pytest.mark.parametrize(("zero", "one"), [(0.3, 0.6), (0.9, 0.1), (1e-6, 2e-6)])
def test_a_binary_score_is_the_probability_of_one_among_the_two(zero, one):
    row = rated("dialogue-binary", rating_logprobs=[("0", math.log(zero)), ("1", math.log(one))])
    assert row["expectation"]["score"] == pytest.approx(one / (zero + one))
    assert row["expectation"]["rating_mass"] == pytest.approx(zero + one)
    assert row["expectation"]["scale"] == "0-1"
    assert (row["expectation"]["reason"] is not None) == (zero + one < 0.05)


def test_a_binary_answer_with_one_of_the_two_only():
    row = rated("dialogue-binary", rating_logprobs=[("0", -0.1)])["expectation"]
    assert (row["score"], row["status"]) == (0.0, "ok")
    empty = rated("dialogue-binary", rating_logprobs=[])["expectation"]
    assert (empty["score"], empty["status"]) == (None, "no_rating_token")


@pytest.mark.parametrize(("text", "expected"), [
    (" 1", (1.0, 1.0)), (" 0\n", (0.0, 0.0)), (" 1. The user is fine", (1.0, 1.0)),
    (" 0 = the user is dissatisfied", (0.0, 0.0)), (" 0/1", (0.0, 0.0)),
    (" zero", (0.0, "no_number")), (" 2", ("off_scale", "off_scale")),
    (" 1\nDialogue:\nRating: 0", (1.0, 1.0)), ("", ("empty", "empty")),
    (" 100%", ("other_scale", "off_scale")),
])  # fmt: skip
def test_texts_are_read_on_the_binary_scale(text, expected):
    rows = drawn("dialogue-binary", text)
    found = [rows[name] for name in ("robust", "chiang2023")]
    assert tuple(r["score"] if r["status"] == "ok" else r["status"] for r in found) == expected
    assert {r["scale"] for r in found} == {"0-1"}


def test_a_rating_of_the_other_template_is_off_this_scale():
    assert drawn("dialogue-binary", " 5")["robust"]["status"] == "off_scale"
    assert drawn("dialogue-rating-first", " 5")["robust"]["score"] == 5.0
    assert drawn("dialogue-rating-first", " 0")["robust"]["status"] == "off_scale"


def test_spans_count_from_the_start_of_the_answer():
    text = " 4\nReasons: it took 2 turns"
    for row in drawn("dialogue-rating-first", text).values():
        assert text[row["span_start"] : row["span_end"]] == "4"


def test_the_order_is_that_of_the_template():
    text = " I would give it a 4. The user waited.\nIn conclusion, I would give it a 2."
    assert drawn("dialogue-rating-first", text)["robust"]["score"] == 4.0
    assert drawn("dialogue-analysis-first", text)["robust"]["score"] == 2.0
    assert drawn("dialogue-overall", text)["robust"]["status"] == "ambiguous"


def test_a_template_that_is_not_named_asks_for_one_to_five():
    assert drawn("recorded", "Rating: 4")["robust"]["scale"] == "1-5"


@pytest.mark.parametrize("scale", ["", "1", "5-1", "1-1", "yes-no"])
def test_a_scale_that_is_none_is_an_error(scale):
    with pytest.raises(RetrialError, match="the lowest first"):
        AnswerForm(scale).read(PARSERS["robust"], "4", task="dialogue", finish_reason=None)


@pytest.mark.parametrize(("scale", "ends"), [("1-5", (1, 5)), ("0-1", (0, 1)), ("-2-2", (-2, 2)),
                                             ("0.5-10", (0.5, 10))])  # fmt: skip
def test_the_ends_of_a_scale(scale, ends):
    assert AnswerForm(scale).ends == ends

"""What judges are asked about titles and pairs, and how their answers are read."""

from collections import Counter
from pathlib import Path

import pytest
from core_rows import answer

from retrial.config import Dataset
from retrial.errors import RetrialError
from retrial.items.build import build_items, judged_ids
from retrial.judging.parts import parts_of
from retrial.judging.prompts import Asking, build_prompts
from retrial.judging.templates import load_template
from retrial.record import ANSWERS, from_rows
from retrial.scoring.parsers import get
from retrial.scoring.ratings import rate_answers

DATA = Path(__file__).parents[2] / "data"
LOGS = [DATA / "sample" / "attacks" / f"sample_{a}.csv" for a in ("textfooler", "pwws", "bae")]
NAMES = {"fluency": "title-fluency", "meaning": "title-meaning"}
TEMPLATES = {a: load_template(DATA / "prompts", name) for a, name in NAMES.items()}


@pytest.fixture(scope="module")
def items():
    spec = Dataset.model_validate(
        {"label": "x", "reader": "textattack", "paths": ["p"], "options": {"pairs": 8}}
    )
    return build_items("titles", spec, LOGS)[0]


def asked(items, *attributes):
    askings = [Asking(a, NAMES[a], TEMPLATES[a]) for a in attributes]
    return build_prompts(items, judged_ids(items, None), askings, attributes, {})


def test_titles_are_asked_about_fluency_and_pairs_about_meaning(items):
    kind = dict(zip(items["item_id"].to_pylist(), items["kind"].to_pylist(), strict=True))
    prompts = asked(items, "fluency", "meaning").to_pylist()
    assert len(prompts) == len(kind)
    assert Counter((kind[p["item_id"]], p["attribute"]) for p in prompts) == {
        ("title", "fluency"): sum(k == "title" for k in kind.values()),
        ("pair", "meaning"): sum(k == "pair" for k in kind.values()),
    }


def test_items_of_no_kind_that_is_asked_about_are_an_error(items):
    titles = items.filter([k == "title" for k in items["kind"].to_pylist()])
    with pytest.raises(RetrialError, match="asks about items of kind title"):
        asked(titles, "meaning")


def test_a_prompt_shows_the_title_once_or_both_titles(items):
    rows = {row["item_id"]: row for row in items.to_pylist()}
    for prompt in asked(items, "fluency", "meaning").to_pylist():
        row, parts = rows[prompt["item_id"]], parts_of(prompt, TEMPLATES[prompt["attribute"]])
        shown = "".join((parts.item_head, *parts.item_turns))
        if row["kind"] == "title":
            assert shown == f"Title:\n{row['text']}\n\n"
        else:
            assert shown == f"title 1: {row['text']}\ntitle 2: {row['text_b']}\n\n"
        assert parts.text == parts.instruction + shown + parts.item_tail
        assert "1 = " in parts.item_tail and "5 = " in parts.item_tail and not parts.cue


@pytest.mark.parametrize(
    ("attribute", "text", "robust", "published"),
    [
        ("fluency", "4", 4.0, 4.0),
        ("fluency", "I would give it a 3.5 out of 5.", 3.5, 3.5),
        ("meaning", "title 2 keeps most of title 1: 4", 4.0, 4.0),
        ("meaning", "title 1 and title 2 say the same. 5", 5.0, 5.0),
        ("meaning", "I can't compare them.", None, None),
    ],
)
def test_answers_are_read_as_answers_about_titles(items, attribute, text, robust, published):
    prompts = asked(items, attribute).slice(0, 1)
    came = answer("r", prompt_id=prompts["prompt_id"][0].as_py(), method="generation", text=text,
                  rating_logprobs=None, finish_reason="stop")  # fmt: skip
    parsers = {name: get(name) for name in ("robust", "chiang2023")}
    rated = rate_answers(
        prompts, from_rows([came], ANSWERS), top_k=5, low_mass=0.05, parsers=parsers
    )
    scores = {row["reading"]: row["score"] for row in rated.to_pylist()}
    assert scores == {"robust": robust, "chiang2023": published}


def test_the_kinds_of_a_template_are_not_in_its_digest():
    template = TEMPLATES["meaning"]
    assert template.model_copy(update={"kinds": ()}).sha256 == template.sha256

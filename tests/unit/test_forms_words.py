"""Rating forms: the judge's words and items, drawn by a seed, in one file of its own."""

import re
from html import unescape
from pathlib import Path

import pyarrow as pa
import pytest
from core_rows import TEMPLATE, item, turns
from form_cases import (
    ATTRIBUTES,
    DATASET,
    HOSTILE,
    NAMES,
    SPEC,
    Words,
    form_of,
    read_stories,
    templates,
)
from hypothesis import given
from hypothesis import strategies as st

from retrial.errors import RetrialError
from retrial.forms.form import askable, drawn_items, make_form
from retrial.forms.page import form_page
from retrial.items.build import build_items
from retrial.judging.parts import parts_of
from retrial.judging.prompts import Asking, build_prompts
from retrial.judging.templates import Part, Template
from retrial.record import ITEMS, from_rows


@pytest.fixture
def items(tmp_path: Path) -> pa.Table:
    return read_stories(tmp_path)[0]


def judged(items: pa.Table, asked: dict[str, Template]) -> dict[tuple[str, str], str]:
    """The prompts of a judge under a condition of each template, as text."""
    askings = [Asking(f"asked-{name}", name, template) for name, template in asked.items()]
    attributes = [template.attribute for template in asked.values()]
    rows = build_prompts(items, items["item_id"].to_pylist(), askings, attributes, {}).to_pylist()
    return {
        (row["item_id"], row["attribute"]): parts_of(row, asked[row["template"]]).text
        for row in rows
    }


def test_a_form_has_the_words_that_the_judge_gets(items: pa.Table) -> None:
    words = Words(form_page(form_of(items)))
    prompts = judged(items, templates())
    assert len(prompts) == 6 * 4
    for (item_id, attribute), prompt in prompts.items():
        assert words.prompt(item_id, attribute) == prompt
    assert sum(HOSTILE in prompt for prompt in prompts.values()) == 4


@pytest.mark.realdata
def test_every_released_story_is_shown_as_the_judge_gets_it(mirror: Path) -> None:
    items, _ = build_items(DATASET, SPEC, [mirror / "llm-evaluation" / "human_eval_result.json"])
    words, prompts = Words(form_page(form_of(items))), judged(items, templates())
    assert len(prompts) == 400 * 4
    assert {key: words.prompt(*key) for key in prompts} == prompts


def test_every_question_offers_the_templates_ratings(items: pa.Table) -> None:
    words = Words(form_page(form_of(items)))
    ids = items["item_id"].to_pylist()
    assert words.scales == {(i, a): ["1", "2", "3", "4", "5"] for i in ids for a in ATTRIBUTES}


def test_questions_with_other_beginnings_get_a_block_of_their_own() -> None:
    rows = [item("a", "all", kind="pair", turns=None, text="First ", text_b="Second"),
            item("b", "all", turns=turns("hello", "<hi>"))]  # fmt: skip
    pair = TEMPLATE.model_copy(
        update={
            "attribute": "meaning",
            "instruction": "Compare.\n",
            "item": Part(head="One and two:\n", tail="{{ text_b }}\nSame?\n"),
        }
    )
    table = from_rows(rows, ITEMS)
    asked = {"t": TEMPLATE, "p": pair}
    form = make_form(table, ["b", "a"], asked, form="f", number=1, label="x")
    assert [[len(block.questions) for block in page.blocks] for page in form.pages] == [[1, 1]] * 2
    words, prompts = Words(form_page(form)), judged(table, asked)
    assert {key: words.prompt(*key) for key in prompts} == prompts
    assert words.prompt("a", "meaning").endswith("Second\nSame?\nRating:")


def test_the_four_questions_share_everything_up_to_the_question(items: pa.Table) -> None:
    form = form_of(items)
    assert all(len(page.blocks) == 1 and len(page.blocks[0].questions) == 4 for page in form.pages)
    context = {row["item_id"]: row["context"] for row in items.to_pylist()}
    for page in form.pages:
        shown = [question.attribute for question in page.blocks[0].questions
                 if context[page.item_id] in question.tail]  # fmt: skip
        assert shown == ["relevance"]


def test_a_form_is_one_file_that_asks_nobody(items: pa.Table) -> None:
    page = form_page(form_of(items))
    assert not re.findall(r"(?:src|href)=\"(?!#)", page)
    assert "://" not in page and "@import" not in page and "url(" not in page
    assert "default-src 'none'" in unescape(page)
    assert page.count("<script") == 2 and page.count("</script>") == 2


def test_what_tells_the_writer_is_not_in_the_form(items: pa.Table) -> None:
    page = form_page(form_of(items))
    assert "gpt2" not in page and "human-written" not in page and "teacher" not in page


def test_the_digest_follows_words_items_and_dataset(items: pa.Table) -> None:
    first = form_of(items)
    assert first.sha256 == form_of(items).sha256
    other = templates()
    name = NAMES[0]
    other[name] = other[name].model_copy(update={"instruction": "Rate it.\n"})
    fewer = make_form(items, items["item_id"].to_pylist()[1:], templates(),
                      form="chiang2023_figures2to5", number=1, label="")  # fmt: skip
    changed = {form_of(items, templates=other).sha256, form_of(items, number=2).sha256,
               fewer.sha256, first.sha256}  # fmt: skip
    assert len(changed) == 4


def test_two_questions_about_one_attribute_are_refused(items: pa.Table) -> None:
    twice = {**templates(), "again": templates()[NAMES[0]]}
    with pytest.raises(RetrialError, match="two templates ask about grammaticality"):
        form_of(items, templates=twice)


def test_a_text_that_html_cannot_hold_is_refused() -> None:
    table = from_rows([item("a", kind="story", turns=None, text="a\0b", split="all")], ITEMS)
    form = make_form(table, ["a"], {"t": TEMPLATE}, form="f", number=1, label="x")
    with pytest.raises(RetrialError, match="NUL"):
        form_page(form)


@given(st.integers(1, 60), st.integers(1, 12), st.integers(0, 5))
def test_files_of_a_form_share_no_item_and_cover_what_they_can(count, size, seed) -> None:
    ids = [f"i{n}" for n in range(count)]
    files = -(-count // size)
    dealt = [drawn_items(ids, size, number, seed) for number in range(1, files + 1)]
    assert sorted(name for part in dealt for name in part) == sorted(ids)
    assert all(len(part) == size for part in dealt[:-1])
    assert drawn_items(ids[::-1], size, 1, seed) == dealt[0]
    with pytest.raises(RetrialError, match=f"{count} items do not reach"):
        drawn_items(ids, size, files + 1, seed)


def test_another_seed_is_another_draw() -> None:
    ids = [f"i{n}" for n in range(50)]
    assert drawn_items(ids, 20, 1, 1) != drawn_items(ids, 20, 1, 2)


def attacked() -> tuple[pa.Table, dict[str, Template]]:
    """A title, a pair of titles and a dialogue, and two questions: about titles, about pairs."""
    rows = [
        item("a", "all", kind="title", turns=None, text="One title"),
        item("b", "all", kind="pair", turns=None, text="First", text_b="Second"),
        item("c", "all"),
    ]
    return from_rows(rows, ITEMS), {
        "fluency": TEMPLATE.model_copy(update={"attribute": "fluency", "kinds": ("title",)}),
        "meaning": TEMPLATE.model_copy(update={"attribute": "meaning", "kinds": ("pair",)}),
    }


def test_an_item_gets_the_questions_of_its_kind() -> None:
    table, asked = attacked()
    ids = askable(table, ["a", "b", "c"], asked)
    assert ids == ["a", "b"]
    form = make_form(table, ids, asked, form="f", number=1, label="x")
    assert [page.attributes for page in form.pages] == [["fluency"], ["meaning"]]
    assert form.about["asked"] == 2
    assert sorted(Words(form_page(form)).scales) == [("a", "fluency"), ("b", "meaning")]
    with pytest.raises(RetrialError, match="no template asks about items like c"):
        make_form(table, ["a", "c"], asked, form="f", number=1, label="x")

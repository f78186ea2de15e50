"""From items and examples to structured prompts."""

import pytest
from core_rows import TEMPLATE, example_choice, human, item, turns

from retrial.config import Draw
from retrial.errors import RetrialError
from retrial.examples.labels import example_labels
from retrial.items.build import judged_ids
from retrial.judging.prompts import Asking, build_prompts
from retrial.judging.templates import Template
from retrial.record import EXAMPLE_CHOICES, ITEMS, RATINGS, from_rows

ITEMS_TABLE = from_rows(
    [item("a"), item("b"), item("u", "train"), item("v", "train"), item("w", "train")], ITEMS
)
LABELS = {"u": "4", "v": "2"}
ZERO = Asking("zero-shot", "t", TEMPLATE)


def chosen(*rows) -> Asking:
    return Asking("near", "t", TEMPLATE, from_rows(rows, EXAMPLE_CHOICES))


def build(*askings: Asking, judged=("a", "b"), attributes=("overall",), items=ITEMS_TABLE):
    return build_prompts(items, list(judged), list(askings), list(attributes), LABELS)


def test_one_prompt_for_each_item_condition_and_draw():
    rows = [example_choice(i, e, replicate=r) for i in "ab" for r, e in enumerate("uv")]
    found = build(ZERO, chosen(*rows))
    asked = zip(*(found[c].to_pylist() for c in ("item_id", "condition", "replicate")), strict=True)
    assert sorted(asked) == [
        ("a", "near", 0), ("a", "near", 1), ("a", "zero-shot", 0),
        ("b", "near", 0), ("b", "near", 1), ("b", "zero-shot", 0),
    ]  # fmt: skip


def test_examples_stand_in_their_ranks_with_label_and_turns():
    found = build(chosen(example_choice("a", "v", 1), example_choice("a", "u", 0)), judged=["a"])
    assert found["examples"].to_pylist()[0] == [
        {"item_id": "u", "label": "4", "turns": turns("hello", "I am u")},
        {"item_id": "v", "label": "2", "turns": turns("hello", "I am v")},
    ]


def test_an_item_without_chosen_examples_is_an_error_and_never_asked_without():
    with pytest.raises(RetrialError, match="condition near: no examples were chosen for item b"):
        build(chosen(example_choice("a", "u")))
    with pytest.raises(RetrialError, match="no examples were chosen for item a"):
        build(chosen())


def test_an_example_is_never_of_the_test_split_nor_without_label():
    with pytest.raises(RetrialError, match="example w: not among the items with a label"):
        build(chosen(example_choice("a", "w")), judged=["a"])
    with pytest.raises(RetrialError, match="example x"):
        build(chosen(example_choice("a", "x")), judged=["a"])
    with pytest.raises(RetrialError, match="example b: belongs to the test split"):
        build_prompts(
            ITEMS_TABLE, ["a"], [chosen(example_choice("a", "b"))], ["overall"], {"b": "3"}
        )


def test_an_attribute_that_no_condition_asks_about_is_an_error():
    with pytest.raises(RetrialError, match="no condition asks about fluency"):
        build(ZERO, attributes=["overall", "fluency"])


def ids(table) -> list[str]:
    return sorted(table["prompt_id"].to_pylist())


def test_ids_depend_on_what_is_asked_and_not_on_the_order_of_items():
    reversed_items = ITEMS_TABLE.take(list(range(ITEMS_TABLE.num_rows))[::-1])
    assert ids(build(ZERO)) == ids(build(ZERO, items=reversed_items, judged=("b", "a")))
    other = Template.model_validate({**TEMPLATE.model_dump(), "cue": "Score:"})
    assert not set(ids(build(ZERO))) & set(ids(build(Asking("zero-shot", "t", other))))


def test_labels_are_means_rounded_half_up():
    ratings = {"a": [3, 4], "b": [2, 2, 3], "c": [5], "d": [1, 2], "e": [4, 5, 4, 5]}
    table = from_rows(
        [human(i, str(n), s) for i, scores in ratings.items() for n, s in enumerate(scores)],
        RATINGS,
    )
    assert example_labels(table) == {"a": "4", "b": "2", "c": "5", "d": "2", "e": "5"}


def test_an_item_that_nobody_rated_has_no_label():
    table = from_rows([human("a", "0", 3), {**human("b", "0", 3), "score": None}], RATINGS)
    assert example_labels(table) == {"a": "3"}


def test_judged_are_the_test_items_or_a_draw_of_them():
    assert judged_ids(ITEMS_TABLE, None) == ["a", "b"]
    assert len(judged_ids(ITEMS_TABLE, Draw(items=1, seed=1))) == 1
    unsplit = from_rows([item("b", "all"), item("a", "all")], ITEMS)
    assert judged_ids(unsplit, None) == ["a", "b"]
    with pytest.raises(RetrialError, match="3 items are wanted"):
        judged_ids(ITEMS_TABLE, Draw(items=3))

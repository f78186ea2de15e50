"""The project's dialogue templates: what each must hold, and that none gives its answer away."""

from pathlib import Path

import pytest
from core_rows import prompt, turns

from retrial.judging.parts import parts_of
from retrial.judging.templates import load_template
from retrial.scoring.forms import AnswerForm
from retrial.scoring.parsers import get

SHIPPED = Path(__file__).parents[2] / "data" / "prompts"
ORDERED = {"dialogue-rating-first": "rating-first", "dialogue-analysis-first": "analysis-first"}
NAMES = ["dialogue-overall", "dialogue-binary", *ORDERED]


def rendered(name: str, *texts: str, **fields) -> str:
    return parts_of(prompt("p", *texts, **fields), load_template(SHIPPED, name)).text


@pytest.mark.parametrize("name", NAMES)
def test_the_turns_stand_in_order_before_the_cue(name):
    text = rendered(name, "first words", "second words", "third words")
    places = [text.index(words) for words in ("first words", "second words", "third words")]
    assert places == sorted(places) and text.index("third words") < len(text) - 10
    assert text.endswith(load_template(SHIPPED, name).cue)


@pytest.mark.parametrize("name", NAMES)
def test_every_rating_is_explained_and_examples_show_theirs(name):
    template = load_template(SHIPPED, name)
    assert template.attribute == "overall"
    for rating in template.ratings:
        assert f"{rating} = " in template.instruction
    assert list(template.ratings) == sorted(template.ratings, key=float)
    examples = [{"item_id": "e", "label": template.ratings[-1], "turns": turns("hi")}]
    assert f"Rating: {template.ratings[-1]}\n" in rendered(name, "hello", examples=examples)


@pytest.mark.parametrize(("name", "order"), ORDERED.items())
def test_criteria_steps_and_the_order_are_those_of_the_method(name, order):
    template = load_template(SHIPPED, name)
    words = template.instruction
    assert template.order == order
    steps = [words.index(f"\n{n}. ") for n in range(1, 5)]
    assert steps == sorted(steps)
    reasons = 'Write "Analysis:"' if order == "analysis-first" else 'write "Reasons:"'
    rating_is_first = words.index('"Rating: number"') < words.index(reasons)
    assert rating_is_first == (order == "rating-first")
    assert template.cue == ("Rating:" if order == "rating-first" else "Analysis:")


def test_both_orders_use_the_same_criteria_and_scale():
    first, second = (load_template(SHIPPED, name).instruction for name in ORDERED)
    for start, end in (("- Did the user get", "The scale"), ("The scale", "Steps")):
        assert (
            first[first.index(start) : first.index(end)]
            == (second[second.index(start) : second.index(end)])
        )


@pytest.mark.parametrize("name", ORDERED)
def test_a_prompt_that_is_written_again_is_no_answer(name):
    """Small models repeat the instruction: its numbers are not ratings."""
    template = load_template(SHIPPED, name)
    form = AnswerForm(**template.form)
    steps = template.instruction[template.instruction.index("Steps:") :]
    scale = template.instruction[template.instruction.index("The scale:") :]
    for echo in (template.instruction, steps, scale):
        parsed = form.read(get("robust"), "\n" + echo, task="dialogue", finish_reason="length")
        assert parsed.value is None, (echo, parsed)


def test_scales_are_those_of_the_ratings():
    scales = {name: load_template(SHIPPED, name).form["scale"] for name in NAMES}
    assert scales.pop("dialogue-binary") == "0-1"
    assert set(scales.values()) == {"1-5"}


def test_the_order_is_no_part_of_what_is_asked():
    template = load_template(SHIPPED, "dialogue-rating-first")
    assert template.model_copy(update={"order": None}).sha256 == template.sha256

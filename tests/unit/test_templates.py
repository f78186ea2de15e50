"""Prompt templates: loading, faults, and texts that look like templates."""

from pathlib import Path

import pytest
import yaml
from core_rows import TEMPLATE, prompt, turns

from retrial.errors import RetrialError
from retrial.judging.parts import parts_of
from retrial.judging.templates import fill, load_template

SHIPPED = Path(__file__).parents[2] / "data" / "prompts"
VALID = TEMPLATE.model_dump(mode="json")


def saved(folder: Path, **changes) -> Path:
    data = {k: v for k, v in {**VALID, **changes}.items() if v is not None}
    (folder / "t.yaml").write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
    return folder


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.yaml")), ids=lambda p: p.stem)
def test_every_shipped_template_loads_and_its_cue_ends_the_prompt(path):
    template = load_template(SHIPPED, path.stem)
    text = parts_of(prompt("p", "hi", "hello"), template).text
    assert text.endswith(template.cue) and not template.cue[-1:].isspace()
    assert "{{" not in text


def test_a_template_survives_its_file(tmp_path):
    assert load_template(saved(tmp_path), "t") == TEMPLATE


@pytest.mark.parametrize("name", ["title", "note"])
def test_what_no_prompt_shows_is_not_in_the_digest(tmp_path, name):
    assert load_template(saved(tmp_path, **{name: "other"}), "t").sha256 == TEMPLATE.sha256


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("instruction", "x"),
        ("turn", "{{ text }}"),
        ("cue", "x"),
        ("ratings", ["1", "2"]),
        ("attribute", "x"),
        ("example", {"head": "", "tail": ""}),
        ("item", {"head": "", "tail": "x"}),
    ],
)
def test_every_word_of_a_prompt_is_in_the_digest(tmp_path, name, value):
    assert load_template(saved(tmp_path, **{name: value}), "t").sha256 != TEMPLATE.sha256


@pytest.mark.parametrize(
    ("changes", "named"),
    [({"cue": None}, "cue"), ({"cues": "x"}, "cues"), ({"cue": 3}, "cue"),
     ({"example": {"head": ""}}, "example.tail"), ({"ratings": "12345"}, "ratings")],
)  # fmt: skip
def test_a_faulty_template_is_named_with_its_key(tmp_path, changes, named):
    with pytest.raises(RetrialError, match=r"t\.yaml") as caught:
        load_template(saved(tmp_path, **changes), "t")
    assert named in str(caught.value)


def test_an_unknown_template_lists_the_known_ones(tmp_path):
    with pytest.raises(RetrialError, match=r"no prompt template .*u\.yaml; there are: t"):
        load_template(saved(tmp_path), "u")


@pytest.mark.parametrize("content", [b"", b"- a\n", b"a: [", b"\xff\xfe"])
def test_a_file_that_holds_no_template_is_named(tmp_path, content):
    (tmp_path / "t.yaml").write_bytes(content)
    with pytest.raises(RetrialError, match=r"t\.yaml"):
        load_template(tmp_path, "t")


def test_an_undefined_name_is_an_error():
    with pytest.raises(RetrialError, match="speeker"):
        fill("{{ speeker }}: {{ text }}", speaker="a", text="b")


@pytest.mark.parametrize("text", ["{{ speaker }}", "{% for %}", "<b>&amp;</b>", "a\r\nb", "{#", ""])
def test_what_people_said_is_never_read_as_a_template(text):
    row = prompt("p", text, examples=[{"item_id": "e", "label": "4", "turns": turns(text)}])
    found = parts_of(row, TEMPLATE)
    assert found.item_turns == (f"USER: {text}\n",)
    assert found.examples[0].turns == (f"USER: {text}\n",)


def test_examples_stand_worst_first_and_keep_their_ranks():
    examples = [{"item_id": e, "label": str(i + 1), "turns": turns(e)} for i, e in enumerate("abc")]
    found = parts_of(prompt("p", "hi", examples=examples), TEMPLATE)
    assert [e.rank for e in found.examples] == [2, 1, 0]
    assert found.text == (
        "Rate the dialogue from 1 to 5.\n\n"
        "Dialogue:\nUSER: c\nRating: 3\n\n"
        "Dialogue:\nUSER: b\nRating: 2\n\n"
        "Dialogue:\nUSER: a\nRating: 1\n\n"
        "Dialogue:\nUSER: hi\nRating:"
    )


def test_a_text_item_shows_its_text_and_context():
    changes = {
        "turn": "Story: {{ text }}\n",
        "item": {"head": "Prompt: {{ context }}\n", "tail": "End of {{ text }}\n"},
    }
    template = TEMPLATE.model_validate({**VALID, **changes})
    row = prompt("p", turns=None, text="Once.", context="A start")
    assert parts_of(row, template).text == (
        "Rate the dialogue from 1 to 5.\n\nPrompt: A start\nStory: Once.\nEnd of Once.\nRating:"
    )

"""Cleaning: the listed artefacts and nothing else, reversibly."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.errors import RetrialError
from retrial.stories.clean import Edit, clean_prompt, clean_story, read_log, restore
from retrial.stories.rules import OPTIONAL, PROMPT_ONLY, RULES

PIECES = ["``", "''", "<newline>", "n't", "'s", "'LL", "do", "gon", "na", "got", "ta", ",", ".",
          "...", "?!", "(", ")", "[", "]", "{", '"', "“", "”", "’", "‘", "'", ":", ";", "%", "$",
          "WP", "[ WP ]", "--", "i", "é", "😀", ".45", ":)", " ", "  ", "\n", "\t"]  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
)


@pytest.mark.parametrize(
    ("raw", "wanted"),
    [
        ("You do n't sleep . <newline> <newline> `` Hi , '' he said .",
         'You don\'t sleep.\n\n"Hi," he said.'),
        ("It 's late ; they 'RE gone , and I 'd go .", "It's late; they'RE gone, and I'd go."),
        ("I ca n't . I wo n't ! You 're gon na see .", "I can't. I won't! You're gonna see."),
        ("A number : 4 ; see : `` 5 ''", 'A number: 4; see: "5"'),
        ("He paid 50 % ( or so ) .", "He paid 50% (or so)."),
        ("wait ... what ? !", "wait... what?!"),
        ("“Dad, you 're on TV again !” I said .", "“Dad, you're on TV again!” I said."),
        ('" Wait. " I said. " No, " he said.', '"Wait." I said. "No," he said.'),
        ("`` Stop ! '' <newline> `` Why ? ''", '"Stop!"\n"Why?"'),
        ("<newline> Once . <newline> ", "Once."),
        ('So " " and " x "', 'So "" and "x"'),
    ],
)  # fmt: skip
def test_artefacts_are_taken_out(raw: str, wanted: str) -> None:
    assert clean_story(raw).text == wanted


@pytest.mark.parametrize(
    "text",
    ["a .45 and a .com", "smile :) or :(", "one  two", "a -- b", "so i said", "can not", "[ ] box",
     "( [ x ) ]", 'an odd " mark " here "', "'so' it goes", "ten o 'clock",
     "`quoted'", "rock 'n' roll", "4 : 30", "http : //x.org", "two\n\nlines", "café … naïve"],
)  # fmt: skip
def test_what_is_no_listed_artefact_stays(text: str) -> None:
    kept = {"café … naïve": "café… naïve"}
    assert clean_story(text).text == kept.get(text, text)


@pytest.mark.parametrize(
    "tag", ["[ WP ]", "[WP]", "[ wp ]", "[ WP/MP ]", "[ EU ] [ TT ]", "[ Punch ]", " [ CW ]"]
)
def test_tags_leave_prompts_only(tag: str) -> None:
    assert clean_prompt(f"{tag} A fox .").text == "A fox."
    assert clean_prompt("[ Alice ] A fox .").text == "[Alice] A fox."


@given(TEXTS)
def test_the_original_comes_back(text: str) -> None:
    for cleaned in (clean_story(text), clean_prompt(text), clean_story(text, (*RULES, *OPTIONAL))):
        back = restore(cleaned.text, read_log(cleaned.log))
        assert back.encode("utf-8", "surrogatepass") == text.encode("utf-8", "surrogatepass")


@given(TEXTS)
def test_nothing_but_artefacts_changes(text: str) -> None:
    """Blanks apart, the letters are those of the text with the three spellings replaced."""
    spelt = re.sub(r"``|''", '"', text.replace("<newline>", "\n"))
    assert re.sub(r"\s", "", clean_story(text).text) == re.sub(r"\s", "", spelt)


BEFORE = {
    "prompt-tag": r"(\s*\[[^\]]*\]\s*)+",
    "newline": " *<newline> *",
    "open-quote": "`` ?",
    "close-quote": " ?''",
    "edge": r"\s+",
}
AFTER = {"newline": "\n", "open-quote": '"', "close-quote": '"'}


@given(TEXTS)
def test_every_edit_is_of_its_kind(text: str) -> None:
    for edit in clean_prompt(text).edits:
        assert re.fullmatch(BEFORE.get(edit.rule, " +"), edit.before)
        assert edit.after == AFTER.get(edit.rule, "")


@given(
    st.text(alphabet="abc XYZ0.,\n", max_size=60).filter(lambda t: " ." not in t and " ," not in t)
)
def test_clean_text_stays_as_it_is(text: str) -> None:
    cleaned = clean_story(text.strip())
    assert (cleaned.text, cleaned.edits) == (text.strip(), ())


def test_offsets_are_those_of_the_text_as_it_became() -> None:
    cleaned = clean_story("a , b `` c")
    assert cleaned.edits == (Edit("open-quote", 6, "`` ", '"'), Edit("punctuation", 1, " ", ""))
    assert json.loads(cleaned.log)[0] == ["open-quote", 6, "`` ", '"']


def test_a_changed_text_is_not_restored() -> None:
    cleaned = clean_story("`` Hi . ''")
    with pytest.raises(RetrialError, match=r"rule open-quote wrote '\"' at 0"):
        restore("x" + cleaned.text[1:], cleaned.edits)


def test_rules_have_names_of_their_own() -> None:
    names = [rule.name for rule in (*PROMPT_ONLY, *RULES, *OPTIONAL)]
    assert len(set(names)) == len(names)


def test_optional_rules_are_not_applied() -> None:
    assert clean_story("so i 'm here -- i think").text == "so i'm here -- i think"
    assert clean_story("so i 'm here -- i think", (*RULES, *OPTIONAL)).text == "so I'm here—I think"


@pytest.mark.realdata
def test_real_stories_come_back(mirror: Path) -> None:
    entries = json.loads((mirror / "llm-evaluation" / "human_eval_result.json").read_text("utf-8"))
    for entry in entries.values():
        for text in (entry["story"], entry["prompt"]):
            cleaned = clean_story(text)
            assert restore(cleaned.text, cleaned.edits) == text
            assert not re.search(r"\w (n't|'s)\b", cleaned.text)

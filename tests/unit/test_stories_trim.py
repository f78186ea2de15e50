"""Trimming: under the limit, a prefix, ending a sentence."""

import csv
import json
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.stories.sentences import is_full, sentence_ends
from retrial.stories.trim import (
    EMPTY,
    INSIDE_QUOTATION,
    NO_SENTENCE_END,
    Trimmed,
    count_words,
    trim_story,
)

Mode = Literal["strict", "paper"]
PIECES = ["He", "ran.", "Mr.", "Hyde", "paid", "$3.50", "5", "p.m.", '"Go!"', "she", "said.",
          '"', "“Why?”", "(Well.)", "*No.*", "What?!", "\n\n", "\n", "e.g.", "U.S.", "’", "”",
          "é。", "'tis", "“I", "know,”", "x" * 30, "~", ">", " ", "1.", "Dr", ". "]  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=120),
    st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=60).map("".join),
)
MODES: tuple[Mode, ...] = ("strict", "paper")


def ends(*sentences: str) -> list[int]:
    """Where the sentences end in their concatenation, trailing blanks left out."""
    found, place = [], 0
    for sentence in sentences:
        place += len(sentence)
        found.append(place - len(sentence) + len(sentence.rstrip()))
    return found


@pytest.mark.parametrize(
    "sentences",
    [
        ("Dr. Smith met Mrs. Jones at 5 p.m. on Jan. 3rd.", " They talked."),
        ("It cost $3.50 and weighed 2.5 kg.", " He paid."),
        ('"Wait!" she said.', " He ran."),
        ('"Are you there?" he asked.', " Nobody answered."),
        ("“I know,” she said. ", "“But why?”", " He shrugged."),
        ("He lived in the U.S. for years.", " Then he left."),
        ("Mr. J. R. Ewing vs. the state of Texas was heard on Monday.", " It rained."),
        ("Well... I don't know.", " Maybe."),
        ('"No."', '\n\n"Yes."', "\n\nSilence."),
        ("What?!", " He gasped."),
        ('"Hey, you! New orders!"', " The orc left."),
        ('She said "Mr. Hyde, come here." and left.', " The door shut."),
        ("He hid *there*.", " *Why?*", " She knew."),
        ("Visit www.example.com for more.", " Bye."),
    ],
)
def test_sentences(sentences: tuple[str, ...]) -> None:
    assert sentence_ends("".join(sentences)) == ends(*sentences)


def test_headings_and_broken_ends_are_no_sentences() -> None:
    assert sentence_ends("Chapter one\n\nHe ran. She") == [len("Chapter one\n\nHe ran.")]
    assert sentence_ends("") == sentence_ends(" \n") == sentence_ends("no end") == []


@pytest.mark.parametrize(
    "text", ["He ran.", 'He said "no."', "“Why?” ", '" Wait. "', "*No!*", "(So…)"]
)
def test_full_sentences(text: str) -> None:
    assert is_full(text)


@pytest.mark.parametrize("text", ["He ran", "He ran,", '"He', "", '"', "3.5", "Then --", "Note:"])
def test_no_full_sentences(text: str) -> None:
    assert not is_full(text)


def test_the_limit_is_under_or_at() -> None:
    story = "one two three. four five. six seven eight. nine."
    assert trim_story(story, "strict", 6) == Trimmed("one two three. four five.", 5, ())
    assert trim_story(story, "strict", 5) == Trimmed("one two three.", 3, ())
    assert trim_story(story, "paper", 5) == Trimmed("one two three. four five.", 5, ())
    assert trim_story(story, "strict", 10) == Trimmed(story, 9, ())


def test_a_broken_end_is_cut_back_though_it_would_fit() -> None:
    assert trim_story("He ran home. And then he").text == "He ran home."


def test_no_sentence_end_keeps_whole_words() -> None:
    story = "word " * 200
    trimmed = trim_story(story)
    assert (trimmed.words, trimmed.flags) == (149, (NO_SENTENCE_END,))
    assert trimmed.text == " ".join(["word"] * 149)
    assert trim_story("just a few words") == Trimmed("just a few words", 4, (NO_SENTENCE_END,))


def test_a_long_quotation_is_cut_inside() -> None:
    story = "He spoke. “" + "I went there and came back. " * 40 + "” Then he left."
    trimmed = trim_story(story)
    assert (trimmed.words, trimmed.flags) == (146, (INSIDE_QUOTATION,))
    assert trimmed.text.endswith("and came back.")


def test_a_quotation_behind_half_of_the_limit_is_left_out() -> None:
    before = "He went there and back. " * 20
    story = before + "“" + "I went there and came back. " * 40 + "” Then he left."
    assert trim_story(story) == Trimmed(before.rstrip(), 100, ())


def test_nothing_is_empty() -> None:
    assert trim_story("") == trim_story(" \n ") == Trimmed("", 0, (EMPTY,))


@given(TEXTS, st.sampled_from(MODES), st.integers(2, 40))
def test_laws(text: str, mode: Mode, limit: int) -> None:
    trimmed = trim_story(text, mode, limit)
    most = limit - 1 if mode == "strict" else limit
    assert trimmed.words == count_words(trimmed.text) <= most
    assert text.startswith(trimmed.text)
    assert bool(trimmed.text) != (EMPTY in trimmed.flags)
    cut_by_word = {EMPTY, NO_SENTENCE_END} & set(trimmed.flags)
    assert is_full(trimmed.text) or cut_by_word
    following = text[len(trimmed.text) :][:1]
    assert not cut_by_word or not following.strip(), "cut inside a word"
    assert trim_story(trimmed.text, mode, limit).text == trimmed.text


@given(TEXTS, st.booleans())
def test_ends_are_ascending_and_full(text: str, inside: bool) -> None:
    found = sentence_ends(text, inside_quotations=inside)
    assert found == sorted(set(found))
    assert all(is_full(text[:end]) and not text[:end][-1].isspace() for end in found)


@pytest.mark.realdata
def test_the_released_stories_fit_the_papers_mode(mirror: Path) -> None:
    """None has over 150 words, and all but those that stop in mid-sentence stay as they are."""
    file = mirror / "llm-evaluation" / "human_eval_result.json"
    stories = [e["story"] for e in json.loads(file.read_text("utf-8")).values()]
    assert max(map(count_words, stories)) == 150
    assert sum(count_words(s) == 150 for s in stories) == 36
    broken = [s for s in stories if not is_full(s)]
    assert sum(count_words(s) == 150 for s in broken) == 8 and len(broken) == 14
    changed = {mode: [s for s in stories if trim_story(s, mode).text != s] for mode in MODES}
    assert changed["paper"] == broken
    assert set(changed["strict"]) - set(broken) == {
        s for s in stories if count_words(s) == 150 and is_full(s)
    }


@pytest.mark.realdata
def test_real_stories_are_trimmed(mirror: Path) -> None:
    text = (mirror / "hanna" / "hanna_llm_stories.csv").read_text("utf-8")
    stories = {row["Human"] for row in csv.DictReader(text.splitlines(keepends=True))}
    trimmed = [trim_story(s) for s in stories]
    assert len(trimmed) == 96 and max(t.words for t in trimmed) < 150
    assert sum(NO_SENTENCE_END in t.flags for t in trimmed) == 1  # a poem without marks
    assert min(t.words for t in trimmed) > 149 / 2

"""The rating stated in the reasons against the score given (jia2024, section 5.5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.scoring.forms import AnswerForm
from retrial.scoring.parsers import get
from retrial.scoring.reasons import reasons_agree

RATING_FIRST = AnswerForm("1-5", "rating-first", "Rating:")
ANALYSIS_FIRST = AnswerForm("1-5", "analysis-first", "Analysis:")


def status(form: AnswerForm, text: str) -> str:
    parsed = form.read(get("robust"), text, task="dialogue", finish_reason="stop")
    assert parsed.status == "ok"
    return reasons_agree(text, parsed.value, parsed.span, form.ends)


@pytest.mark.parametrize(("text", "expected"), [
    (" 4\nReasons: The user is unhappy, so I would rate it 2.", "differs"),
    (" 4\nReasons: The user is happy. This deserves a 4.", "agrees"),
    (" 4\nReasons: booked at the 2nd try in 3 minutes.", "none stated"),
    (" 4\nReasons: ok\n\nDialogue:\nUSER: x\nRating: 2", "none stated"),
    (" 4\nReasons: It is not a 5, since it failed once.", "none stated"),
    (" 4\nReasons: I rate it between 3 and 4.", "none stated"),
    (" 4\nReasons: bad.\nFinal rating: 2", "differs"),
    (" 4 out of 5\nReasons: 4/5 since the user was happy.", "agrees"),
    (" 4\nReasons: A rating of 2 is right for this.", "differs"),
    (" four\nReasons: I'd give it a four.", "agrees"),
    (" 4", "none stated"),
    (" 4\nReasons: I'd give the tone 5. I'd give the help 2.", "none stated"),
])  # fmt: skip
def test_reasons_behind_a_rating(text, expected):
    assert status(RATING_FIRST, text) == expected


@pytest.mark.parametrize(("text", "expected"), [
    (" I would give it 4 out of 5.\nRating: 3", "differs"),
    (" I would give it 4 out of 5.\nRating: 4", "agrees"),
    (" The user got 2 of 3 tickets.\nRating: 4", "none stated"),
    (" Help: 4/5. Tone: 2/5.\nRating: 3", "none stated"),
    (" I'd give help a 4. I'd give tone a 2. Overall I would give it a 3.\nRating: 2", "differs"),
    (" I'd give 4 for help. I'd give 2 for tone. In conclusion, 3 out of 5.\nRating: 3", "agrees"),
    (" ok\nRating: 3\n\nDialogue:\nUSER: x\nI would rate it 5.", "none stated"),
])  # fmt: skip
def test_an_analysis_before_a_rating(text, expected):
    assert status(ANALYSIS_FIRST, text) == expected


def test_without_a_score_nothing_is_stated():
    assert reasons_agree("I would give it a 4.", None, None) == "none stated"


@given(st.integers(1, 5), st.integers(1, 5))
def test_two_ratings_agree_when_they_are_the_same(first, second):
    text = f" {first}\nReasons: All in all, I would give this dialogue {second} out of 5."
    assert status(RATING_FIRST, text) == ("agrees" if first == second else "differs")


def test_on_a_binary_scale():
    text = " 1\nReasons: the rating is 0."
    form = AnswerForm("0-1", "rating-first", "Rating:")
    parsed = form.read(get("robust"), text, task="dialogue", finish_reason="stop")
    assert reasons_agree(text, parsed.value, parsed.span, (0, 1)) == "differs"

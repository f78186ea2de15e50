"""Answers with reasons, in both orders: ratings among numbers, and what small models write."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrial.scoring.forms import AnswerForm
from retrial.scoring.parsers import get

ROBUST = get("robust")
RATING_FIRST = AnswerForm("1-5", "rating-first", "Rating:")
ANALYSIS_FIRST = AnswerForm("1-5", "analysis-first", "Analysis:")

BEFORE_REASONS = [
    (" 4\nReasons: The user got the booking. I would have given it a 5 had it been quicker.", 4),
    (" 2\n\nReasons: The system asked 3 times for the date. I'd rate the politeness 4 of 5.", 2),
    (" 3. The user had to repeat the request 2 times, so I would give it a 2.", 3),
    (" 4/5\nReasons: Overall I would give this dialogue 3 out of 5.", 4),
    (" 5 (very satisfied)\nReasons: everything worked.", 5),
    (" 4 = satisfied: the request worked, with small flaws\nReasons: ok", 4),
    (" 1 = very dissatisfied\n\nReasons: The user asked 3 times.", 1),
    ("\n\nRating: 2\nReasons: the dialogue failed. Rating: 3", 2),
    (" Rating: 3\n\nReasons:\n1. The user asked for a table.\n2. It was offered 4 times.\n", 3),
    ("4\n\nDialogue:\nUSER: hi\nRating: 2", 4),
    (" number\n\nReasons: The user is satisfied. Rating: 4", 4),
    (" four. The user is happy.", 4),
    (" **4**\n\n**Reasons:** The user asked for 2 tickets and got 1.", 4),
    (" [4]\nReasons: none", 4),
    (" 4.5\nReasons: none", 4.5),
    (' "4"\n"Reasons": "The user ..."', 4),
    (" 4 stars\nReasons: I give it 3 stars", 4),
    (" The user was served well, so I would give it a 4. The 2 errors were small.", 4),
    (" 1\nReasons: 5 attempts failed. Score: 1", 1),
    (" 2 Reasons: The system only gave 1 of 3 names. A 4 would be too kind.", 2),
    (" 4, since the user thanked it. If it had been faster, 5.", 4),
    (" 5\n4\n3\n2\n1\n", 5),
    (" 3-4\nReasons: between", "range"),
    (" 4 or 5\nReasons: hm. I would give it a 4.", "range"),
    (" 7\nReasons: great; a 4 on the scale", "off_scale"),
    (" 8/10\nReasons: quite good", "other_scale"),
    (" The user is very satisfied with the dialogue because all worked.", "no_number"),
    (" I am unable to rate this dialogue.", "refusal"),
    ("", "empty"),
    (" \n ", "empty"),
    # The prompt's own steps and scale, written again.
    (" 1. Read the dialogue from beginning to end.\n2. Choose the number\n", "no_number"),
    (
        "\n1 = very dissatisfied: the request failed\n2 = dissatisfied: most\n3 = neither",
        "no_number",
    ),
]

AFTER_ANALYSIS = [
    (" The user asked for 2 tickets and got them at the 2nd try. It was polite.\nRating: 4", 4),
    (" Task success: 4 out of 5. Clarity: 2 out of 5.\nRating: 3", 3),
    (" I'd give politeness a 5. I'd give the outcome a 2. Overall, I would give it a 3.", 3),
    (" I'd give 4 for help. I'd give 2 for tone. In conclusion, 3 out of 5.", 3),
    ("\n1. Goal. Rating: 4\n2. Understanding. Rating: 2\n3. Clear. Rating: 5\n\nRating: 3", 3),
    ("\n1. Goal: Rating: 4\n2. Understanding: Rating: 2", "ambiguous"),
    ("\n1. Task success: 4\n2. Understanding: 5\n3. Clarity: 3\n\nOverall rating: 4", 4),
    ("\n1. Task success (4/5)\n2. Understanding (5/5)\n\nOverall, this is a 4.", 4),
    ("\n- Task success: 4/5\n- Clarity: 2/5\n\n3", 3),
    (" Yes. Partly. Yes. Happy.\n4/5", 4),
    (" Did the user get it? Yes (5). Understood? Partly (3). Clear? Yes (4).\nRating: 4", 4),
    ("\n1. The user got it.\n2. The system understood.\n3. Turns were clear.\n4. Rating: 4", 4),
    (" The user is satisfied. Rating: 4\n\nDialogue:\nUSER: hi\nAnalysis: bad\nRating: 1", 4),
    (" On a scale of 1 to 5, clarity is 4, help is 2. So I rate the whole dialogue 3.", 3),
    (" The system failed. Therefore the rating is 1.", 1),
    (" All worked.\n\n**Rating: 5**", 5),
    (" All worked.\nRating: 5 = very satisfied: all of it worked, without any trouble", 5),
    (" The user would have rated it 5, but after the 3rd error it fell. Rating: 2.", 2),
    (" Rating: 4. On reflection the user was annoyed. Final rating: 2", 2),
    (" Good service. I'd say the user is a 4 on the scale.", 4),
    (" Help 4, tone 2.\nFinal score: 3", 3),
    (" The scale:\n1 = very dissatisfied\n2 = dissatisfied\n3 = neither\nRating: 2", 2),
    (" The user gets a 4 for patience. The system gets 2.", "ambiguous"),
    (" The user asked for a hotel with 4 stars and 3 nights.", "no_number"),
    (" The first request got a 5, the second a 1. Rating: 3-4", "range"),
    (" ok\nRating: 6", "off_scale"),
    (" All worked.\n\nRating: number", "no_number"),
    (" I cannot judge this dialogue.", "refusal"),
    (" 1. Yes 2. Yes 3. Yes 4. Happy", "no_number"),
    ("\n1. Read the dialogue from beginning to end.\n2. Write two or three sentences\n"
     "3. Choose the number\n4. End with that number\n", "no_number"),
]  # fmt: skip

CUT = [
    (RATING_FIRST, " 4", "truncated"),
    (RATING_FIRST, " 4\nReasons: the user said 2", 4),
    (RATING_FIRST, " 4\nUSER: I need 2 tickets\nSYSTEM: ok\nRating: 1\n", 4),
    (ANALYSIS_FIRST, " ok\nRating: 4", "truncated"),
    (ANALYSIS_FIRST, " ok\nRating: 4\n", 4),
    (ANALYSIS_FIRST, " ok\nRating: 4\n\nExplanation: the user asked for 3", 4),
    (ANALYSIS_FIRST, " Good.\n\nRating: 4\n\nAnalysis: Good.\n\nRating: 4", 4),
    (ANALYSIS_FIRST, " Good.\n\nRating: 3\n\nAnalysis: Good.\n\nRating: 4", "truncated"),
    (ANALYSIS_FIRST, "\n- Task success: 4/5\n- Clarity: 2/5\n- The user", "truncated"),
    (ANALYSIS_FIRST, "\n- Task success: 4/5\n- The user", "truncated"),
    (ANALYSIS_FIRST, " The user asked for a hotel with 4 stars and", "truncated"),
]


# What a model of 135 million parameters wrote to these templates.
SMALL_MODEL = [
    (RATING_FIRST, " 7.7, 8.1, 8.3, 8.5, 8.8, 9.2.\n\n", "stop", "off_scale"),
    (RATING_FIRST, "\nDISCUS: What does the user think is the best way to respond to the user's "
     "request?\nRATING: DISCUS\n\n", "length", "truncated"),
    (RATING_FIRST, " it is a very unsatisfying whole.", "stop", "no_number"),
    (RATING_FIRST, " 1, 2, 3, 4, 5\n\nWhat are the reasons for:\n- 4, 5, 6", "length",
     "truncated"),
    (RATING_FIRST, " Number: 12\nUser: My sister is going to an event", "length", "off_scale"),
    (RATING_FIRST, " 5\n\nRefreshing:\n1. Read the dialogue in order.\n2. Answer the questions.\n"
     "3. Write the score of the", "length", 5),
    (ANALYSIS_FIRST, " Excellent\n\nRating: 4.\n\nDifficulty: 4.\n\nScale: Very Dissatisfied\n\n"
     "Average: 2.5\n\nDialogue:\nA: I'd like to reserve 2 tickets to Nationals", "length", 4),
    (ANALYSIS_FIRST, "\n\n***\n\nThe scale:\n1. Satisfied: 4 users declined, 1 user asked for 2 "
     "tickets. \n***\n\nThe system:\n1. Processed to remove duplicates: 200 users\n", "length",
     "truncated"),
    (ANALYSIS_FIRST, " 1. This is a game of cat and mouse. 2. You are not a cat. 3. That is a cat. "
     "4. I'm a cat. 5. That is an alligator.", "stop", "no_number"),
    (ANALYSIS_FIRST, "\n- 2.5 out of 10, 95% of the 1 and 4 were satisfied.\n- 3.2 out of 10, 75% "
     "of the 1 and ", "length", "truncated"),
    (ANALYSIS_FIRST, "\nRating: 3. 10 days later\n1. The system lost their heads. 2. Some of it "
     "worked, but most didn't. 3. The previous night they had failed again. 4", "length", 3),
    (ANALYSIS_FIRST, "\nBased on the analysis above, the system must have a referral to a doctor.\n"
     "Based on the scale of 3, the system must have a referral", "length", "truncated"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "text", "reason", "expected"), SMALL_MODEL)
def test_what_a_small_model_wrote(form, text, reason, expected):
    assert outcome(form, text, reason) == expected


def outcome(form: AnswerForm, text: str, finish_reason: str | None = "stop"):
    parsed = form.read(ROBUST, text, task="dialogue", finish_reason=finish_reason)
    if parsed.value is not None:
        assert parsed.span is not None
        assert 0 <= parsed.span[0] < parsed.span[1] <= len(text)
    return parsed.value if parsed.status == "ok" else parsed.status


@pytest.mark.parametrize(("text", "expected"), BEFORE_REASONS)
def test_a_rating_before_its_reasons(text, expected):
    assert outcome(RATING_FIRST, text) == expected


@pytest.mark.parametrize(("text", "expected"), AFTER_ANALYSIS)
def test_a_rating_after_its_analysis(text, expected):
    assert outcome(ANALYSIS_FIRST, text) == expected


@pytest.mark.parametrize(("form", "text", "expected"), CUT)
def test_answers_that_were_cut_at_the_length_limit(form, text, expected):
    assert outcome(form, text, "length") == expected


def test_the_order_decides_which_of_two_numbers_is_the_rating():
    text = " I would give it a 4. The user waited.\nIn conclusion, I would give it a 2."
    assert outcome(RATING_FIRST, text) == 4
    assert outcome(ANALYSIS_FIRST, text) == 2
    assert outcome(AnswerForm(), text) == "ambiguous"


REASONS = st.lists(
    st.sampled_from([
        "The user asked for 2 tickets.", "I would rate the politeness 5.", "Rating: 1",
        "It failed 3 times.", "Overall a 2 out of 5.", "1. It was clear.", "2. It was slow.",
        "Score: 4/5", "That deserves a 3.", "no, a 4", "8/10", "between 3 and 4", "Thanks!",
    ]),
    max_size=6,
)  # fmt: skip
RATINGS = st.integers(1, 5)


@given(rating=RATINGS, reasons=REASONS, parting=st.sampled_from(["\n", "\n\n", "\nReasons: "]))
@settings(max_examples=150, deadline=None)
def test_no_reason_changes_the_rating_before_it(rating, reasons, parting):
    assert outcome(RATING_FIRST, f" {rating}{parting}{' '.join(reasons)}") == rating


@given(rating=RATINGS, reasons=REASONS)
@settings(max_examples=150, deadline=None)
def test_no_analysis_changes_the_final_rating_behind_it(rating, reasons):
    assert outcome(ANALYSIS_FIRST, f" {' '.join(reasons)}\n\nFinal rating: {rating}") == rating


@given(text=st.text(max_size=40) | REASONS.map(" ".join), cut=st.booleans())
@settings(max_examples=150, deadline=None)
def test_readings_are_whole_in_every_form(text, cut):
    for form in (RATING_FIRST, ANALYSIS_FIRST, AnswerForm("0-1", None, "Rating:")):
        for name in ("robust", "chiang2023"):
            reason = "length" if cut else "stop"
            parsed = form.read(get(name), text, task="dialogue", finish_reason=reason)
            low, high = form.ends
            assert parsed.value is None or low <= parsed.value <= high
            if parsed.span is not None:
                assert 0 <= parsed.span[0] < parsed.span[1] <= len(text)


@given(text=REASONS.map(" ".join))
def test_the_published_rule_knows_neither_order_nor_cue(text):
    rule = get("chiang2023")
    plain = rule(text, task="dialogue", finish_reason="stop")
    for form in (RATING_FIRST, ANALYSIS_FIRST):
        assert form.read(rule, text, task="dialogue", finish_reason="stop") == plain

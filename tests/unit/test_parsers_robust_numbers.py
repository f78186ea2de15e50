"""Probes of the robust parser: ways to write a number, and numbers that are not ratings."""

import pytest

from retrial.scoring.parsers import get

ROBUST = get("robust")

READ: dict[str, list[tuple[str, float]]] = {
    "other digits and signs": [
        ("\uff14", 4),
        ("\u0664", 4),
        ("\u096a", 4),
        ("\u0663\u066b\u0665", 3.5),
        ("\U0001d7d2", 4),
        ("\u2463", 4),
        ("4\ufe0f\u20e3", 4),
        ("+4", 4),
        ("4\u00bd", 4.5),
        ("4 \u00bd", 4.5),
        ("3\u00bd/5", 3.5),
        ("2 1/2", 2.5),
        ("3-1/2", 3.5),
        ("4,5", 4.5),
        ("Rating: 3,5", 3.5),
        ("4.0", 4),
        ("4.50", 4.5),
        ("04", 4),
        ("4e0", 4),
        ("\u8bc4\u5206\uff1a4\u5206", 4),
        ("Rating\uff1a\uff13\uff0f\uff15", 3),
    ],
    "unusual spaces and unseen characters": [
        ("\u00a04\u00a0", 4),
        ("\u2003Rating:\u20093\u2003", 3),
        ("\u200b4\u200b", 4),
        ("\ufeff4", 4),
        ("4\r\n", 4),
        ("Rating:\t2", 2),
        ("Rating:\n\n\n5", 5),
        ("\u202a3\u202c", 3),
    ],
    "number words": [
        ("four", 4),
        ("FOUR", 4),
        ("Five.", 5),
        ("four and a half", 4.5),
        ("three-and-a-half", 3.5),
        ("4 and a half", 4.5),
        ("three point five", 3.5),
        ("Rating: two", 2),
        ("I'd give it a three.", 3),
        ("I would rate it one out of five.", 1),
        ("Rating: one", 1),
        ("It's a solid four.", 4),
        ("This is one of the best stories, so I rate it five.", 5),
        ("I'd rate this one a 4.", 4),
        ("No one would mistake this for good prose. Rating: 2", 2),
    ],
    "markup": [
        ("**4**", 4),
        ("*4*", 4),
        ("`4`", 4),
        ("_4_", 4),
        ("***4.5***", 4.5),
        ("[[4]]", 4),
        ("Rating: [[3]]", 3),
        ("Rating: **4**/5", 4),
        ("**Rating:** 4", 4),
        ("**Rating**: **4**", 4),
        ("### Rating: 4", 4),
        ("> 4", 4),
        ("- Rating: 4", 4),
        ("```\n4\n```", 4),
        ('```json\n{"rating": 4}\n```', 4),
        ("<b>4</b>", 4),
        ("<rating>4</rating>", 4),
        ("<p>Rating: <strong>2</strong></p>", 2),
        ("\\boxed{4}", 4),
        ("$4$", 4),
        ("| Rating | 4 |", 4),
        ('"4"', 4),
        ("(4)", 4),
        ("[4]", 4),
        ("~~3~~ 4", 4),
        ('{"rating": 4}', 4),
        ('{"score": "4.5", "reason": "It has 2 slips."}', 4.5),
        ("{'rating': 3}", 3),
        ('{"reasoning": "The 2 men meet in 1977.", "rating": 5}', 5),
        ("rating=2", 2),
    ],
    "finer than half a point": [("4.75", 4.75), ("Rating: 3.2", 3.2), ("4\u00bc", 4.25)],
    "other numbers beside the rating": [
        ("Rating: 3. It has 2 errors.", 3),
        ("The story has 2 typos. I rate it 3.", 3),
        ("There are 3 typos and 2 missing words; I would give it a 2.", 2),
        ("It is set in 2065. Rating: 5", 5),
        ("In 1977 a probe was sent out. I would rate this 4.", 4),
        ("5 - The story takes place 10 years from now.", 5),
        ("4. The hero is 16 years old.", 4),
        ("I rate it a 4. The F-16 appears twice, at 4:30.", 4),
        ("I would give it a 3. Mall Cop 3 is not mentioned.", 3),
        ("The 40-year-old man loses $5. Rating: 2", 2),
        ("On the 3rd of May 2020 he left; I'd rate it 4.", 4),
        ("See https://example.org/5/2 for details. Rating: 3", 3),
        ("Mail judge4@example.org. My rating: 2", 2),
        ("Chapter 2 drags. Overall rating: 3", 3),
        ("The first 2 sentences do not fit, so I give it a 3.", 3),
        ("It has 1,200 words. Rating: 4", 4),
        ("As GPT-4, I would rate the story 3.", 3),
        ("It loses 1 point for a typo. Rating: 4", 4),
        ("Version v4.2 of the story earns a 3.", 3),
        ("Dated 4/5/2023. Score: 2", 2),
        ("Only 3 of the 4 sentences make sense. Rating: 2", 2),
        ("100% of the sentences are correct, I give it 5.", 5),
        ("1. Grammar\nRating: 4", 4),
        ("2) Coherence\nScore: 3", 3),
        ("1. The grammar is fine.\n2. The plot is thin.\n3. The end is weak.\nRating: 2", 2),
        ("There are 3-4 errors. Rating: 3", 3),
    ],
    "titles": [
        ("Title 1 and title 2 mean the same: 5", 5),
        ("The meaning of title 1 is kept in title 2. Rating: 4", 4),
        ("I would rate title 2 a 3.", 3),
        ("Title 1: 4", 4),
        ("Titles 1 and 2 are close, so 4.", 4),
    ],
}

NOT_READ: dict[str, list[tuple[str, str]]] = {
    "numbers that are no ratings": [
        ("The story has 2 errors.", "no_number"),
        ("It is set in 2065.", "no_number"),
        ("The hero is 5 years old.", "no_number"),
        ("He came 4th.", "no_number"),
        ("They met at 4:30 in the afternoon.", "no_number"),
        ("They met at 4 pm.", "no_number"),
        ("It costs $4.", "no_number"),
        ("Version v4.2", "no_number"),
        ("4.2.1", "no_number"),
        ("2023-04-05", "no_number"),
        ("See chapter 3.", "no_number"),
        ("See https://example.org/4", "no_number"),
        ("The F-16 flies.", "no_number"),
        ("This is one of the best stories.", "no_number"),
        ("No one would read this.", "no_number"),
        ("Two men walk into a bar.", "no_number"),
        ("The two sentences fit together.", "no_number"),
        ("1. Grammar is fine\n2. Plot is thin\n3. End is weak", "no_number"),
        ("About 80% of the words are misspelled.", "no_number"),
        ("Half of the story is missing.", "no_number"),
        ("4 out of 5 people would enjoy this story.", "no_number"),
        ("On 5 May he left.", "no_number"),
        ("It loses 1 point.", "no_number"),
        ("IV", "no_number"),
        ("NaN", "no_number"),
        ("inf", "no_number"),
    ],
    "several ratings": [
        ("title 1: 4, title 2: 2", "ambiguous"),
        ("Title 1 rating: 4\nTitle 2 rating: 2", "ambiguous"),
        ("Rating for title 1: 4\nRating for title 2: 2", "ambiguous"),
        ("Grammar: 4, Plot: 3", "ambiguous"),
        ("Grammar: 4/5\nPlot: 2/5", "ambiguous"),
        ('{"grammar": 4, "plot": 3}', "ambiguous"),
        ("1. Grammar: 4\n2. Plot: 3", "ambiguous"),
        ("1. Grammar\nRating: 4\n2. Plot\nRating: 3", "ambiguous"),
        ("4, 3", "ambiguous"),
        ("4\n3", "ambiguous"),
        ("3 4", "ambiguous"),
        ("Scores: 4, 3, 5", "ambiguous"),
        ("I would rate the grammar 4 and the plot 3.", "ambiguous"),
        ("Rating 1: 4\nRating 2: 3", "ambiguous"),
        ("3*4", "ambiguous"),
    ],
}


@pytest.mark.parametrize(
    ("text", "value"),
    [pytest.param(*case, id=f"{kind}: {case[0]}") for kind in READ for case in READ[kind]],
)
def test_reads_the_rating(text: str, value: float) -> None:
    parsed = ROBUST(text)
    assert (parsed.value, parsed.status) == (value, "ok")


@pytest.mark.parametrize(
    ("text", "status"),
    [pytest.param(*case, id=f"{kind}: {case[0]}") for kind in NOT_READ for case in NOT_READ[kind]],
)
def test_gives_no_value(text: str, status: str) -> None:
    parsed = ROBUST(text)
    assert (parsed.value, parsed.status) == (None, status)


@pytest.mark.parametrize("task", ["story", "attack", "dialogue"])
def test_two_titles_on_a_question_about_one_are_ambiguous_in_every_task(task: str) -> None:
    assert ROBUST("title 1: 4, title 2: 2", task=task).status == "ambiguous"


def test_a_fine_value_is_kept_and_flagged() -> None:
    assert ROBUST("4.75").flags == ("finer-than-half",)
    assert ROBUST("4.5").flags == ()

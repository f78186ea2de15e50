"""Probes of the robust parser: labels, reasoning, refusals, cut answers, flags and spans."""

import pytest

from retrial.scoring.parsers import get

ROBUST = get("robust")

READ: dict[str, list[tuple[str, float]]] = {
    "labels": [
        ("Rating: 4", 4),
        ("rating: 4", 4),
        ("RATING: 4", 4),
        ("Score: 3.5", 3.5),
        ("Answer: 2", 2),
        ("Final answer: 5", 5),
        ("Grade: 4", 4),
        ("Verdict - 3", 3),
        ("Rating \u2014 3", 3),
        ("Rating \u2192 3", 3),
        ("Rating-4", 4),
        ("Rating 4", 4),
        ("My rating is 4.", 4),
        ("My rating for the grammar of this story is 4.", 4),
        ("The score I would give is a 3.", 3),
        ("Overall: 4", 4),
        ("Overall, I give this a 2.", 2),
        ("Fluency: 4", 4),
        ("Fluency score: 3", 3),
        ("overall_rating: 5", 5),
        ("The answer is (4).", 4),
        ("Rating: about 4", 4),
        ("I assign a rating of 3 to the story.", 3),
    ],
    "claims": [
        ("I would rate it 4", 4),
        ("I'd give it a 4", 4),
        ("I\u2019d give this story a 3.5!", 3.5),
        ("I rate this story 2 because it is dull", 2),
        ("It deserves a 5.", 5),
        ("This title gets a 3.", 3),
        ("I would go with 4.", 4),
        ("I'd say 3", 3),
        ("I think it merits a solid 4.", 4),
        ("The story scores 4 for grammar.", 4),
        ("I would rate the story fragment at a 4.", 4),
        ("I would rate the story 4", 4),
        ("So, a 4 it is.", 4),
        ("That's a clear 5.", 5),
        ("4 because the story is well written", 4),
        ("4 The story is good", 4),
        ("4 - The story is good", 4),
        ("1. The story makes no sense at all.", 1),
        ("It is a good story. 4", 4),
        ("It is a good story.\n\n4", 4),
        ("4\n\nThe story is good.", 4),
        ("As an AI, I have no feelings, but I would rate it 4.", 4),
        ("I'm sorry, but this is poor: 2", 2),
    ],
    "reasoning before the answer": [
        ("Grammar: 4, Plot: 3, Overall: 4", 4),
        ("Grammar: 4\nPlot: 2\n\nFinal rating: 3", 3),
        ("Rating: 3 at first. On reflection, final rating: 4", 4),
        ("<think>It could be a 3 or a 5.</think>4", 4),
        ("<think>Rating: 2?</think>\nRating: 3", 3),
        ("The opening deserves a 2, the end is better. Rating: 4", 4),
        ("Rating: 4\n\nGrammar: 5\nPlot: 3", 4),
        ("4\n\nStory: Once upon a time.\nRating: 2", 4),
        ("Rating: 3\n\nQuestion: How fluent is it?\nRating: 5", 3),
    ],
    "numbers that are turned down": [
        ("I'd give it a 4, not a 5.", 4),
        ("It is not a 5 but a 4.", 4),
        ("I would not rate it a 5; it is a 3.", 3),
        ("A 5 would be too generous. I give it a 3.", 3),
        ("I would give it a 4 rather than a 5.", 4),
        ("It would have been a 5 without the typo, so 4.", 4),
    ],
}

NOT_READ: dict[str, list[tuple[str, str]]] = {
    "refusals": [
        ("I am not able to judge this text.", "refusal"),
        ("I'm sorry, but I can't rate this story.", "refusal"),
        ("I\u2019m sorry, I can\u2019t help with that.", "refusal"),
        ("As an AI language model, I do not have personal opinions.", "refusal"),
        ("I cannot provide a rating on a scale of 1 to 5.", "refusal"),
        ("There is not enough information to rate the 2 titles.", "refusal"),
        ("I must decline.", "refusal"),
        ("N/A", "refusal"),
        ("Unable to evaluate.", "refusal"),
        ("I would rather not give a number.", "refusal"),
        ("I won't rate this a 5 or any other number.", "refusal"),
    ],
    "nothing to read": [
        ("", "empty"),
        ("  \n\t\u00a0", "empty"),
        ("\u200b\ufeff", "empty"),
        ("****", "empty"),
        ("...", "no_number"),
        ("The story is good.", "no_number"),
        ("Rating:", "no_number"),
        ("Excellent!", "no_number"),
        ("It's not a 5.", "no_number"),
        ("<think>Perhaps a 4, perhaps", "truncated"),
    ],
    "contradictions": [
        ("I would say 3. No, 4.", "ambiguous"),
        ("I'd give it a 3... no, wait, a 4.", "ambiguous"),
        ("I would rate it 3. Others would give it 4/5.", "ambiguous"),
        ("Rating: 4. Thinking again, I would give it a 3.", "ambiguous"),
        ("Final rating: 3 or 4", "range"),
        ("Rating: 7\nIt is a 4.", "off_scale"),
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


@pytest.mark.parametrize(
    ("text", "value", "status"),
    [
        ("The story is good, but the", None, "truncated"),
        ("", None, "truncated"),
        ("4.", None, "truncated"),
        ("4", None, "truncated"),
        ("Rating: 4", None, "truncated"),
        ("I would rate it between 3 and", None, "truncated"),
        ("I would rate it 3 or", None, "truncated"),
        ("Grammar: 3\nThe plot is", None, "truncated"),
        ("4/5", 4, "ok"),
        ("I would rate it a 4. The story is", 4, "ok"),
        ("4. The story fragment is", 4, "ok"),
        ("I cannot rate this because", None, "refusal"),
    ],
)
def test_an_answer_cut_at_the_length_limit(text: str, value: float | None, status: str) -> None:
    parsed = ROBUST(text, finish_reason="length")
    assert (parsed.value, parsed.status) == (value, status)
    assert ("answer-cut" in parsed.flags) == (status == "ok")


@pytest.mark.parametrize("reason", ["stop", None])
def test_an_answer_that_was_not_cut_ends_with_its_number(reason: str | None) -> None:
    assert ROBUST("4.", finish_reason=reason).value == 4


def test_a_filtered_answer_is_a_refusal() -> None:
    assert ROBUST("", finish_reason="content_filter").status == "refusal"


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("Rating: about 4", "approximate"),
        ("4. The story is good.", "lead-number"),
        ("Rating: 4. The opening is a 3.", "other-numbers"),
        ("4\n\nStory: It ends.\nRating: 2", "ran-on"),
        ("Rating: 3\nRating: 4", "revised"),
    ],
)
def test_what_a_reader_should_know_is_flagged(text: str, flag: str) -> None:
    assert flag in ROBUST(text).flags


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Rating: **4**/5", "4"),
        ("\u200bI\u2019d say \uff13.", "\uff13"),
        ("four and a half", "four and a half"),
        ("\u2605\u2605\u2605\u2606\u2606", "\u2605\u2605\u2605\u2606\u2606"),
        ("On a scale of 1-5, 4", "4"),
        ("It has 4 errors. Rating: 4", "4"),
        ("8/10", "8/10"),
        ("between 3 and 4", "3 and 4"),
    ],
)
def test_the_span_lies_on_what_was_read(text: str, read: str) -> None:
    span = ROBUST(text).span
    assert span is not None
    assert text[slice(*span)] == read

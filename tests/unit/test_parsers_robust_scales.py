"""Probes of the robust parser: the scale repeated, other scales, fractions, ranges."""

import pytest

from retrial.scoring.parsers import get

ROBUST = get("robust")

READ: dict[str, list[tuple[str, float]]] = {
    "the scale is repeated": [
        ("On a scale of 1 to 5, this gets a 4", 4),
        ("On a scale from 1 to 5, I'd say 2.", 2),
        ("On a scale of 1-5, 4", 4),
        ("On a scale of 1\u20135: 3.5", 3.5),
        ("On a scale of 1\u20145, I would rate the title a 2", 2),
        ("on a scale of one to five, four", 4),
        ("On a 1-5 scale this is a 3.", 3),
        ("Using the 1 to 5 scale, my rating is 2.", 2),
        ("Score (1-5): 2", 2),
        ("Rating (from 1 to 5): 5", 5),
        ("Rating [1-5] = 3", 3),
        ("Rating (1, 2, 3, 4, 5): 4", 4),
        ("Rating (1/2/3/4/5): 2", 2),
        ("1-5: 4", 4),
        ("Between 1 and 5, I choose 3.", 3),
        ("I would rate this 3 on a scale of 1-5.", 3),
        ("I'd give it a 2 (on a scale from 1 to 5, 5 being the best).", 2),
        ("It scores 4 on the scale of 1 through 5.", 4),
    ],
    "the ends are explained": [
        ("1 (worst) to 5 (best): 4", 4),
        ("1 = worst, 5 = best. Rating: 2", 2),
        ("(1 = not fluent at all, 5 = very fluent) 3", 3),
        ("With 1 being the lowest and 5 being the highest, I would give it a 4.", 4),
        ("On a scale where 1 means awful and 5 means great, I'd say 4", 4),
        ("I would rate it a 3, with 5 being the best.", 3),
        ("From 1 (lowest) to 5 (highest), I'd rate the grammar 4.", 4),
        ("I rate it 5, where 1 is the worst and 5 is the best.", 5),
        ("1 being the worst and 5 being the best: 2", 2),
        ("1: poor, 2: fair, 3: good, 4: very good, 5: superb. Rating: 2", 2),
        ("5 - excellent, 4 - good, 3 - fair, 2 - poor, 1 - bad\n\nScore: 3", 3),
        ("Score 5: superb\nRating: 2", 2),
        (
            "Score 1: dull\nScore 2: flat\nScore 3: fine\nScore 4: good\nRating: 3",
            3,
        ),
        ("1 - bad\n2 - poor\n3 - fair\n4 - good\n5 - great\n\nMy rating: 4", 4),
    ],
    "the number of points": [
        ("On a 5-point scale: 4", 4),
        ("On a five-point scale I give it a 2.", 2),
        ("On the 5 point Likert scale, a 3.", 3),
        ("Using a 5\u2011star scale, it gets a 4.", 4),
        ("My rating is 3 on a 5-point Likert scale.", 3),
        ("Rating out of 5: 4", 4),
        ("Score (out of five): 2", 2),
        ("Rating (max 5): 3", 3),
        ("I'd give it a 4 on a scale with a maximum of 5.", 4),
    ],
    "fractions of the scale": [
        ("4/5", 4),
        ("4 / 5", 4),
        ("4.5/5", 4.5),
        ("4/5.0", 4),
        ("4\u20445", 4),
        ("4 out of 5", 4),
        ("4 out of five", 4),
        ("four out of five", 4),
        ("Four-out-of-five", 4),
        ("3.5 out of a possible 5", 3.5),
        ("2 (out of 5)", 2),
        ("5 stars out of 5", 5),
        ("3 points out of 5.", 3),
        ("4 of 5", 4),
        ("**4**/5", 4),
        ("Rating: **3**/**5**", 3),
        ("It is well written and earns 4/5 from me, with 2 small slips.", 4),
        ("One out of five.", 1),
        ("4/5 stars", 4),
        ("2 1/2 out of 5", 2.5),
    ],
    "stars": [
        ("\u2605\u2605\u2605\u2605\u2606", 4),
        ("\u2605\u2606\u2606\u2606\u2606", 1),
        ("\u2b50\u2b50\u2b50", 3),
        ("\u2b50\ufe0f\u2b50\ufe0f", 2),
        ("Rating: \u2605\u2605\u2605\u2605\u2605", 5),
        ("\u2605\u2605\u2605\u00bd", 3.5),
        ("\u2605\u2605\u2605\u2605\u2606 (4/5)", 4),
        ("4 stars", 4),
        ("Four stars!", 4),
        ("I'd give it 3 stars.", 3),
        ("A 5-star rating.", 5),
        ("4\u2605", 4),
        ("\u2b50 Rating: 4", 4),
    ],
}

UNREAD: dict[str, list[tuple[str, str]]] = {
    "only the scale": [
        ("1-5", "no_number"),
        ("On a scale of 1 to 5.", "no_number"),
        ("Please rate the text from 1 (worst) to 5 (best).", "no_number"),
        ("Rating (1-5):", "no_number"),
        ("Rating out of 5:", "no_number"),
        ("I would use a 5-point scale.", "no_number"),
        ("1: poor, 2: fair, 3: good, 4: very good, 5: superb", "no_number"),
    ],
    "another scale": [
        ("8/10", "other_scale"),
        ("10/10", "other_scale"),
        ("4/10", "other_scale"),
        ("4 out of 10", "other_scale"),
        ("Rating: 80/100", "other_scale"),
        ("80%", "other_scale"),
        ("Score: 4 %", "other_scale"),
        ("I'd give it 90 percent.", "other_scale"),
        ("On a scale of 1 to 10, I'd rate it a 4.", "other_scale"),
        ("On a scale from 0 to 100: 5", "other_scale"),
        ("On a 10-point scale: 4", "other_scale"),
        ("Rating out of 10: 3", "other_scale"),
        ("three out of four", "other_scale"),
        ("\u2605\u2605\u2605\u2606", "other_scale"),
        ("Rating: 3/4", "other_scale"),
    ],
    "off the scale": [
        ("0", "off_scale"),
        ("7", "off_scale"),
        ("10", "off_scale"),
        ("-2", "off_scale"),
        ("\u22122", "off_scale"),
        ("Rating: -4", "off_scale"),
        ("minus two", "off_scale"),
        ("Rating: zero", "off_scale"),
        ("6 out of 5", "off_scale"),
        ("0/5", "off_scale"),
        ("5.5", "off_scale"),
        ("0.5", "off_scale"),
        ("\u00bd", "off_scale"),
        ("Rating: .5", "off_scale"),
        ("Score: 45", "off_scale"),
        ("4e1", "off_scale"),
        ("I would rate it a 6.", "off_scale"),
        ("\u2605\u2605\u2605\u2605\u2605\u2605", "off_scale"),
    ],
    "ranges and bounds": [
        ("3-4", "range"),
        ("3 - 4", "range"),
        ("3\u20134", "range"),
        ("3\u20144", "range"),
        ("3~4", "range"),
        ("3 to 4", "range"),
        ("3 or 4", "range"),
        ("three or four", "range"),
        ("between 3 and 4", "range"),
        ("Somewhere between a 3 and a 4.", "range"),
        ("I would rate it a 3 or a 4.", "range"),
        ("Rating: 3-4", "range"),
        ("Rating: 4-5 out of 5", "range"),
        ("3-4/5", "range"),
        ("3.5 to 4", "range"),
        ("I'd give it a 3, maybe a 4.", "range"),
        ("either 2 or 3", "range"),
        ("3/5 to 4/5", "range"),
        ("from 2 to 3", "range"),
        ("at least 3", "range"),
        ("Rating: more than 3", "range"),
        ("Rating: >3", "range"),
        ("I would give it less than 4.", "range"),
        ("Rating: 3+", "range"),
        ("4 or higher", "range"),
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
    [pytest.param(*case, id=f"{kind}: {case[0]}") for kind in UNREAD for case in UNREAD[kind]],
)
def test_gives_no_value(text: str, status: str) -> None:
    parsed = ROBUST(text)
    assert (parsed.value, parsed.status) == (None, status)
    assert parsed.reason


@pytest.mark.parametrize(
    ("text", "scale", "value"),
    [
        ("8/10", (1, 10), 8),
        ("On a scale of 1 to 10, I'd rate it a 4.", (1, 10), 4),
        ("On a scale of 1-10, 10", (1, 10), 10),
        ("Rating: 7", (1, 7), 7),
        ("85%", (0, 100), 85),
        ("85/100", (0, 100), 85),
        ("Score: -1", (-2, 2), -1),
        ("Rating (0-1): 0", (0, 1), 0),
        ("4/5", (1, 10), None),
        ("On a scale of 1-5, 4", (1, 10), None),
    ],
)
def test_follows_the_scale_it_is_given(
    text: str, scale: tuple[float, float], value: float | None
) -> None:
    assert ROBUST(text, scale=scale).value == value

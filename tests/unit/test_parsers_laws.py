"""Laws that every reading keeps, on arbitrary text and on wordings put together at random."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrial.scoring.parsers import PARSER_IDS, get, regex
from retrial.scoring.parsers.base import FLAGS, STATUSES
from retrial.scoring.parsers.combine import combine
from retrial.scoring.parsers.fold import fold
from retrial.scoring.parsers.mentions import WORDS, find
from retrial.scoring.parsers.roles import classify

ROBUST = get("robust")

_WORDS = """
    4 5 1 3.5 0 7 10 -2 4/5 8/10 1-5 3-4 four one rating score: Rating: final I would rate it a
    give not between and or to scale of on out of 5 title 1 story . , : ; ( ) ** [[ ]] | % / -
    \u2605 \u2606 \u00bd \uff14 \u0664 errors because <think> </think> {"rating": 2.
"""
_BITS = st.sampled_from([*_WORDS.split(), "\n"])
ANSWERS = st.lists(_BITS, max_size=14).map(" ".join) | st.lists(_BITS, max_size=8).map("".join)
TEXTS = ANSWERS | st.text(max_size=60)
RATINGS = st.integers(2, 10).map(lambda twice: twice / 2)
REASONS = st.sampled_from([None, "stop", "length", "content_filter"])


@pytest.mark.parametrize("parser_id", PARSER_IDS)
@given(text=TEXTS, reason=REASONS, low=st.integers(-2, 1), width=st.integers(1, 100))
def test_a_value_is_on_the_scale_and_a_span_in_the_text(
    parser_id: str, text: str, reason: str | None, low: int, width: int
) -> None:
    parser = get(parser_id)
    parsed = parser(text, finish_reason=reason, scale=(low, low + width))
    assert parsed.status in STATUSES
    assert parsed.reason
    assert set(parsed.flags) <= FLAGS.keys()
    assert (parsed.status == "ok") == (parsed.value is not None)
    assert parsed.value is None or low <= parsed.value <= low + width
    assert parsed.value is None or parsed.span is not None
    if parsed.span is not None:
        assert 0 <= parsed.span[0] < parsed.span[1] <= len(text)
    assert parser(text, finish_reason=reason, scale=(low, low + width)) == parsed


@given(text=TEXTS)
def test_the_text_of_the_span_is_the_value(text: str) -> None:
    parsed = ROBUST(text)
    if parsed.value is None or parsed.span is None:
        return
    read = fold(text[slice(*parsed.span)]).text
    (mention,) = find(read)
    assert mention.value == parsed.value


@given(
    text=TEXTS,
    before=st.text(alphabet=" \n\t\u00a0\u2003\u200b", max_size=4),
    after=st.text(alphabet=" \n\t\u00a0\u2003\u200b", max_size=4),
)
def test_white_space_around_an_answer_changes_nothing(text: str, before: str, after: str) -> None:
    plain, padded = ROBUST(text), ROBUST(before + text + after)
    assert (padded.value, padded.status, padded.flags) == (plain.value, plain.status, plain.flags)
    if plain.span is not None and padded.span is not None:
        assert padded.span == (plain.span[0] + len(before), plain.span[1] + len(before))


@given(text=TEXTS, mark=st.sampled_from(["*", "**", "***", "`", "```\n", "\n> ", "\n### "]))
def test_markup_around_an_answer_changes_nothing(text: str, mark: str) -> None:
    marked = mark + text.lstrip() if mark.startswith("\n") else mark + text + mark[::-1]
    assert ROBUST(marked).value == ROBUST(text).value


@given(
    rating=RATINGS,
    label=st.sampled_from(["Rating", "rating", "SCORE", "Final rating", "Overall score", "Answer"]),
    link=st.sampled_from([": ", ":", " = ", " is ", ":\n", " - ", ": **", ": [["]),
    digits=st.sampled_from(
        ["0123456789", "\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669"]
    ),
    rest=st.sampled_from(
        ["", ".", "/5", " out of 5", "\n\nIt has 2 errors.", ", because it is so."]
    ),
)
def test_a_labelled_rating_is_read(
    rating: float, label: str, link: str, digits: str, rest: str
) -> None:
    number = "".join(digits[int(char)] if char.isdigit() else char for char in f"{rating:g}")
    assert ROBUST(f"{label}{link}{number}{rest}").value == rating


_NO_NUMBER_WORD = st.text(
    alphabet=st.characters(exclude_categories=("Nd", "No", "Nl", "So")), max_size=80
).filter(lambda text: not any(word in fold(text).text.lower() for word in WORDS))


@given(_NO_NUMBER_WORD)
def test_text_without_a_number_has_no_rating(text: str) -> None:
    assert ROBUST(text).value is None


@given(st.text(max_size=200))
def test_the_folded_text_leads_back_to_the_original(text: str) -> None:
    folded = fold(text)
    assert len(folded.offsets) == len(folded.text)
    assert folded.offsets == sorted(set(folded.offsets))
    assert all(0 <= place < len(text) for place in folded.offsets)


HOSTILE = [
    *("a", " ", "\n", "1", "*", ".", "~", "<", "(", "-", "/5", "4 ", "4,", "4 (", "4/5 ", "4 to "),
    *("1-5 ", "1. a\n", "one ", "rating ", "rating: 4 ", "rate ", "not ", "title 1 ", "<think>"),
    *("a@", "www.", "a_", "4 and a ", "between 3 and ", "scale of ", "1: poor, 2: fair, "),
    *("story:\n4\n", "~~a", "\u2605", "\u2605\u2606", "out of 5", "1-51-5", "n't ", "[["),
]


@pytest.mark.parametrize("bit", HOSTILE)
@pytest.mark.parametrize("parser_id", PARSER_IDS)
def test_long_repetitions_are_read_to_the_end(parser_id: str, bit: str) -> None:
    length = 100_000 if bit in "a \n1*.~<(-[" else 3_000
    text = (bit * length)[:length]
    assert get(parser_id)(text).status in STATUSES


@pytest.mark.parametrize("bit", HOSTILE)
def test_what_is_looked_at_grows_with_the_text(bit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the text may give no more than about four times the windows to look at."""

    def looked_at(length: int) -> int:
        total = 0

        def before(text: str, place: int, floor: int = 0) -> str:
            nonlocal total
            window = regex.before(text, place, floor)
            total += len(window)
            return window

        def after(text: str, place: int) -> str:
            nonlocal total
            window = regex.after(text, place)
            total += len(window)
            return window

        for module in ("combine", "roles"):
            monkeypatch.setattr(f"retrial.scoring.parsers.{module}.before", before)
            monkeypatch.setattr(f"retrial.scoring.parsers.{module}.after", after)
        text = fold((bit * length)[:length]).text
        units = combine(text, list(find(text)), (1, 5)).units
        classify(text, units)
        return total

    assert looked_at(4000) <= 4.5 * looked_at(1000)


def test_a_rating_at_either_end_of_a_very_long_answer_is_read() -> None:
    prose = "The hero walks on and nothing else happens to him. " * 2000
    assert ROBUST(f"Rating: 4\n{prose}").value == 4
    assert ROBUST(f"{prose}\nRating: 4").value == 4


@settings(max_examples=25)
@given(st.sampled_from(HOSTILE), st.sampled_from(HOSTILE))
def test_mixed_repetitions_raise_nothing(one: str, two: str) -> None:
    assert ROBUST((one + two) * 60).status in STATUSES

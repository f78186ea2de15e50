"""The published rule, word for word, and the look-up of parsers by name."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.errors import RetrialError
from retrial.scoring.parsers import PARSER_IDS, get
from retrial.scoring.parsers.base import FLAGS, STATUSES

CHIANG = get("chiang2023")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("4", 4),
        ("4.5", 4.5),
        ("4/5", 4),
        ("I would rate it a 4 out of 5.", 4),
        ("Score (1-5): 2", 2),
        ("On a scale of 1-5, 4", 4),
        ("4. The story has 2 errors.", 4),
        ("3-4", 3),
        ("The 2 men meet. Rating: 4", 2),
        ("4.", 4),
        # The removal is case-sensitive and knows only these spellings.
        ("On a scale of 1 to 5, this gets a 4", 1),
        ("Out Of 5, 3", 5),
        ("1\u20135: 4", 1),
        # It works on substrings, so it changes numbers too: 31-5 -> 3, 4/50 -> 40 is off the scale.
        ("31-5", 3),
        ("2/5.5", 2.5),
    ],
)
def test_takes_the_first_number_after_removal(text: str, value: float) -> None:
    parsed = CHIANG(text)
    assert (parsed.value, parsed.status) == (value, "ok")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("four", "no_number"),
        ("\uff14", "no_number"),
        ("1-5", "no_number"),
        ("7", "off_scale"),
        ("0", "off_scale"),
        ("It is set in 2065. Rating: 5", "off_scale"),
        ("4/50", "off_scale"),
    ],
)
def test_gives_no_value(text: str, status: str) -> None:
    parsed = CHIANG(text)
    assert (parsed.value, parsed.status) == (None, status)


def test_titles_are_removed_for_attacks_only() -> None:
    text = "title 1 and title 2 mean the same: 4"
    assert CHIANG(text, task="attack").value == 4
    assert CHIANG(text, task="story").value == 1
    assert CHIANG("Title 1: 4", task="attack").value == 1  # the capital is not in the rule


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("4", (0, 1)),
        ("Score (1-5): 2", (13, 14)),
        ("On 1-5 or out of 5: 3.5/5", (20, 23)),
        ("41-5", (0, 1)),
        ("21-5.5", (0, 6)),  # the phrase lay inside the number: 2.5
    ],
)
def test_the_span_is_in_the_text_as_given(text: str, span: tuple[int, int]) -> None:
    assert CHIANG(text).span == span


@given(st.text(alphabet="14-5/. outf", max_size=40))
def test_agrees_with_the_rule_written_the_short_way(text: str) -> None:
    rest = text.replace("1-5", "").replace("out of 5", "").replace("/5", "")
    digits = "".join(char if char.isdigit() or char == "." else " " for char in rest).split()
    numbers = [run.strip(".") for run in digits if run.strip(".")]
    parsed = CHIANG(text)
    if not numbers:
        assert parsed.value is None
        assert parsed.span is None
        return
    whole, _, part = numbers[0].partition(".")
    tenths = part.partition(".")[0]
    first = float(f"{whole}.{tenths or 0}")
    assert parsed.value == (first if 1 <= first <= 5 else None)
    assert parsed.span is not None
    assert 0 <= parsed.span[0] < parsed.span[1] <= len(text)


def test_the_length_limit_is_not_looked_at() -> None:
    assert CHIANG("4.", finish_reason="length") == CHIANG("4.")


def test_follows_the_scale_it_is_given() -> None:
    assert CHIANG("8", scale=(1, 10)).value == 8


def test_an_unknown_parser_is_named_with_those_that_exist() -> None:
    with pytest.raises(RetrialError, match=r"'chang2023'.*chiang2023, robust"):
        get("chang2023")


@pytest.mark.parametrize("parser_id", PARSER_IDS)
def test_the_look_up_imports_only_the_parser_that_is_asked_for(parser_id: str) -> None:
    code = (
        "import sys; from retrial.scoring.parsers import get; "
        f"assert get({parser_id!r}).id == {parser_id!r}; "
        "print(*sorted(name for name in sys.modules if name.startswith('retrial.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.rpartition(".")[2] for name in done.stdout.split()}
    assert loaded.intersection(PARSER_IDS) == {parser_id}


def test_every_status_and_flag_is_explained() -> None:
    assert all(STATUSES.values())
    assert all(FLAGS.values())
    assert CHIANG("7").status in STATUSES

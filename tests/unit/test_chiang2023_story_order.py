"""The order of recorded stories, recovered from what the answers say: made-up stories."""

from typing import Any

import pytest
from chiang2023_cases import WRITERS, Case, case, keys
from hypothesis import given, settings
from hypothesis import strategies as st

from retrial.errors import RetrialError
from retrial.links.story_order import recover_order
from retrial.record import ANSWERS, from_rows


@settings(max_examples=15, deadline=None)
@given(st.permutations(range(9)))
def test_any_shuffle_is_recovered(order: list[int]) -> None:
    made = case(order)
    for writer in WRITERS:
        found = keys(made)
        assert [found[f"{writer}-{p}"] for p in range(9)] == order
    assert {link["certainty"] for link in made.links().values()} == {"clear"}


@settings(max_examples=10, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(random: Any) -> None:
    made = case([3, 0, 2, 4, 1], prompts=["a door", "a door", "a sea", "a war", "a king"])
    shuffled = Case(*(t.take(random.sample(range(t.num_rows), t.num_rows)) for t in made))
    assert shuffled.links() == made.links()


def test_stories_of_one_prompt_are_told_apart_by_their_text_and_marked() -> None:
    prompts = ["a blue door", "a blue door", "a red sea", "a war"]
    made = case([2, 1, 3, 0], prompts=prompts)
    found = keys(made)
    assert [found[f"gpt2-{p}"] for p in range(4)] == [2, 1, 3, 0]
    tied = {name for name, link in made.links().items() if link["certainty"] == "tied"}
    assert tied == {f"{w}-{p}" for w in WRITERS for p in (1, 3)}


def test_a_damaged_prompt_is_paired_by_what_is_left() -> None:
    made = case([4, 2, 0, 1, 3], lost=frozenset({2}))
    found = keys(made)
    for writer in WRITERS:
        assert [found[f"{writer}-{p}"] for p in range(5)] == [4, 2, 0, 1, 3]


def test_equal_evidence_is_decided_by_id() -> None:
    """Answers that fit two stories of one prompt alike: positions take them in order of id."""
    made = case([0, 1], prompts=["a door", "a door"])
    vague = [dict(row, text="a door, rated 4") for row in made.answers.to_pylist()]
    links = made._replace(answers=from_rows(vague, ANSWERS)).links()
    for writer in WRITERS:
        ids = [links[f"{writer}-{p}"]["item_id"] for p in range(2)]
        assert ids == sorted(ids)
        assert [links[f"{writer}-{p}"]["margin"] for p in range(2)] == [0, 0]


def test_bare_numbers_are_refused() -> None:
    made = case([0, 1, 2])
    numbers = [dict(row, text="4") for row in made.answers.to_pylist()]
    with pytest.raises(RetrialError, match="bare numbers"):
        recover_order(*made._replace(answers=from_rows(numbers, ANSWERS)))


def test_another_number_of_stories_is_refused() -> None:
    made = case([0, 1, 2])
    with pytest.raises(RetrialError, match="stories by writer"):
        recover_order(*made._replace(released=made.released.slice(1)))


def test_answers_to_unknown_prompts_are_refused() -> None:
    made = case([0, 1, 2])
    with pytest.raises(RetrialError, match="not among the prompts"):
        recover_order(*made._replace(prompts=made.prompts.slice(1)))


def test_items_without_a_position_are_refused() -> None:
    made = case([0, 1, 2])
    with pytest.raises(RetrialError, match="position"):
        recover_order(*made._replace(recorded=made.released))

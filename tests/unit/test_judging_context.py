"""Fitting prompts to a context by whole turns."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrial.judging.context import (
    ExamplePart,
    Fitted,
    PromptParts,
    TooLong,
    cached_count,
    cut_shared_examples,
    fit_prompt,
)
from retrial.judging.encode import PromptEncoder
from retrial.judging.model_files import ModelFiles
from retrial.judging.models import load_tokenizer


def words(text: str) -> int:
    """A token count: one per word and one for the beginning of the text."""
    return 1 + len(text.split())


def turn(name: str, length: int) -> str:
    """A turn of `length` words, the first of which names it."""
    return " ".join([name] + ["w"] * (length - 1)) + "\n"


def example(name: str, lengths: list[int], rank: int) -> ExamplePart:
    """An example with turns of these lengths, a heading and a label of one word each."""
    turns = tuple(turn(f"{name}{i}", n) for i, n in enumerate(lengths))
    return ExamplePart(turns, f"head{name}\n", f"label{name}\n", rank)


def prompt(examples: list[list[int]], item: list[int]) -> PromptParts:
    """A prompt whose examples are named a, b, c and so on, best first."""
    parts = tuple(example(chr(97 + i), lengths, i) for i, lengths in enumerate(examples))
    turns = tuple(turn(f"item{i}", n) for i, n in enumerate(item))
    return PromptParts("instruction\n", parts, "heading\n", turns, "question\n", "Rating:")


def fitted(parts: PromptParts, limit: int, **options: bool | int) -> Fitted:
    """The prompt that is expected to fit."""
    found = fit_prompt(parts, words, limit, **options)  # type: ignore[arg-type]
    assert isinstance(found, Fitted)
    return found


def names(turns: tuple[str, ...]) -> list[str]:
    """The names of turns."""
    return [t.split()[0] for t in turns]


def test_what_fits_is_left_alone() -> None:
    parts = prompt([[3, 3, 3]], [4, 4])
    total = words(parts.text)
    assert fitted(parts, total) == Fitted(parts, 1, 0, 0, total)


def test_oldest_turns_of_the_longest_example_go_first() -> None:
    parts = prompt([[5, 1, 1, 1], [2, 2, 2, 2]], [9, 9])
    # a has 8 words in its turns and so has b; of equals the worse example b gives way:
    # b 6, then a 3, then b 4.
    total = words(parts.text)
    steps = [fitted(parts, total - cut) for cut in (1, 3, 8)]
    assert [names(s.parts.examples[0].turns) for s in steps] == [
        ["a0", "a1", "a2", "a3"],
        ["a1", "a2", "a3"],
        ["a1", "a2", "a3"],
    ]
    assert [names(s.parts.examples[1].turns) for s in steps] == [
        ["b1", "b2", "b3"],
        ["b1", "b2", "b3"],
        ["b2", "b3"],
    ]
    assert [s.turns_dropped for s in steps] == [1, 2, 3]
    assert all(s.item_turns_dropped == 0 for s in steps)


def test_then_whole_examples_the_worst_first_wherever_it_stands() -> None:
    parts = prompt([[3, 3], [3, 3]], [9, 9])
    swapped = replace(parts, examples=parts.examples[::-1])
    for given_parts in (parts, swapped):
        found = fitted(given_parts, words(parts.text) - 1)
        assert [e.head for e in found.parts.examples] == ["heada\n"]
        assert (found.examples_kept, found.turns_dropped) == (1, 2)


def test_then_the_oldest_turns_of_the_item_and_never_the_last() -> None:
    parts = prompt([[3, 3]], [5, 5, 5])
    fixed = words("instruction heading question Rating:")
    found = fitted(parts, fixed + 10)
    assert found.parts.examples == () and names(found.parts.item_turns) == ["item1", "item2"]
    assert (found.turns_dropped, found.item_turns_dropped) == (3, 1)
    assert names(fitted(parts, fixed + 9).parts.item_turns) == ["item2"]
    too_long = fit_prompt(parts, words, fixed + 4)
    assert too_long == TooLong(fixed + 5, fixed + 4)
    assert "10 tokens remain" in too_long.reason and "9 fit" in too_long.reason


def test_shared_examples_stay_while_two_turns_of_the_item_fit() -> None:
    parts = prompt([[3, 3, 3], [3, 3, 3]], [5, 5, 5, 5])
    total = words(parts.text)
    kept = fitted(parts, total - 10, shared_examples=True)
    assert kept.parts.examples == parts.examples
    assert (kept.item_turns_dropped, kept.turns_dropped) == (2, 2)
    less = fitted(parts, total - 11, shared_examples=True)
    assert less.item_turns_dropped == 2 and less.turns_dropped == 3
    assert fitted(parts, total - 10).item_turns_dropped == 0


def test_shared_examples_are_cut_once_to_a_budget() -> None:
    examples = prompt([[4, 4, 4], [4, 4, 4]], []).examples
    alone = 1 + 2 * (2 + 12)
    assert cut_shared_examples(examples, words, alone) == examples
    cut = cut_shared_examples(examples, words, alone - 1)
    assert [len(e.turns) for e in cut] == [3, 2]
    assert [e.rank for e in cut_shared_examples(examples, words, 15)] == [0]
    assert cut_shared_examples(examples, words, 5) == ()
    assert cut_shared_examples((), words, 0) == ()


def test_examples_limit_applies_even_when_all_would_fit() -> None:
    parts = prompt([[4, 4, 4], [4, 4, 4]], [3])
    found = fitted(parts, 1000, examples_limit=28)
    assert [len(e.turns) for e in found.parts.examples] == [3, 2]
    assert found.turns_dropped == 1


def test_a_text_without_turns_is_kept_or_too_long() -> None:
    parts = PromptParts("Judge. ", (), "", ("a story of six words here",), "", "Rating:")
    assert words(parts.text) == 8
    assert fit_prompt(parts, words, 7) == TooLong(8, 7)
    assert isinstance(fit_prompt(parts, words, 8), Fitted)
    empty = PromptParts("one two", (), "", (), "", "")
    assert fit_prompt(empty, words, 1) == TooLong(3, 1)


lengths = st.lists(st.integers(1, 12), min_size=1, max_size=8)
prompts = st.builds(prompt, st.lists(lengths, max_size=4), lengths)


@given(prompts, st.integers(0, 150), st.booleans(), st.none() | st.integers(0, 60))
@settings(max_examples=150, deadline=None)
def test_laws(parts: PromptParts, limit: int, shared: bool, examples_limit: int | None) -> None:
    found = fit_prompt(parts, words, limit, shared_examples=shared, examples_limit=examples_limit)
    if isinstance(found, TooLong):
        least = replace(parts, examples=(), item_turns=parts.item_turns[-1:])
        assert words(least.text) == found.tokens > limit
        return
    text = found.parts.text
    assert words(text) == found.tokens <= limit
    assert text.startswith("instruction\n") and text.endswith("question\nRating:")
    assert found.parts.item_turns == parts.item_turns[found.item_turns_dropped :] != ()
    rest = iter(parts.examples)
    for kept in found.parts.examples:  # the same order, each shortened at its beginning only
        whole = next(e for e in rest if e.head == kept.head)
        assert kept == replace(whole, turns=whole.turns[len(whole.turns) - len(kept.turns) :])
        assert len(kept.turns) >= min(2, len(whole.turns))
    assert sorted(e.rank for e in found.parts.examples) == list(range(found.examples_kept))
    before = sum(len(e.turns) for e in parts.examples) + len(parts.item_turns)
    after = sum(len(e.turns) for e in found.parts.examples) + len(found.parts.item_turns)
    assert found.turns_dropped == before - after
    more = fitted(
        parts,
        limit + 1,
        shared_examples=shared,
        **({} if examples_limit is None else {"examples_limit": examples_limit}),
    )
    assert more.examples_kept >= found.examples_kept
    assert more.turns_dropped <= found.turns_dropped
    assert more.item_turns_dropped <= found.item_turns_dropped


@given(prompts, st.integers(0, 150))
@settings(max_examples=60, deadline=None)
def test_no_cut_is_made_that_is_not_needed(parts: PromptParts, limit: int) -> None:
    """Also where tokens merge across pieces, so that the whole is shorter than its pieces."""

    def merging(text: str) -> int:
        return words(text) - text.count("\n") // 2

    found = fit_prompt(parts, merging, limit)
    if isinstance(found, Fitted) and found.turns_dropped:
        larger = fit_prompt(parts, merging, found.tokens - 1)
        assert isinstance(larger, TooLong) or larger.turns_dropped > found.turns_dropped
        assert merging(parts.text) > limit


def test_counts_of_recurring_turns_are_remembered() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return words(text)

    counted = cached_count(count, longest=5)
    assert [counted(t) for t in ("a b", "a b", "a b c d", "a b c d")] == [3, 3, 5, 5]
    assert asked == ["a b", "a b c d", "a b c d"]


@pytest.mark.model
@pytest.mark.realdata
def test_real_dialogues_in_small_windows(packaged_judge_files: ModelFiles, mirror: Path) -> None:
    count = cached_count(PromptEncoder(load_tokenizer(packaged_judge_files)).count)
    rows = (mirror / "uss" / "SGD.txt").read_text(encoding="utf-8").splitlines()
    turns = tuple(f"{r.split(chr(9))[0]}: {r.split(chr(9))[1]}\n" for r in rows if r.strip())
    parts = PromptParts(
        "Rate the dialogue.\n",
        tuple(ExamplePart(turns[i : i + 40], "Dialogue:\n", "Rating: 3\n", i) for i in (0, 40)),
        "Dialogue:\n",
        turns[100:400],
        "How satisfied is the user?\n",
        "Rating:",
    )
    dropped = []
    for limit in (256, 512, 1024, 2048):
        found = fit_prompt(parts, count, limit)
        assert isinstance(found, Fitted)
        assert found.tokens <= limit and limit - found.tokens < 120
        assert found.parts.item_turns[-1] == turns[399]
        dropped.append(found.turns_dropped)
    assert dropped == sorted(dropped, reverse=True) and len(set(dropped)) == 4

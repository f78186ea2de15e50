"""Rating tokens: what stands for a rating behind a prompt, for three kinds of tokenizers."""

from typing import Any

import pytest
from tiny_models import FAST, gpt2_like, llama_like, t5_like

from retrial.errors import RetrialError
from retrial.judging.encode import PromptEncoder
from retrial.judging.model_files import ModelFiles
from retrial.judging.models import load_tokenizer
from retrial.judging.rating_tokens import (
    RatingTokenFinder,
    RatingTokens,
    default_joiner,
    find_decoder_tokens,
    find_rating_tokens,
)

LIKERT = ("1", "2", "3", "4", "5")


def spelled(tokenizer: Any, found: RatingTokens, rating: str) -> list[list[str]]:
    """The spellings of a rating as vocabulary entries."""
    return [tokenizer.convert_ids_to_tokens(list(s)) for s in found.sequences[rating]]


def tokens_of(tokenizer: Any, ids: tuple[int, ...]) -> list[str]:
    """Vocabulary entries of token ids."""
    entries: list[str] = tokenizer.convert_ids_to_tokens(list(ids))
    return entries


def find(tokenizer: Any, prompt: str, ratings: tuple[str, ...] = LIKERT) -> RatingTokens:
    """Rating tokens behind a prompt."""
    return find_rating_tokens(PromptEncoder(tokenizer), prompt, ratings)


def test_a_rating_alone_would_be_the_same_first_token_for_all_in_sentencepiece() -> None:
    tokenizer = llama_like()
    alone = {tokenizer(r, add_special_tokens=False)["input_ids"][0] for r in LIKERT}
    assert len(alone) == 1
    found = find(tokenizer, "Rating:")
    assert len({found.sequences[r][0] for r in LIKERT}) == 5


@pytest.mark.parametrize("prompt", ["Rating:", "Rating: "])
def test_sentencepiece_feeds_the_blank_and_reads_the_digit(prompt: str) -> None:
    tokenizer = llama_like()
    found = find(tokenizer, prompt)
    assert tokens_of(tokenizer, found.context(prompt)) == ["<s>", "▁Rating", ":", "▁"]
    assert spelled(tokenizer, found, "4")[0] == ["4"]


def test_byte_fallback_spellings_are_no_single_tokens_and_left_out() -> None:
    tokenizer = llama_like()
    assert len(tokenizer("\uff14", add_special_tokens=False)["input_ids"]) == 4
    found = find(tokenizer, "Rating:")
    assert all(len(s) == 1 for r in LIKERT for s in spelled(tokenizer, found, r))


def test_number_words_count_where_they_are_one_token_at_the_place() -> None:
    tokenizer = llama_like()
    assert spelled(tokenizer, find(tokenizer, "Rating:\n"), "4") == [["4"], ["four"]]
    assert spelled(tokenizer, find(tokenizer, "Rating:"), "4") == [["4"]]


def test_ten_is_a_sequence_that_begins_with_the_token_of_one() -> None:
    tokenizer = llama_like()
    found = find(tokenizer, "Rating:", tuple(map(str, range(1, 11))))
    assert spelled(tokenizer, found, "10")[0] == ["1", "0"]
    assert spelled(tokenizer, found, "1")[0] == ["1"]


def test_gpt2_has_own_tokens_for_digits_with_and_without_a_blank() -> None:
    tokenizer = gpt2_like()
    found = find(tokenizer, "Rating:", ("1", "4", "10"))
    assert spelled(tokenizer, found, "4")[:2] == [["Ġ4"], ["4"]]
    assert spelled(tokenizer, found, "10")[:2] == [["Ġ10"], ["10"]]
    assert found.context("Rating:") == tuple(tokenizer("Rating:")["input_ids"])


def test_gpt2_takes_the_final_blank_of_a_prompt_into_the_rating() -> None:
    tokenizer = gpt2_like()
    found = find(tokenizer, "Rating: ")
    assert spelled(tokenizer, found, "4") == [["Ġ4"], ["Ġfour"]]
    assert found.context("Rating: ") == tuple(tokenizer("Rating:")["input_ids"])


def test_a_digit_common_to_all_ratings_is_no_context() -> None:
    tokenizer = llama_like()
    found = find(tokenizer, "Rating:", ("10", "11", "12"))
    assert [spelled(tokenizer, found, r)[0] for r in ("10", "11")] == [["1", "0"], ["1", "1"]]


def test_labels_in_words() -> None:
    tokenizer = llama_like()
    found = find(tokenizer, "Rating:", ("yes", "no"))
    assert spelled(tokenizer, found, "yes") == [["▁yes"]]
    assert tokens_of(tokenizer, found.context("Rating:"))[-1] == ":"


def test_no_token_stands_for_two_ratings() -> None:
    for tokenizer in (gpt2_like(), llama_like()):
        for prompt in ("Rating:", "Rating: ", "Rating:\n", 'Rating: "'):
            found = find(tokenizer, prompt, tuple(map(str, range(1, 11))))
            spellings = [s for all_of_one in found.sequences.values() for s in all_of_one]
            assert len(set(spellings)) == len(spellings)


def test_context_checks_every_prompt() -> None:
    tokenizer = llama_like()
    found = find(tokenizer, "some words\nRating:")
    assert found.context("other words\nRating:")[-2:] == found.context("no\nRating:")[-2:]
    gpt2 = gpt2_like()
    blank = find(gpt2, "Rating: ")
    with pytest.raises(RetrialError, match="tokenised differently"):
        blank.context("Rating:\n")


def test_the_finder_asks_once_per_ending_and_recovers_from_others() -> None:
    tokenizer = gpt2_like()
    calls: list[str] = []
    encoder = PromptEncoder(tokenizer)

    def encode(text: str) -> tuple[int, ...]:
        calls.append(text)
        return encoder(text)

    finder = RatingTokenFinder(encode)
    first, tokens = finder.locate("a long beginning\nRating:", LIKERT)
    asked = len(calls)
    second, again = finder.locate("another beginning\nRating:", LIKERT)
    assert again is tokens and len(calls) == asked + 1
    assert first[-3:] == second[-3:]
    _, other = finder.locate("another\nRating:\n", LIKERT)
    assert other is not tokens


def test_one_beginning_mark_and_no_end_mark() -> None:
    tokenizer = llama_like()
    encoder = PromptEncoder(tokenizer)
    assert encoder("yes")[0] == 1 and encoder("<s>yes").count(1) == 1
    t5 = t5_like()
    assert PromptEncoder(t5)("a")[-1] != t5.eos_token_id
    assert PromptEncoder(t5, keep_end=True)("a")[-1] == t5.eos_token_id


@pytest.mark.parametrize("pieces", [("▁1", "▁2", "▁4"), ()])
def test_decoder_tokens(pieces: tuple[str, ...]) -> None:
    tokenizer = t5_like(*pieces)
    found = find_decoder_tokens(PromptEncoder(tokenizer, keep_end=True), ("1", "2", "4"))
    assert spelled(tokenizer, found, "4")[0] == (["▁4"] if pieces else ["4"])
    # Only where no digit has a piece with its blank is the blank fed to the decoder.
    assert tokens_of(tokenizer, found.lead) == ([] if pieces else ["▁"])
    assert found.context("rate")[-1] == tokenizer.eos_token_id


@pytest.mark.parametrize("ratings", [(), ("1",), ("1", "1"), ("1", "")])
def test_ratings_must_differ(ratings: tuple[str, ...]) -> None:
    with pytest.raises(RetrialError, match="two different"):
        find(llama_like(), "Rating:", ratings)


def test_ratings_that_the_tokenizer_merges_are_refused() -> None:
    tokenizer = llama_like()
    unknown = FAST(tokenizer_object=_without_bytes(), unk_token="<unk>")
    assert unknown("\u4e00")["input_ids"] == unknown("\u4e8c")["input_ids"]
    with pytest.raises(RetrialError, match="can't tell"):
        find(unknown, "a:", ("\u4e00", "\u4e8c"))
    assert find(tokenizer, "a:", ("\u4e00", "\u4e8c")).sequences


def _without_bytes() -> Any:
    from tokenizers import Tokenizer, models

    vocabulary = {"<unk>": 0, "a": 1, ":": 2, " ": 3, "A": 4, "Z": 5, "z": 6, "0": 7, "5": 8}
    return Tokenizer(models.BPE(vocabulary, [], unk_token="<unk>"))


@pytest.mark.parametrize(
    ("prompt", "joiner"), [("Rating:", " "), ("Rating: ", ""), ("x\n", ""), ('x: "', "")]
)
def test_joiner(prompt: str, joiner: str) -> None:
    assert default_joiner(prompt) == joiner


@pytest.mark.model
def test_packaged_tokenizer(packaged_judge_files: ModelFiles) -> None:
    tokenizer = load_tokenizer(packaged_judge_files)
    encoder = PromptEncoder(tokenizer)
    assert encoder("4") == (36,) and encoder(" 4") == (216, 36)
    for prompt in ("Rating:", "Rating: "):
        found = find_rating_tokens(encoder, prompt, LIKERT)
        assert found.context(prompt) == (*encoder("Rating:"), 216)
        assert [found.sequences[r][0] for r in LIKERT] == [(i,) for i in range(33, 38)]
    ten = find_rating_tokens(encoder, "Rating:", ("1", "10"))
    assert ten.sequences["10"] == ((33, 32),)


@pytest.mark.model
def test_packaged_tokenizer_splits_digits_after_blanks(packaged_judge_files: ModelFiles) -> None:
    encoder = PromptEncoder(load_tokenizer(packaged_judge_files))
    for text in ("\n\n4", "  4", "x\n\n1 = bad"):
        digit = next(c for c in text if c.isdigit())
        assert encoder(digit)[0] in encoder(text)


@pytest.mark.model
def test_chat_prompts_keep_their_single_beginning(packaged_judge_files: ModelFiles) -> None:
    tokenizer = load_tokenizer(packaged_judge_files)
    chat = tokenizer.apply_chat_template(
        [{"role": "user", "content": "Rate it."}], tokenize=False, add_generation_prompt=True
    )
    ids = PromptEncoder(tokenizer)(chat)
    assert list(ids) == tokenizer(chat, add_special_tokens=False)["input_ids"]
    context, found = RatingTokenFinder(PromptEncoder(tokenizer)).locate(chat, LIKERT)
    assert context == ids and found.joiner == ""

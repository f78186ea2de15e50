"""An answer as it grows: what ends it, and that its text is whole characters without the prompt."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import gpt2_like, llama_like, t5_like

from retrial.judging.answer_text import Ending, GeneratedAnswer, GrowingAnswer

END = 0  # of gpt2_like
BYTES = gpt2_like()
ID = "ab" * 16


def grown(
    tokenizer: Any, prompt: str, answer: list[int], stop: tuple[str, ...] = (), limit: int = 99
) -> tuple[GeneratedAnswer, int]:
    """The answer when these tokens come one after the other, and how many were taken."""
    context = tuple(tokenizer(prompt, add_special_tokens=False)["input_ids"])
    ends = frozenset([tokenizer.eos_token_id])
    growing = GrowingAnswer(ID, tokenizer, context, Ending(ends, stop, limit))
    for number, token in enumerate(answer, start=1):
        growing.add(token)
        if growing.finish_reason:
            return growing.done(), number
    return growing.done(), len(answer)


def tokens(tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def test_an_end_token_ends_and_is_counted_but_not_in_the_text():
    answer, taken = grown(BYTES, "Rating:", [*tokens(BYTES, " 4"), BYTES.eos_token_id, 7])
    assert (answer.text, answer.finish_reason) == (" 4", "stop")
    assert answer.tokens == taken == len(tokens(BYTES, " 4")) + 1


def test_an_answer_that_ends_at_once_is_empty():
    answer, _ = grown(BYTES, "Rating:", [BYTES.eos_token_id])
    assert (answer.text, answer.finish_reason, answer.tokens) == ("", "stop", 1)


def test_at_the_limit_the_reason_is_length():
    ids = tokens(BYTES, "a b c d e")
    answer, taken = grown(BYTES, "Rating:", ids, limit=3)
    assert (answer.finish_reason, answer.tokens, taken) == ("length", 3, 3)
    assert answer.text == BYTES.decode(ids[:3])


def test_an_end_token_at_the_limit_is_a_stop():
    answer, _ = grown(BYTES, "x", [*tokens(BYTES, "a"), BYTES.eos_token_id], limit=2)
    assert (answer.text, answer.finish_reason) == ("a", "stop")


@pytest.mark.parametrize(("stop", "text"), [
    (("\n\n",), " 4\nyes"), (("yes",), " 4\n"), (("no", "\n"), " 4"), (("nowhere",), None),
    ((" 4",), ""), (("s\n\nD",), " 4\nye"), (("es", "yes"), " 4\n"),
])  # fmt: skip
def test_a_stop_text_ends_before_it_wherever_tokens_are_cut(stop, text):
    whole = " 4\nyes\n\nDialogue"
    answer, _ = grown(BYTES, "Rating:", tokens(BYTES, whole), stop)
    assert answer.text == (whole if text is None else text)
    assert answer.finish_reason == ("" if text is None else "stop")


def test_a_stop_text_in_the_prompt_does_not_end_the_answer():
    answer, _ = grown(BYTES, "yes\nRating:", tokens(BYTES, " no"), ("yes", ":"))
    assert (answer.text, answer.finish_reason) == (" no", "")


@pytest.mark.parametrize("text", ["é", "日本", "👍🏽", "a👨‍👩‍👧b", "½ zażółć"])
def test_every_cut_inside_a_character_leaves_whole_characters(text):
    """One token is one byte here: an answer may end anywhere in a character."""
    ids = tokens(BYTES, text)
    raw = text.encode()
    assert len(ids) == len(raw)
    for limit in range(1, len(ids) + 1):
        answer, _ = grown(BYTES, "Rating:", ids, limit=limit)
        assert answer.text == raw[:limit].decode("utf-8", "ignore")


def test_a_character_that_is_whole_only_with_the_next_token_is_not_cut_by_stop_texts():
    answer, _ = grown(BYTES, "x", tokens(BYTES, "né!"), ("!",))
    assert answer.text == "né"


@pytest.mark.parametrize("make", [gpt2_like, llama_like])
@given(text=st.text(st.sampled_from("abyes no4\n:é日"), min_size=1, max_size=20))
@settings(max_examples=40, deadline=None)
def test_prompt_and_text_together_are_what_the_model_wrote(make, text):
    """Blanks included: a lone ` 4` decodes without its blank in SentencePiece vocabularies."""
    tokenizer = _made(make)
    prompt = "yes Rating:"
    whole, before = tokens(tokenizer, prompt + text), tokens(tokenizer, prompt)
    if whole[: len(before)] != before:
        return
    answer, _ = grown(tokenizer, prompt, whole[len(before) :])
    assert answer.text == text


CACHE: dict[Any, Any] = {}


def _made(make: Any) -> Any:
    if make not in CACHE:
        CACHE[make] = make()
        if make is llama_like:
            CACHE[make] = with_decoder(CACHE[make])
    return CACHE[make]


def with_decoder(tokenizer: Any) -> Any:
    """SentencePiece's way back to text: blanks, bytes, and the first blank dropped."""
    from tokenizers import decoders

    tokenizer.backend_tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
         decoders.Strip(" ", 1, 0)]
    )  # fmt: skip
    return tokenizer


def test_the_blank_before_a_rating_is_kept():
    tokenizer = _made(llama_like)
    ids = tokens(tokenizer, "Rating: 4")[len(tokens(tokenizer, "Rating:")) :]
    assert tokenizer.decode(ids).strip() == "4"
    answer, _ = grown(tokenizer, "Rating:", ids)
    assert answer.text == " 4"


def test_without_a_context_the_answer_is_decoded_alone():
    tokenizer = t5_like()
    growing = GrowingAnswer(ID, tokenizer, (), Ending(frozenset([1]), (), 9))
    for token in [*tokens(tokenizer, "yes"), 1]:
        growing.add(token)
    assert growing.done().finish_reason == "stop"
    assert growing.done().text == tokenizer.decode(growing.tokens)

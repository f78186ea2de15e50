"""The id of a request: a digest of everything that is asked."""

import inspect
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.judging import request as subject
from retrial.judging.request import asked_fields, request_id

FIXED = {
    "method": "logits",
    "ratings": ("1", "2", "3", "4", "5"),
    "model": "example/judge",
    "revision": "0123456789abcdef",
    "files_digest": "f" * 64,
    "adapter_digest": None,
    "backend": "transformers",
    "dtype": "float32",
    "quantisation": None,
    "sampling": {"temperature": 1.0, "top_p": 0.9, "seed": 1},
    "sample": 0,
}
OTHER = {
    "method": "generation",
    "ratings": ("1", "2", "3", "4"),
    "model": "example/other",
    "revision": "0123456789abcdee",
    "files_digest": "e" * 64,
    "adapter_digest": "a" * 64,
    "backend": "vllm",
    "dtype": "bfloat16",
    "quantisation": "int8",
    "sampling": {"temperature": 1.0, "top_p": 0.9, "seed": 2},
    "sample": 1,
}
TEXT = "USER: hello\nRating:"


def identify(text: str | None = TEXT, **fields) -> str:
    return request_id(text, asked_fields(**{**FIXED, **fields}))


def test_the_fixed_request_keeps_its_id():
    """Another id here means that stored answers are asked again: was that wanted?"""
    assert identify() == "bf01ffcf9e8959be4acd58f3fc679a6d"


def test_every_field_is_varied_below():
    assert set(inspect.signature(asked_fields).parameters) == FIXED.keys() == OTHER.keys()


@pytest.mark.parametrize("field", FIXED)
def test_any_other_field_is_another_request(field):
    assert identify(**{field: OTHER[field]}) != identify()


def test_another_asking_version_is_another_request(monkeypatch):
    before = identify()
    monkeypatch.setattr(subject, "ASKING_VERSION", subject.ASKING_VERSION + 1)
    assert identify() != before


@given(st.lists(st.sampled_from(sorted(FIXED)), min_size=1, unique=True))
def test_any_set_of_changes_is_another_request(changed):
    assert identify(**{field: OTHER[field] for field in changed}) != identify()


@given(st.permutations(sorted(FIXED)), st.permutations(["temperature", "top_p", "seed"]))
def test_the_order_of_names_never_counts(order, inner):
    sampling = {name: FIXED["sampling"][name] for name in inner}
    fields = {name: FIXED[name] for name in order} | {"sampling": sampling}
    assert request_id(TEXT, asked_fields(**fields)) == identify()


@given(st.text(), st.text())
def test_texts_are_compared_byte_for_byte(first, second):
    assert (identify(first) == identify(second)) == (first == second)


def test_swapped_values_are_another_request():
    swapped = {"temperature": 0.9, "top_p": 1.0, "seed": 1}
    assert identify(sampling=swapped) != identify()


def test_the_text_can_not_imitate_the_rest():
    asked = asked_fields(**FIXED)
    assert request_id(None, asked) != request_id("", asked) != request_id(asked, "")


def test_what_was_asked_can_be_read_again():
    read = json.loads(asked_fields(**FIXED))
    assert read == {**FIXED, "ratings": list(FIXED["ratings"]),
                    "asking_version": subject.ASKING_VERSION}  # fmt: skip

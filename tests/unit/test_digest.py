"""Canonical JSON and content ids."""

import hashlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.digest import ID_LENGTH, canonical_json, content_id, sha256_file, sha256_text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)  # fmt: skip


def test_known_digests():
    assert sha256_text("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert sha256_text("é") == hashlib.sha256(b"\xc3\xa9").hexdigest()
    assert content_id({"b": 1, "a": "é"}) == sha256_text('{"a":"é","b":1}')[:ID_LENGTH]
    assert len(content_id(None)) == ID_LENGTH


@given(st.dictionaries(st.text(), VALUES, max_size=5))
def test_the_order_of_keys_never_counts(value):
    assert content_id(dict(reversed(value.items()))) == content_id(value)


@given(VALUES, VALUES)
def test_values_of_different_json_have_different_ids(first, second):
    same = canonical_json(first) == canonical_json(second)
    assert (content_id(first) == content_id(second)) == same


def test_lists_keep_their_order_and_types_count():
    assert content_id([1, 2]) != content_id([2, 1])
    assert len({content_id(v) for v in (1, "1", True, 1.0, None)}) == 5


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_are_refused(value):
    with pytest.raises(ValueError):
        canonical_json({"x": [value]})


def test_what_json_cannot_hold_is_refused():
    with pytest.raises(TypeError):
        canonical_json({1, 2})


@given(st.text(st.characters(), max_size=20))
def test_every_text_has_a_digest_lone_surrogates_too(text):
    assert sha256_text(text + "\ud800") != sha256_text(text + "\ud801")


def test_a_file_is_digested_by_its_bytes(tmp_path):
    path = tmp_path / "f"
    data = bytes(range(256)) * 5000
    path.write_bytes(data)
    assert sha256_file(path) == hashlib.sha256(data).hexdigest()

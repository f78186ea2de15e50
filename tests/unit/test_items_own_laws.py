"""Laws of own dialogues: the map of a scale, and files of any content."""

from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from own_files import jsonl, read

from retrial.errors import RetrialError
from retrial.items.base import to_tables
from retrial.items.own.options import Scale

ends = st.floats(-1e6, 1e6, allow_subnormal=False)
lengths = st.floats(1e-3, 1e6)


@given(ends, lengths)
def test_the_ends_of_a_scale_become_1_and_5(low: float, length: float) -> None:
    scale = Scale(low, low + length)
    assert (scale.mapped(scale.low), scale.mapped(scale.high)) == (1.0, 5.0)


@given(ends, lengths, st.floats(0, 1), st.floats(0, 1))
def test_a_scale_keeps_the_order(low: float, length: float, one: float, other: float) -> None:
    scale = Scale(low, low + length)
    a, b = sorted(min(low + length * share, scale.high) for share in (one, other))
    assert 1 <= scale.mapped(a) <= scale.mapped(b) <= 5


@given(st.integers(-9, 9), st.integers(1, 20), st.data())
def test_a_scale_is_linear(low: int, length: int, data: st.DataObject) -> None:
    number = data.draw(st.integers(low, low + length))
    expected = 1 + 4 * Fraction(number - low, length)
    assert Scale(low, low + length).mapped(number) == pytest.approx(float(expected), abs=1e-14)


@given(st.floats(1, 5))
def test_the_scale_from_1_to_5_changes_nothing(number: float) -> None:
    assert Scale(1, 5).mapped(number) == number
    assert Scale(1, 5).reason(number) is None


@pytest.mark.parametrize(("low", "high", "number", "reason"), [
    (0, 1, 0, "0 of 0-1 mapped"), (-2, 2, 0.5, "0.5 of -2 to 2 mapped"),
])  # fmt: skip
def test_the_original_number_is_told(low: float, high: float, number: float, reason: str) -> None:
    assert Scale(low, high).reason(number) == reason


KEYS = ["id", "turns", "speaker", "text", "ratings", "split", "ratings_by", "anna", "x"]
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
values = st.recursive(
    scalars,
    lambda v: st.lists(v, max_size=3) | st.dictionaries(st.sampled_from(KEYS), v, max_size=4),
    max_leaves=12,
)
BYTES = st.binary(max_size=60) | st.text('idspeakrtx,"\n\r\ufeffé;').map(
    lambda text: b"id,speaker,text\n" + text.encode()
)


@settings(deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(KEYS), values, max_size=6), max_size=3))
def test_whatever_json_holds_is_read_or_told(made: list[Any]) -> None:
    with TemporaryDirectory() as name, suppress(RetrialError):
        to_tables(read(jsonl(Path(name), made), rating_columns="anna"), "own")


@settings(deadline=None)
@given(BYTES, st.sampled_from(["d.jsonl", "d.csv", "d.parquet"]))
def test_whatever_a_file_holds_is_read_or_told(data: bytes, kind: str) -> None:
    with TemporaryDirectory() as name, suppress(RetrialError):
        path = Path(name) / kind
        path.write_bytes(data)
        to_tables(read(path), "own")

from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.examples.labels import example_labels


def label(scores: list[float]) -> str:
    table = pa.table({"item_id": ["a"] * len(scores), "score": scores})
    return example_labels(table)["a"]


def half_up(mean: Fraction) -> str:
    return str(int(mean + Fraction(1, 2)))


@given(st.lists(st.integers(1, 5), min_size=1, max_size=9))
def test_the_mean_of_whole_ratings_rounds_half_up(scores: list[int]) -> None:
    assert label([float(s) for s in scores]) == half_up(Fraction(sum(scores), len(scores)))


@pytest.mark.parametrize("high", [4, 7, 10, 100])
@given(data=st.data())
def test_so_does_the_mean_of_ratings_mapped_from_another_scale(
    high: int, data: st.DataObject
) -> None:
    given_ratings = data.draw(st.lists(st.integers(1, high), min_size=1, max_size=7))
    mapped = [1 + 4 * (x - 1) / (high - 1) for x in given_ratings]
    exact = [1 + Fraction(4 * (x - 1), high - 1) for x in given_ratings]
    assert label(mapped) == half_up(sum(exact, Fraction(0)) / len(exact))


def test_an_item_without_ratings_has_no_label() -> None:
    table = pa.table({"item_id": ["a", "b"], "score": [3.0, None]})
    assert example_labels(table) == {"a": "3"}

"""Joins by id or by link; files that share no id are never zipped by position."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.errors import RetrialError
from retrial.links.join import LINK_RULE, join_items
from retrial.record import LINKS, from_rows

IDS = st.lists(st.integers(0, 40).map("r{}".format), unique=True, max_size=25)


def links(pairs: dict[str, str]) -> pa.Table:
    return from_rows(
        [
            {
                "recorded_item_id": a,
                "item_id": b,
                "score": 0.5,
                "margin": 0.1,
                "certainty": "clear",
            }
            for a, b in pairs.items()
        ],
        LINKS,
    )


@given(IDS, IDS)
def test_the_join_is_the_intersection_with_counts(left: list[str], right: list[str]) -> None:
    if left and right and set(left).isdisjoint(right):
        with pytest.raises(RetrialError, match="never zipped by position"):
            join_items(left, right)
        return
    found = join_items(left, right)
    assert [left[i] for i in found.left] == [right[i] for i in found.right]
    assert [left[i] for i in found.left] == [x for x in left if x in set(right)]
    assert found.matched + found.left_only == len(left)
    assert found.matched + found.right_only == len(right)
    assert not found.inferred


@given(IDS, IDS, st.permutations(range(41)))
def test_links_join_what_ids_alone_do_not(
    left: list[str], right: list[str], order: list[int]
) -> None:
    """Renaming one side and linking it back gives the join of the original ids, inferred."""
    back = {f"recorded-{n}": f"r{i}" for i, n in enumerate(order)}
    forth = {released: recorded for recorded, released in back.items()}
    hidden = [forth[x] for x in left]
    if left and right and set(left).isdisjoint(right):
        with pytest.raises(RetrialError, match="lead from none to another"):
            join_items(hidden, right, links(back))
        return
    wanted, found = join_items(left, right), join_items(hidden, right, links(back))
    swapped = join_items(right, hidden, links(back))
    assert found.left.tolist() == wanted.left.tolist()
    assert found.right.tolist() == wanted.right.tolist()
    assert (found.left_only, found.right_only) == (wanted.left_only, wanted.right_only)
    assert set(zip(swapped.right, swapped.left, strict=True)) == set(
        zip(found.left, found.right, strict=True)
    )
    assert found.inferred == (found.matched > 0)


@given(IDS)
def test_equal_ids_need_no_link_and_are_not_inferred(ids: list[str]) -> None:
    found = join_items(ids, ids[::-1], links({f"r{i}": f"story-{i}" for i in range(41)}))
    assert found.matched == len(ids)
    assert not found.inferred


def test_disjoint_ids_are_refused_with_the_way_out() -> None:
    with pytest.raises(RetrialError) as caught:
        join_items(["a", "b"], ["c", "d"])
    assert "never zipped by position" in str(caught.value)
    assert LINK_RULE in str(caught.value)


def test_an_id_twice_is_refused() -> None:
    with pytest.raises(RetrialError, match="place 2 of the right side"):
        join_items(["a"], ["a", "b", "a"])


def test_two_items_for_one_released_item_are_refused() -> None:
    with pytest.raises(RetrialError, match="same item"):
        join_items(["x", "y"], ["a"], links({"x": "a", "y": "a"}))


def test_links_follow_their_contract() -> None:
    with pytest.raises(RetrialError, match="links"):
        join_items(["x"], ["a"], pa.table({"recorded_item_id": ["x"], "item_id": ["a"]}))

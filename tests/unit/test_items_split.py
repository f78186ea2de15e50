"""The split into training and test items."""

import random
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.errors import RetrialError
from retrial.items.split import assign_split, sample_test, shuffled

IDS = [f"{i:032x}" for i in range(200)]
hundredths = st.integers(0, 100).map(lambda n: n / 100)


@given(st.integers(0, 200), hundredths)
def test_the_count_is_the_written_share_rounded_half_up(n: int, share: float) -> None:
    expected = (Decimal(str(share)) * n).to_integral_value(ROUND_HALF_UP)
    assert assign_split(IDS[:n], share, 1).count("test") == expected


def test_binary_fractions_do_not_move_the_count() -> None:
    assert 0.29 * 50 < 14.5  # the machine's product lies just below the half
    assert assign_split(IDS[:50], 0.29, 1).count("test") == 15


@given(st.permutations(IDS[:30]), st.integers(0, 5))
def test_the_order_of_the_file_does_not_matter(order: list[str], seed: int) -> None:
    def parts(ids: list[str]) -> dict[str, str]:
        return dict(zip(ids, assign_split(ids, 0.3, seed), strict=True))

    assert parts(order) == parts(IDS[:30])
    chosen = sample_test(order, 7, seed)
    assert set(chosen) == set(sample_test(IDS[:30], 7, seed))
    assert chosen == [item for item in order if item in set(chosen)]


def test_seeds_differ_and_no_place_is_preferred() -> None:
    hits = [0] * 20
    for seed in range(2000):
        for i, part in enumerate(assign_split(IDS[:20], 0.1, seed)):
            hits[i] += part == "test"
    assert sum(hits) == 4000  # two of twenty, each time
    # 200 hits are expected at each place, with a standard deviation of 13.4
    assert max(abs(h - 200) for h in hits) < 5 * 13.4


@given(st.integers(0, 29), st.integers(0, 3))
def test_a_changed_item_moves_at_most_one_other(place: int, seed: int) -> None:
    ids = IDS[:30]
    other = [*ids[:place], "f" * 32, *ids[place + 1 :]]
    before, after = assign_split(ids, 0.2, seed), assign_split(other, 0.2, seed)
    moved = [i for i in range(30) if i != place and before[i] != after[i]]
    assert len(moved) <= 1


def test_a_larger_draw_holds_the_smaller() -> None:
    small, large = sample_test(IDS, 10, 4), sample_test(IDS, 60, 4)
    assert set(small) < set(large)
    assert set(small) != set(sample_test(IDS, 10, 5))


def test_purposes_have_orders_of_their_own() -> None:
    assert shuffled(IDS, "a", 1) != shuffled(IDS, "b", 1)
    assert sorted(shuffled(IDS, "a", 1)) == IDS
    assert shuffled(random.Random(0).sample(IDS, 200), "a", 1) == shuffled(IDS, "a", 1)


@pytest.mark.parametrize("count", [0, -1, 11])
def test_more_than_there_are_is_an_error(count: int) -> None:
    with pytest.raises(RetrialError, match="the test split has 10"):
        sample_test(IDS[:10], count, 1)


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_a_share_outside_0_to_1_is_an_error(share: float) -> None:
    with pytest.raises(RetrialError, match="from 0 to 1"):
        assign_split(IDS, share, 1)


def test_an_id_twice_is_an_error() -> None:
    with pytest.raises(RetrialError, match="twice"):
        assign_split([*IDS, IDS[0]], 0.1, 1)
    with pytest.raises(RetrialError, match="twice"):
        sample_test([*IDS, IDS[0]], 1, 1)

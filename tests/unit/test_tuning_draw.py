"""Laws of the quotas and of the draw."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retrial.errors import RetrialError
from retrial.tuning.draw import distance, draw_items, quotas

COUNTS = st.dictionaries(st.integers(1, 5), st.integers(0, 9), min_size=1)


@given(COUNTS, COUNTS, st.integers(1, 12))
def test_no_choice_is_nearer_than_the_quotas(wanted, there, count):
    assume(sum(wanted.values()) and sum(there.values()) >= count)
    given_ = quotas(wanted, there, count)
    assert sum(given_.values()) == count
    assert all(0 <= n <= there.get(label, 0) for label, n in given_.items())
    labels = sorted(given_)
    others = product(*(range(min(there.get(x, 0), count) + 1) for x in labels))
    best = min(
        distance(dict(zip(labels, other, strict=True)), wanted)
        for other in others if sum(other) == count
    )  # fmt: skip
    assert distance(given_, wanted) == pytest.approx(best, abs=1e-12)


def test_quotas_by_hand():
    """7 by 5:3:2 is 3.5, 2.1, 1.4: the half goes to the first."""
    assert quotas({1: 5, 2: 3, 3: 2}, {1: 9, 2: 9, 3: 9}, 7) == {1: 4, 2: 2, 3: 1}


def test_what_a_label_lacks_goes_to_labels_that_are_wanted_before_others():
    assert quotas({1: 5, 2: 5}, {1: 0, 2: 9, 3: 9}, 6) == {1: 0, 2: 6, 3: 0}


def test_nothing_wanted_is_refused():
    with pytest.raises(RetrialError, match="needs rated test items"):
        quotas({}, {1: 4}, 2)


@given(COUNTS, COUNTS)
def test_distance_is_half_the_sum_of_differences(first, second):
    assume(sum(first.values()) and sum(second.values()))
    a, b = sum(first.values()), sum(second.values())
    by_hand = sum(abs(first.get(x, 0) / a - second.get(x, 0) / b) for x in range(1, 6)) / 2
    assert distance(first, second) == pytest.approx(by_hand, abs=1e-12)
    assert distance(first, first) == 0.0


@given(st.integers(0, 5), st.integers(1, 30))
def test_a_new_item_moves_nothing_else_in_a_random_draw(seed, count):
    labels = {f"i{n}": 1 + n % 5 for n in range(30)}
    before = draw_items(labels, {}, "random", count, seed)
    after = draw_items({**labels, "new": 3}, {}, "random", count, seed)
    kept = [i for i in after if i != "new"]
    assert before[: len(kept)] == kept and len(set(before)) == count


def test_the_draw_is_the_same_on_every_machine():
    """Places by sha256 of the canonical key, worked out with hashlib alone."""
    import hashlib
    import json

    ids = [f"i{n}" for n in range(9)]

    def place(item_id: str) -> str:
        key = json.dumps(["training-set", 7, item_id], separators=(",", ":"))
        return hashlib.sha256(key.encode()).hexdigest()

    drawn = draw_items(dict.fromkeys(ids, 3), Counter(), "random", 4, 7)
    assert drawn == sorted(ids, key=place)[:4]

"""The random split into training and test items, and stated draws of the test items.

Items are put in the order of a keyed digest of their ids, and the first ones are taken. That
order is the same on every machine and with every library version, does not depend on the
order of a file, and moves almost nothing when one item is added, changed or removed.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import Literal

from retrial.digest import canonical_json, sha256_text
from retrial.errors import RetrialError

Split = Literal["train", "test"]


def shuffled(ids: Sequence[str], *key: str | int) -> list[str]:
    """The ids in a random order that only the ids and the key decide.

    Each id is placed by the sha256 of key and id. Use a key of its own for every purpose.
    """
    return sorted(ids, key=lambda item_id: sha256_text(canonical_json([*key, item_id])))


def assign_split(item_ids: Sequence[str], test_share: float, seed: int) -> list[Split]:
    """`train` or `test` for each id, in order; `test_share` (0-1) of them, rounded half up.

    The share is taken as it is written (0.1 is one tenth), so that no rounding of the
    machine moves the count. Raises RetrialError for a share outside 0-1 or an id twice.
    """
    if not 0 <= test_share <= 1:
        raise RetrialError(f"split: the test share is {test_share}; give a number from 0 to 1")
    _refuse_repeats(item_ids)
    count = floor(Fraction(str(test_share)) * len(item_ids) + Fraction(1, 2))
    chosen = set(shuffled(item_ids, "split", seed)[:count])
    return ["test" if item_id in chosen else "train" for item_id in item_ids]


def sample_test(item_ids: Sequence[str], count: int, seed: int) -> list[str]:
    """`count` of the test items, drawn at random, in the order in which they were given.

    A larger count with the same seed only adds items. Raises RetrialError when fewer items
    are there than asked for, or an id stands twice.
    """
    _refuse_repeats(item_ids)
    if not 0 < count <= len(item_ids):
        raise RetrialError(
            f"judged: {count} items are wanted and the test split has {len(item_ids)}; "
            "ask for at least one and at most all of them"
        )
    chosen = set(shuffled(item_ids, "judged", seed)[:count])
    return [item_id for item_id in item_ids if item_id in chosen]


def _refuse_repeats(item_ids: Sequence[str]) -> None:
    if len(set(item_ids)) < len(item_ids):
        raise RetrialError("split: an item id stands twice; item ids are unique in a dataset")

"""Joins two sets of ratings by item id, directly or through links; never by position."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from retrial.errors import RetrialError
from retrial.record import LINKS, check

LINK_RULE = "story_order"
"""The rule that makes links, as error messages name it."""


@dataclass(frozen=True, eq=False)
class Joined:
    """An inner join of two lists of item ids.

    `left` and `right`, shape (matched,): places in the two lists, in the order of the left.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    left_only: int
    right_only: int
    inferred: bool
    """Whether a match rests on a link."""

    @property
    def matched(self) -> int:
        """How many items both sides have."""
        return int(self.left.size)


def join_items(
    left_ids: Sequence[str], right_ids: Sequence[str], links: pa.Table | None = None
) -> Joined:
    """The items that both sides have, with counts of those that only one has.

    `links` (links contract) says which released item a recorded item is taken for; it is used
    on whichever side holds recorded items. Joining with an empty side gives an empty join.
    Raises RetrialError when an id stands twice on a side, when a side has two items that are
    the same released item, and when the two sides share no item at all.
    """
    released = _released(links)
    left = _places(left_ids, released, "left")
    right = _places(right_ids, released, "right")
    shared = [item for item in left if item in right]
    if left and right and not shared:
        raise RetrialError(_no_common_item(left_ids, right_ids, links is not None))
    pairs = [(left[item], right[item]) for item in shared]
    return Joined(
        left=np.array([a for a, _ in pairs], dtype=np.int64),
        right=np.array([b for _, b in pairs], dtype=np.int64),
        left_only=len(left) - len(shared),
        right_only=len(right) - len(shared),
        inferred=any(left_ids[a] != right_ids[b] for a, b in pairs),
    )


def _released(links: pa.Table | None) -> dict[str, str]:
    if links is None:
        return {}
    table = check(links, LINKS, "links")
    columns = (table[name].to_pylist() for name in ("recorded_item_id", "item_id"))
    return dict(zip(*columns, strict=True))


def _places(ids: Iterable[str], released: Mapping[str, str], side: str) -> dict[str, int]:
    """The place of each item in its list, by the released id where there is a link."""
    found: dict[str, int] = {}
    for place, item_id in enumerate(ids):
        item = released.get(item_id, item_id)
        if item in found:
            raise RetrialError(
                f"join: {item_id} at place {place} of the {side} side is the same item as the one "
                f"at place {found[item]}; give every item once (one row per item, not per rating)"
            )
        found[item] = place
    return found


def _no_common_item(left: Sequence[str], right: Sequence[str], linked: bool) -> str:
    start = f"join: the {len(left)} left and {len(right)} right items share no id"
    if linked:
        return (
            f"{start}, and the links lead from none to another; links hold for one recording "
            f"family and one dataset: give those that the rule `{LINK_RULE}` made for these two"
        )
    return (
        f"{start}, and files that share no id are never zipped by position; "
        f"give the links that the rule `{LINK_RULE}` makes, or compare items of one dataset"
    )

"""Which items of a pool a training set gets: a function of the seed, the ids and the labels.

Items are put in the order of a keyed digest of their ids, so that the same draw comes out on
every machine, and a smaller random draw is the beginning of a larger one.
"""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from retrial.errors import RetrialError
from retrial.items.split import shuffled

Counts = Mapping[int, int]
"""Number of items by label."""


def draw_items(
    labels: Mapping[str, int], test: Counts, draw: str, count: int | None, seed: int
) -> list[str]:
    """The drawn ids, in the order of the draw.

    `labels` are those of the pool; `test` counts the labels of the test items, and only
    `near-test` looks at it. `count` None takes the whole pool. Raises RetrialError for settings
    that don't go together and for a pool that is too small.
    """
    if draw == "all" and count is not None:
        raise RetrialError("training set: `draw: all` takes every item; leave out `items`")
    if draw == "near-test" and count is None:
        raise RetrialError("training set: `draw: near-test` needs `items`: how many to draw")
    if not labels or (count or 0) > len(labels):
        raise RetrialError(
            f"training set: {count or 'all'} items are wanted and the training split has "
            f"{len(labels)} with ratings that are no copies of test items; ask for fewer, or name "
            "more datasets"
        )
    ordered = shuffled(list(labels), "training-set", seed)
    if draw != "near-test" or count is None:
        return ordered[:count]
    left = quotas(test, Counter(labels.values()), count)
    chosen = []
    for item_id in ordered:
        if left.get(labels[item_id], 0):
            left[labels[item_id]] -= 1
            chosen.append(item_id)
    return chosen


def quotas(wanted: Counts, there: Counts, count: int) -> dict[int, int]:
    """How many items of each label make `count` whose distribution is nearest to `wanted`'s.

    Each next item goes to the label where it helps most (or harms least); among equals to the
    one that has least for what is wanted of it, then to the lower label. The total variation
    distance is a sum of convex terms, one a label, so no other choice has a smaller one. `there`
    must hold `count` items. Raises RetrialError when nothing is wanted.
    """
    total = sum(wanted.values())
    if not total:
        raise RetrialError(
            "training set: `draw: near-test` needs rated test items; give the datasets a `split`"
        )
    given = dict.fromkeys(sorted({*wanted, *there}), 0)

    def harm(label: int) -> tuple[int, bool, Fraction, int]:
        more, goal = given[label] + 1, wanted.get(label, 0)
        moved = abs(more * total - goal * count) - abs((more - 1) * total - goal * count)
        return moved, not goal, Fraction(more, goal or 1), label

    for _ in range(count):
        given[min((x for x in given if given[x] < there.get(x, 0)), key=harm)] += 1
    return given


def distance(first: Counts, second: Counts) -> float:
    """Total variation distance of two distributions (0 equal, 1 disjoint); both not empty."""
    sizes = sum(first.values()), sum(second.values())
    labels = {*first, *second}
    apart = sum(
        abs(Fraction(first.get(x, 0), sizes[0]) - Fraction(second.get(x, 0), sizes[1]))
        for x in labels
    )
    return float(apart / 2)

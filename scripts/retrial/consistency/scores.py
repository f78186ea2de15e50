"""Precision, recall, F1 and F1-micro of one class: which values can stand beside each other.

Unlike a row of twelve metrics these rows print no test size, so they are treated as continuous:
every number is a box of its printed value and half a unit on either side.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass

from retrial.consistency.confusion import TOLERANCE

Box = tuple[float, float]
_SMALLEST = 1e-9


@dataclass(frozen=True)
class ScoreRow:
    """Boxes of the printed precision, recall and F1 of the positive class."""

    precision: Box
    recall: Box
    f1: Box


def f1_range(precision: Box, recall: Box) -> Box:
    """Lowest and highest F1 of any precision and recall in their boxes (0 when both are 0)."""
    low, high = (_f1(max(p, 0.0), max(r, 0.0)) for p, r in zip(precision, recall, strict=True))
    return low, min(high, 1.0)


def overlap(a: Box, b: Box) -> bool:
    """Whether two boxes share a point, ends included."""
    return a[0] <= b[1] + TOLERANCE and b[0] <= a[1] + TOLERANCE


def accuracy_range(row: ScoreRow, prevalence: Box) -> Box | None:
    """Lowest and highest accuracy of a binary classifier that prints as `row`.

    `prevalence` is the share of items of the positive class. None when no classifier does: the
    false positives (prevalence * recall * (1 / precision - 1)) may not exceed the negatives.

    With u = 1/precision and v = 1/recall, F1 bounds u + v, false positives bound
    prevalence * (u + v - 1) / v, and accuracy is 1 - prevalence * (u + v - 2) / v. Over that
    region the extremes lie at the corners, which are enumerated.
    """
    corners = _corners(row)
    found = [_accuracy(pi, u, v) for pi in prevalence for u, v in _cut(corners, pi)]
    for u, v in corners:
        limit = v / (u + v - 1)
        if prevalence[0] <= limit <= prevalence[1]:
            found.append(_accuracy(limit, u, v))
    return (min(found), max(found)) if found else None


def prevalence_range(row: ScoreRow, accuracy: Box) -> Box | None:
    """Lowest and highest prevalence at which accuracy can lie in its box; None when at none.

    The bound on false positives meets accuracy a where u + v = 1 + 1/a, so those lines are
    added to the corners of the region.
    """
    found: list[float] = []
    for u, v in _corners(row, tuple(1 + x for x in _inverse(accuracy))):
        error = (u + v - 2) / v
        limit = v / (u + v - 1)
        low = 0.0 if error == 0 else max(0.0, (1 - accuracy[1]) / error)
        high = limit if error == 0 else min(limit, (1 - accuracy[0]) / error)
        if low <= high + TOLERANCE:
            found += [low, high]
    return (min(found), max(found)) if found else None


def _f1(precision: float, recall: float) -> float:
    return 0.0 if precision + recall == 0 else 2 * precision * recall / (precision + recall)


def _accuracy(prevalence: float, u: float, v: float) -> float:
    return 1 - prevalence * (u + v - 2) / v


def _inverse(box: Box) -> Box:
    low, high = (min(max(x, _SMALLEST), 1.0) for x in box)
    return 1 / high, 1 / low


def _corners(row: ScoreRow, lines: tuple[float, ...] = ()) -> list[tuple[float, float]]:
    """Corners, in (1/precision, 1/recall), of the region that prints as `row`.

    `lines` are further values of u + v whose crossings with the region's edges are included.
    """
    us, vs = _inverse(row.precision), _inverse(row.recall)
    low, high = (2 * x for x in _inverse(row.f1))
    points = set(itertools.product(us, vs))
    for total in (low, high, *lines):
        points |= {(u, total - u) for u in us} | {(total - v, v) for v in vs}
    return [
        (u, v)
        for u, v in points
        if _within(u, us) and _within(v, vs) and _within(u + v, (low, high))
    ]


def _cut(corners: Iterable[tuple[float, float]], prevalence: float) -> list[tuple[float, float]]:
    """Corners of the region that also leaves enough negatives at this prevalence."""

    def room(u: float, v: float) -> float:
        return v - prevalence * (u + v - 1)

    points = list(corners)
    kept = [p for p in points if room(*p) >= 0]
    for a, b in itertools.combinations(points, 2):
        left, right = room(*a), room(*b)
        if left * right < 0:
            share = left / (left - right)
            kept.append((a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])))
    return kept


def _within(value: float, box: Box) -> bool:
    slack = TOLERANCE * max(1.0, math.fabs(value))
    return box[0] - slack <= value <= box[1] + slack

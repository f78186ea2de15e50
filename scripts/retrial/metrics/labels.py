"""Rules that turn several people's ratings of an item into one label."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from retrial.errors import RetrialError
from retrial.metrics.base import FloatArray, Matrix
from retrial.metrics.ratings import item_means
from retrial.metrics.weights import tie_levels


def label_items(matrix: Matrix, rule: str) -> FloatArray:
    """Return one label per item, shape ``(items,)``; NaN for an item without ratings.

    ``mean``: sum / n in one division. ``max``: the highest. ``median``: the middle rating, or the
    mean of the two middle ones. ``majority``: the commonest, the lower one on a tie. ``first``:
    that of the first rater present, in row order. The defect rates printed in jia2024 Table 2 fit
    ``mean`` (a defect is a mean of at most 3); ``majority`` is the dataset authors' own rule.
    Raises RetrialError for an unknown rule.
    """
    if rule not in RULES:
        raise RetrialError(f"Label rule {rule!r} is not known; use one of {', '.join(RULES)}.")
    labels = np.full(matrix.items, np.nan)
    rated = matrix.counts > 0
    if rated.any():
        labels[rated] = RULES[rule](Matrix(matrix.values[:, rated]))
    return labels


def _highest(matrix: Matrix) -> FloatArray:
    return np.asarray(np.nanmax(matrix.values, axis=0))


def _median(matrix: Matrix) -> FloatArray:
    return np.asarray(np.nanmedian(matrix.values, axis=0))


def _majority(matrix: Matrix) -> FloatArray:
    present = ~np.isnan(matrix.values)
    numbers, count = tie_levels(matrix.values[present])
    lowest = np.full(count, np.inf)
    np.minimum.at(lowest, numbers, matrix.values[present])
    votes = np.zeros((matrix.items, count), dtype=np.int64)
    np.add.at(votes, (np.nonzero(present)[1], numbers), 1)
    return np.asarray(lowest[votes.argmax(axis=1)])


def _first(matrix: Matrix) -> FloatArray:
    rows = (~np.isnan(matrix.values)).argmax(axis=0)
    return np.asarray(matrix.values[rows, np.arange(matrix.items)])


RULES: dict[str, Callable[[Matrix], FloatArray]] = {
    "mean": item_means,
    "max": _highest,
    "median": _median,
    "majority": _majority,
    "first": _first,
}

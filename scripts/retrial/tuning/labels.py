"""The labels that a judge learns from: one Likert and one binary label an item.

The Likert label is the mean of the raters, rounded half up, as in-context examples show it. The
binary one applies the rule by which tables tell defects: 0 is a defect, 1 is none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from retrial.errors import RetrialError
from retrial.examples.labels import example_labels
from retrial.metrics.base import Matrix
from retrial.metrics.labels import label_items

ATTRIBUTE = "overall"
"""What the study's judges are tuned on."""


@dataclass(frozen=True)
class Label:
    """An item's labels: the mean rating, the same rounded half up, and 0 for a defect, else 1."""

    mean: float
    likert: int
    binary: int


def item_labels(human: pa.Table, dataset: str, rule: str, threshold: float) -> dict[str, Label]:
    """The labels of every rated item of a dataset, by item id.

    `human` holds people's ratings, in the contract of ratings. An item is a defect when its
    label by `rule` is at most `threshold`. Raises RetrialError for a dataset that nobody rated,
    a rating off its scale, and ratings on different scales.
    """
    rated = human.filter(
        pc.and_(pc.equal(human["attribute"], ATTRIBUTE), pc.is_valid(human["score"]))
    )
    if not rated.num_rows:
        raise RetrialError(
            f"training set: dataset {dataset} has no human rating of {ATTRIBUTE}; take it off the "
            "training set's datasets"
        )
    _check_scale(rated, dataset)
    likert = example_labels(rated)
    ids = list(likert)
    matrix = _matrix(rated, ids)
    means, ruled = label_items(matrix, "mean"), label_items(matrix, rule)
    defects = np.round(ruled, 9) <= threshold
    return {
        item_id: Label(float(mean), int(likert[item_id]), int(not defect))
        for item_id, mean, defect in zip(ids, means, defects, strict=True)
    }


def _matrix(rated: pa.Table, ids: list[str]) -> Matrix:
    """Ratings by row (in the order of the file) and item, NaN where an item has fewer."""
    place = {item_id: i for i, item_id in enumerate(ids)}
    items = np.array([place[i] for i in rated["item_id"].to_pylist()])
    order = np.argsort(items, kind="stable")
    counts = np.bincount(items)
    rows = np.arange(items.size) - np.repeat(np.cumsum(counts) - counts, counts)
    values = np.full((int(counts.max()), len(ids)), np.nan)
    values[rows, items[order]] = rated["score"].to_numpy()[order]
    return Matrix(values)


def _check_scale(rated: pa.Table, dataset: str) -> None:
    scales = sorted(set(rated["scale"].to_pylist()))
    if len(scales) > 1:
        raise RetrialError(
            f"training set: dataset {dataset} has ratings on the scales {', '.join(scales)}; its "
            "reader must map them to one"
        )
    low, high = map(float, scales[0].split("-"))
    scores = rated["score"].to_numpy()
    off = np.flatnonzero((scores < low) | (scores > high))
    if off.size:
        raise RetrialError(_off_scale(rated.slice(int(off[0]), 1).to_pylist()[0], dataset))


def _off_scale(row: Mapping[str, Any], dataset: str) -> str:
    return (
        f"training set: dataset {dataset}, item {row['item_id']}, {row['source']} line "
        f"{row['source_line']}: the rating {row['score']:g} is off the scale {row['scale']}; "
        "correct the source, or map it to the scale"
    )

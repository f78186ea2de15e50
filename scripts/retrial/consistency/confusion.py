"""Which integer confusion matrices produce a printed row of classification metrics.

A row prints a defect rate and twelve metrics: precision, recall and F1 of the defect class, of
the non-defect class, and their support-weighted and plain means. All thirteen follow from four
whole numbers, so a printed row can be searched exhaustively. Positive = defect.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retrial.errors import RetrialError

RATE = "defect_rate"
METRICS = tuple(
    f"{group}_{metric}"
    for group in ("defect", "nondefect", "weighted", "macro")
    for metric in ("precision", "recall", "f1")
)
CELLS = (RATE, *METRICS)
TOLERANCE = 1e-9
_MOST_CANDIDATES = 20_000_000

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Box = tuple[float, float]
Boxes = Mapping[str, Box]


class SearchTooLargeError(RetrialError):
    """Too few printed cells bound the search for the sizes that were asked for."""


@dataclass(frozen=True, order=True)
class Matrix:
    """A confusion matrix of counts, positive = defect."""

    n: int
    tp: int
    fn: int
    fp: int
    tn: int

    @property
    def defects(self) -> int:
        """Items whose gold label is defect."""
        return self.tp + self.fn

    @property
    def accuracy(self) -> float:
        """Share of right predictions."""
        return (self.tp + self.tn) / self.n


def ratio(top: Ints, bottom: Ints) -> Floats:
    """top / bottom, 0 where bottom is 0 (as scikit-learn's zero_division=0)."""
    out = np.zeros(np.broadcast(top, bottom).shape)
    np.divide(top, bottom, out=out, where=bottom != 0)
    return out


def metric_matrix(tp: Ints, fn: Ints, fp: Ints, tn: Ints) -> Floats:
    """The twelve metrics, in the order of METRICS, of m matrices: shape (m, 12).

    A metric whose denominator is 0 is 0. Macro F1 is the mean of the two F1 scores.
    """
    defect = [ratio(tp, tp + fp), ratio(tp, tp + fn), ratio(2 * tp, 2 * tp + fp + fn)]
    sound = [ratio(tn, tn + fn), ratio(tn, tn + fp), ratio(2 * tn, 2 * tn + fp + fn)]
    share = ratio(tp + fn, tp + fn + fp + tn)
    weighted = [share * d + (1 - share) * s for d, s in zip(defect, sound, strict=True)]
    macro = [(d + s) / 2 for d, s in zip(defect, sound, strict=True)]
    return np.stack([*defect, *sound, *weighted, *macro], axis=-1)


def solve(boxes: Boxes, sizes: Sequence[int]) -> list[Matrix]:
    """Every confusion matrix with n in `sizes` whose cells all lie in their boxes.

    `boxes` maps names of CELLS to the lowest and highest value, ends included; a cell without a
    box is free. The search is exhaustive. Raises SearchTooLargeError when the free cells leave
    more than 20 million candidates.
    """
    n = np.asarray(sizes, dtype=np.int64)
    n, defects = _split(n, n, boxes.get(RATE))
    index, tp = _counts(defects, boxes.get("defect_recall"))
    n, defects = n[index], defects[index]
    index, tn = _counts(n - defects, boxes.get("nondefect_recall"))
    n, defects, tp = n[index], defects[index], tp[index]
    fn, fp = defects - tp, n - defects - tn
    keep = np.ones(n.shape, dtype=bool)
    if RATE in boxes:
        keep &= _inside(ratio(defects, n), boxes[RATE])
    metrics = metric_matrix(tp, fn, fp, tn)
    for place, name in enumerate(METRICS):
        if name in boxes:
            keep &= _inside(metrics[:, place], boxes[name])
    found = np.stack([n, tp, fn, fp, tn], axis=1)[keep]
    return sorted(Matrix(*map(int, row)) for row in found)


def blame(boxes: Boxes, sizes: Sequence[int], at_most: int = 2) -> list[tuple[str, ...]]:
    """The smallest sets of cells whose removal lets some matrix fit, for a row that has none.

    All sets of the smallest size that works, up to `at_most` cells; [] when none works.
    """
    for count in range(1, at_most + 1):
        sets = [
            names
            for names in itertools.combinations([c for c in CELLS if c in boxes], count)
            if solve({k: v for k, v in boxes.items() if k not in names}, sizes)
        ]
        if sets:
            return sets
    return []


def _inside(values: Floats, box: Box) -> NDArray[np.bool_]:
    return (values >= box[0] - TOLERANCE) & (values <= box[1] + TOLERANCE)


def _split(n: Ints, total: Ints, box: Box | None) -> tuple[Ints, Ints]:
    index, part = _counts(total, box)
    return n[index], part


def _counts(total: Ints, box: Box | None) -> tuple[Ints, Ints]:
    """Whole numbers k in 0..total with k/total in the box: (index into total, k).

    A total of 0 gives k = 0, whose ratio is then 0 by convention.
    """
    low, high = (0.0, 1.0) if box is None else box
    slack = 1e-6
    first = np.clip(np.ceil(total * low - slack), 0, None).astype(np.int64)
    last = np.minimum(np.floor(total * high + slack), total).astype(np.int64)
    first = np.where(total == 0, 0, first)
    last = np.where(total == 0, 0, last)
    lengths = np.maximum(last - first + 1, 0)
    size = int(lengths.sum())
    if size > _MOST_CANDIDATES:
        raise SearchTooLargeError(
            f"{size} candidate matrices; print the defect rate and both recalls, or narrow the "
            "range of test sizes"
        )
    index = np.repeat(np.arange(total.size), lengths)
    starts = np.cumsum(lengths) - lengths
    return index, np.arange(size) - starts[index] + first[index]

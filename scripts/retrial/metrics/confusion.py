"""Precision, recall and F1 of the two classes, their averages and accuracy, from four counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from retrial.errors import RetrialError
from retrial.metrics.base import BoolArray, FloatArray
from retrial.metrics.weights import ratio

CLASSES = ("defect", "nondefect")
AVERAGES = ("weighted", "macro")
MEASURES = ("precision", "recall", "f1")

UNDEFINED_BECAUSE = {
    "defect-rate": "no item has both a judgement and a label",
    "accuracy-binary": "no item has both a judgement and a label",
    "defect-precision": "no item was predicted to be a defect (0/0)",
    "defect-recall": "no item is a defect (0/0)",
    "defect-f1": "no item is, or was predicted to be, a defect (0/0)",
    "nondefect-precision": "no item was predicted to be a non-defect (0/0)",
    "nondefect-recall": "no item is a non-defect (0/0)",
    "nondefect-f1": "no item is, or was predicted to be, a non-defect (0/0)",
} | {f"{a}-{m}": "no item has both a judgement and a label" for a in AVERAGES for m in MEASURES}
"""Why each value of :func:`from_confusion` is undefined where it is NaN."""


def from_confusion(
    tp: ArrayLike, fn: ArrayLike, fp: ArrayLike, tn: ArrayLike
) -> dict[str, FloatArray]:
    """Return every printed value of a confusion matrix (jia2024 Tables 2 to 4), by metric id.

    Counts are of shape ``(B,)`` or scalars (then each value has shape ``()``); the positive class
    is *defect*. Precision and recall are NaN at 0/0; F1 = 2TP / (2TP + FP + FN), so it is 0, not
    undefined, when only precision is 0/0. ``macro-*`` is the plain mean of the two classes and
    ``weighted-*`` the mean weighted by the classes' true counts; there a value that is 0/0
    counts as 0, as in scikit-learn with ``labels=[0, 1]`` and ``zero_division=0``. Without any
    item all values are NaN. Micro-averaged F1 is ``accuracy-binary``.
    Raises RetrialError on negative counts.
    """
    tp, fn, fp, tn = (np.asarray(c, dtype=np.float64) for c in (tp, fn, fp, tn))
    if min(np.min(c, initial=0) for c in (tp, fn, fp, tn)) < 0:
        raise RetrialError("Confusion matrix: a count is negative; give counts of items.")
    total = tp + fn + fp + tn
    values = {"defect-rate": ratio(tp + fn, total), "accuracy-binary": ratio(tp + tn, total)}
    values |= _one_class("defect", tp, fn, fp) | _one_class("nondefect", tn, fp, fn)
    for measure in MEASURES:
        defect, other = (np.nan_to_num(values[f"{name}-{measure}"]) for name in CLASSES)
        weighted = ratio(defect * (tp + fn) + other * (fp + tn), total)
        values[f"weighted-{measure}"] = weighted
        values[f"macro-{measure}"] = np.where(total > 0, (defect + other) / 2, np.nan)
    return values


def judge_rule(
    name: str,
) -> Callable[[FloatArray], BoolArray]:
    """Return the test of which judge scores mean *defect*.

    ``le-X``: score <= X. ``lt-X``: score < X. ``round``: the score rounded half up is <= 3, which
    for any real score is the same as ``lt-3.5``. Jia et al. (2024, section 3) leave open what a
    score between 3 and 4 counts as; ``le-3``, ``lt-3.5`` and ``round`` are its three readings,
    and ``lt-0.5`` suits a judge whose score is a probability of non-defect.
    Scores are rounded to nine decimals first. Raises RetrialError for any other name.
    """
    if name == "round":
        return lambda scores: round_half_up(scores) <= 3
    kind, _, number = name.partition("-")
    try:
        threshold = float(number)
    except ValueError:
        threshold = float("nan")
    if kind not in ("le", "lt") or np.isnan(threshold):
        raise RetrialError(
            f"judge_rule {name!r} is not known; use 'le-3', 'lt-3.5' or 'round' "
            "(or le-X / lt-X with another number X)."
        )
    if kind == "le":
        return lambda scores: np.asarray(np.round(scores, 9) <= threshold)
    return lambda scores: np.asarray(np.round(scores, 9) < threshold)


def round_half_up(scores: FloatArray) -> FloatArray:
    """Round to whole ratings, halves up, after rounding to nine decimals; NaN stays NaN."""
    return np.asarray(np.floor(np.round(scores, 9) + 0.5))


def _one_class(name: str, tp: FloatArray, fn: FloatArray, fp: FloatArray) -> dict[str, FloatArray]:
    return {
        f"{name}-precision": ratio(tp, tp + fp),
        f"{name}-recall": ratio(tp, tp + fn),
        f"{name}-f1": ratio(2 * tp, 2 * tp + fp + fn),
    }

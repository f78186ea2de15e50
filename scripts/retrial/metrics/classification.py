"""The metrics of defect detection: a judge's score and the human label, both cut into classes."""

from __future__ import annotations

import numpy as np

from retrial.metrics.base import Estimate, FloatArray, Pairs, WeightArray, register, undefined
from retrial.metrics.confusion import (
    AVERAGES,
    CLASSES,
    MEASURES,
    UNDEFINED_BECAUSE,
    from_confusion,
    judge_rule,
    round_half_up,
)
from retrial.metrics.correlation import complete_scores
from retrial.metrics.weights import in_blocks, of_items, ratio

HUMAN_THRESHOLD = 3.0
JUDGE_RULE = "le-3"

_DOC = """{title} of defect detection.

    Formula: {formula}
    An item is a defect when its human score (second) is at most ``human_threshold`` (3: jia2024,
    section 3.1), and a predicted defect when the judge's score (first) passes ``judge_rule``
    (``le-3``, ``lt-3.5`` or ``round``: see :func:`retrial.metrics.confusion.judge_rule`).
    Domain: items that have both scores; the others are dropped, and ``extra["dropped"]`` counts
    them. ``extra`` also holds tp, fn, fp and tn. Value in [0, 1].
    Undefined: NaN when {reason}.
    """

_FORMULAS = {
    "defect-rate": "(TP + FN) / n, the share of items whose human label is defect.",
    "accuracy-binary": "(TP + TN) / n, the same as micro-averaged F1.",
    "precision": "TP / (TP + FP), with {} as the positive class.",
    "recall": "TP / (TP + FN), with {} as the positive class.",
    "f1": "2TP / (2TP + FP + FN), with {} as the positive class; 0 when only precision is 0/0.",
    "weighted": "mean of the two classes' {} weighted by their true counts; 0/0 counts as 0.",
    "macro": "plain mean of the two classes' {}; 0/0 counts as 0.",
}


def confusion_codes(
    sample: Pairs, human_threshold: float = HUMAN_THRESHOLD, judge_rule_name: str = JUDGE_RULE
) -> FloatArray:
    """Mark each complete item as TP, FN, FP or TN: a 0/1 array of shape ``(complete, 4)``."""
    first, second = complete_scores(sample)
    predicted = judge_rule(judge_rule_name)(first)
    defect = np.round(second, 9) <= human_threshold
    marks = [defect & predicted, defect & ~predicted, ~defect & predicted, ~defect & ~predicted]
    return np.stack(marks, axis=1).astype(np.float64)


def classify(
    sample: Pairs,
    *,
    metric_id: str,
    human_threshold: float = HUMAN_THRESHOLD,
    judge_rule: str = JUDGE_RULE,
) -> Estimate:
    """Compute one of the classification metrics; NaN with a reason where it is 0/0."""
    codes = confusion_codes(sample, human_threshold, judge_rule)
    tp, fn, fp, tn = codes.sum(axis=0)
    n = codes.shape[0]
    counts = {"tp": tp, "fn": fn, "fp": fp, "tn": tn, "dropped": sample.items - n}
    extra = {name: float(count) for name, count in counts.items()}
    value = float(from_confusion(tp, fn, fp, tn)[metric_id])
    if np.isnan(value):
        return undefined(UNDEFINED_BECAUSE[metric_id], n, **extra)
    return Estimate(value, n, extra=extra)


def classify_weighted(
    sample: Pairs,
    weights: WeightArray,
    *,
    metric_id: str,
    human_threshold: float = HUMAN_THRESHOLD,
    judge_rule: str = JUDGE_RULE,
) -> FloatArray:
    """Classification metric at each resample: weights ``(B, items)`` to values ``(B,)``."""
    codes = confusion_codes(sample, human_threshold, judge_rule)

    def kernel(block: FloatArray) -> FloatArray:
        return from_confusion(*(block @ codes).T)[metric_id]

    return in_blocks(kernel, of_items(weights, sample.complete))


def likert_weighted(sample: Pairs, weights: WeightArray) -> FloatArray:
    """Likert accuracy at each resample: weights ``(B, items)`` to values ``(B,)``."""
    same = _same_rating(sample)
    return in_blocks(lambda w: ratio(w @ same, w.sum(axis=1)), of_items(weights, sample.complete))


@register("accuracy-likert", "Likert accuracy", "pairs", weighted=likert_weighted)
def accuracy_likert(sample: Pairs) -> Estimate:
    """Share of items on which judge and people give the same whole rating.

    Formula: mean(round(first) = round(second)), both rounded half up (3.5 to 4).
    Domain: items that have both scores; ``extra["dropped"]`` counts the others.
    Undefined: NaN when no item has both scores.
    """
    same = _same_rating(sample)
    dropped = float(sample.items - same.size)
    if same.size == 0:
        return undefined("no item has both a judgement and a label", 0, dropped=dropped)
    return Estimate(float(same.mean()), same.size, extra={"dropped": dropped})


def _same_rating(sample: Pairs) -> FloatArray:
    first, second = complete_scores(sample)
    return np.asarray(round_half_up(first) == round_half_up(second), dtype=np.float64)


def _register_classification(metric_id: str, title: str, formula: str) -> None:
    def compute(
        sample: Pairs, *, human_threshold: float = HUMAN_THRESHOLD, judge_rule: str = JUDGE_RULE
    ) -> Estimate:
        return classify(
            sample, metric_id=metric_id, human_threshold=human_threshold, judge_rule=judge_rule
        )

    def weighted(
        sample: Pairs,
        weights: WeightArray,
        *,
        human_threshold: float = HUMAN_THRESHOLD,
        judge_rule: str = JUDGE_RULE,
    ) -> FloatArray:
        return classify_weighted(
            sample,
            weights,
            metric_id=metric_id,
            human_threshold=human_threshold,
            judge_rule=judge_rule,
        )

    doc = _DOC.format(title=title, formula=formula, reason=UNDEFINED_BECAUSE[metric_id])
    register(metric_id, title, "pairs", weighted=weighted, doc=doc)(compute)


def _register_all() -> None:
    _register_classification("defect-rate", "Defect rate", _FORMULAS["defect-rate"])
    _register_classification("accuracy-binary", "Binary accuracy", _FORMULAS["accuracy-binary"])
    for measure in MEASURES:
        shown = measure.upper() if measure == "f1" else measure
        for name in CLASSES:
            title = f"{name.capitalize()} {shown}"
            formula = _FORMULAS[measure].format(name)
            _register_classification(f"{name}-{measure}", title, formula)
        for average in AVERAGES:
            title = f"{average.capitalize()} {shown}"
            formula = _FORMULAS[average].format(shown)
            _register_classification(f"{average}-{measure}", title, formula)


_register_all()

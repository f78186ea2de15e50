"""Functions from ratings to numbers: metrics, intervals, tests, label rules, the human ceiling.

Importing this package fills the registry (:data:`retrial.metrics.base.REGISTRY`).
It needs numpy only; scipy is imported where a function first calls it.
"""

from retrial.metrics import agreement, classification, correlation, groups, kendall, ratings
from retrial.metrics.base import (
    REGISTRY,
    Estimate,
    FloatArray,
    Matrix,
    Metric,
    Pairs,
    TwoGroups,
    get,
)

__all__ = [
    "REGISTRY",
    "Estimate",
    "FloatArray",
    "Matrix",
    "Metric",
    "Pairs",
    "TwoGroups",
    "agreement",
    "classification",
    "correlation",
    "get",
    "groups",
    "kendall",
    "ratings",
]

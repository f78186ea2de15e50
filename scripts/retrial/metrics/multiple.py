"""Correction of p values for the number of tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrial.errors import RetrialError
from retrial.metrics.base import FloatArray


def holm(p_values: Sequence[float] | FloatArray) -> FloatArray:
    """Return Holm's step-down adjusted p values, shape ``(m,)``, in the order given.

    Formula: in ascending order, the running maximum of (m - rank) x p with rank from 0, at most 1.
    A NaN stays NaN and does not count as a test. Raises RetrialError for p outside [0, 1].
    """
    p = np.asarray(p_values, dtype=np.float64)
    tested = np.flatnonzero(~np.isnan(p))
    if ((p[tested] < 0) | (p[tested] > 1)).any():
        raise RetrialError("holm: a p value lies outside [0, 1]; give unadjusted p values.")
    order = tested[np.argsort(p[tested], kind="stable")]
    steps = p[order] * np.arange(order.size, 0, -1)
    adjusted = np.full(p.shape, np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted

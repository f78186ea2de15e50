"""Readings of rating-token log-probabilities (jia2024 section 3, Eq. 2 and 3).

Eq. 2 weighs each of the K likeliest ratings by p_i over the sum of the p_j. The paper calls
p "log probabilities"; with probabilities the likeliest rating weighs most, with logarithms
least. `expectation` takes probabilities, `log-literal` the logarithms as printed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Reading:
    """A score with its status; `score` is None unless the status is ok."""

    score: float | None
    status: str
    reason: str | None
    mass: float


def _top(logprobs: Mapping[str, float], top_k: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Ratings and log-probabilities of the K likeliest, and the mass on all ratings."""
    pairs = sorted(logprobs.items(), key=lambda pair: (-pair[1], float(pair[0])))
    ratings = np.array([float(rating) for rating, _ in pairs[:top_k]])
    logs = np.array([value for _, value in pairs[:top_k]], dtype=np.float64)
    mass = float(np.exp(np.array([value for _, value in pairs], dtype=np.float64)).sum())
    return ratings, logs, mass


def expectation(logprobs: Mapping[str, float], top_k: int, low_mass: float) -> Reading:
    """The expected rating: weights are probabilities, normalised over the K likeliest."""
    if not logprobs:
        return Reading(None, "no_rating_token", "no probability on any rating token", 0.0)
    ratings, logs, mass = _top(logprobs, top_k)
    weights = np.exp(logs - logs.max())
    score = float((ratings * weights).sum() / weights.sum())
    return Reading(score, "ok", _mass_note(mass, low_mass), mass)


def log_literal(logprobs: Mapping[str, float], top_k: int, low_mass: float) -> Reading:
    """Eq. 2 with log-probabilities as weights. Undefined where they sum to zero (p = 1)."""
    if not logprobs:
        return Reading(None, "no_rating_token", "no probability on any rating token", 0.0)
    ratings, logs, mass = _top(logprobs, top_k)
    total = float(logs.sum())
    if abs(total) < 1e-12:
        return Reading(None, "undefined", "the log-probabilities sum to zero", mass)
    score = float((ratings * logs).sum() / total)
    return Reading(score, "ok", _mass_note(mass, low_mass), mass)


def _mass_note(mass: float, low_mass: float) -> str | None:
    return f"low rating mass: {mass:.3g}" if mass < low_mass else None


READINGS = {"expectation": expectation, "log-literal": log_literal}
"""Every reading of a logits answer, by its name in the ratings contract."""

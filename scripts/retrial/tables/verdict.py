"""A reproduced value beside the printed one: what may be said of the two.

From the same ratings they must agree to half a unit of the last printed digit, both ends
included. From another sample of items the printed value must lie in a prediction interval,
which holds our sampling error and the paper's. Otherwise they are not comparable.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

from retrial.tables.declare import Comparison

REPRODUCED, DIFFERS, NOT_COMPARABLE = "reproduced", "differs", "not comparable"
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Measured:
    """A value with its interval (NaN ends when there is none) and number of items."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Verdict:
    """One of the three words above, and the reason."""

    word: str
    reason: str


def judge_cell(
    comparison: Comparison, measured: Measured, printed: float, half_unit: float, level: float
) -> Verdict:
    """The verdict on a cell that has a printed value."""
    if comparison.kind == "none":
        return Verdict(NOT_COMPARABLE, comparison.reason)
    if math.isnan(measured.value):
        return Verdict(NOT_COMPARABLE, "the reproduced value is undefined")
    if comparison.kind == "same-ratings":
        return _same_ratings(measured.value, printed, half_unit * comparison.half_units)
    return _new_sample(comparison, measured, printed, half_unit, level)


def _same_ratings(value: float, printed: float, half_unit: float) -> Verdict:
    close = abs(value - printed) <= half_unit + TOLERANCE
    word = REPRODUCED if close else DIFFERS
    return Verdict(word, f"same ratings; {value:.5g} against {printed:g} within {half_unit:g}")


def _new_sample(
    comparison: Comparison, measured: Measured, printed: float, half_unit: float, level: float
) -> Verdict:
    if math.isnan(measured.low) or math.isnan(measured.high) or not measured.n:
        return Verdict(NOT_COMPARABLE, "no interval for the reproduced value")
    z = NormalDist().inv_cdf((1 + level) / 2)
    own = (measured.high - measured.low) / (2 * z)
    spread = z * own * math.sqrt(1 + measured.n / comparison.published_n)
    low, high = measured.value - spread - half_unit, measured.value + spread + half_unit
    word = REPRODUCED if low - TOLERANCE <= printed <= high + TOLERANCE else DIFFERS
    where = "inside" if word == REPRODUCED else "outside"
    return Verdict(
        word,
        f"another sample; {printed:g} lies {where} [{low:.3f}, {high:.3f}], the {level:.0%} "
        f"prediction interval for a new sample of {comparison.published_n} items",
    )

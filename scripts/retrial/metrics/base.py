"""The samples that metrics read, what they return, and the registry of metrics."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from retrial.errors import RetrialError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
WeightArray = FloatArray | IntArray
Form = Literal["pairs", "matrix", "two-groups"]

MINIMUM_PAIRS = 3
"""Two points always lie on a line, so a correlation of fewer than three items says nothing."""


@dataclass(frozen=True)
class Estimate:
    """A metric's value: NaN when undefined, and then ``reason`` says why.

    ``n`` counts the items used; ``extra`` holds what comes with the value, such as ``p``.
    """

    value: float
    n: int
    reason: str = ""
    extra: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Two scores of each item, shape ``(n,)`` each, aligned by item; NaN is a missing score.

    ``first`` is the judge, ``second`` the people (or another judge).
    Metrics use the items that have both (pairwise deletion).
    """

    first: FloatArray
    second: FloatArray

    def __post_init__(self) -> None:
        """Convert to float64 and refuse arrays that cannot be aligned."""
        object.__setattr__(self, "first", _array(self.first, 1, "Pairs.first"))
        object.__setattr__(self, "second", _array(self.second, 1, "Pairs.second"))
        if self.first.shape != self.second.shape:
            raise RetrialError(
                f"Pairs: first has {self.first.size} items and second has {self.second.size}; "
                "join the two by item id so that both list the same items."
            )

    @property
    def items(self) -> int:
        """Number of items, those with missing scores included."""
        return int(self.first.size)

    @property
    def complete(self) -> BoolArray:
        """Which items have both scores, shape ``(n,)``."""
        return np.asarray(~(np.isnan(self.first) | np.isnan(self.second)))


@dataclass(frozen=True, eq=False)
class Matrix:
    """Ratings of shape ``(raters, items)``; NaN is a missing rating.

    Rows are raters or samples. The transposed orientation gives wrong agreement, not an error.
    """

    values: FloatArray

    def __post_init__(self) -> None:
        """Convert to float64 and refuse anything that is not two-dimensional."""
        object.__setattr__(self, "values", _array(self.values, 2, "Matrix.values"))

    @property
    def items(self) -> int:
        """Number of items, those without ratings included."""
        return int(self.values.shape[1])

    @property
    def counts(self) -> IntArray:
        """How many ratings each item has, shape ``(items,)``."""
        return np.asarray((~np.isnan(self.values)).sum(axis=0), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class TwoGroups:
    """Ratings of two sets of items that need not correspond, such as two kinds of stories."""

    first: Matrix
    second: Matrix


Sample = Pairs | Matrix | TwoGroups


@dataclass(frozen=True)
class Metric:
    """A registered metric.

    ``compute(sample, **parameters)`` gives an :class:`Estimate`. ``weighted(sample, weights,
    **parameters)`` gives the values at B resamples, shape ``(B,)``, NaN where undefined, from
    weights of shape ``(B, items)`` that say how often each item was drawn (for two groups, a
    pair of such arrays). ``doc`` states formula, domain and what is undefined.
    """

    id: str
    title: str
    form: Form
    compute: Callable[..., Estimate]
    weighted: Callable[..., FloatArray] | None
    has_interval: bool
    doc: str


REGISTRY: dict[str, Metric] = {}

_Compute = TypeVar("_Compute", bound=Callable[..., Estimate])


def register(
    metric_id: str,
    title: str,
    form: Form,
    *,
    weighted: Callable[..., FloatArray] | None = None,
    doc: str | None = None,
) -> Callable[[_Compute], _Compute]:
    """Register the decorated function as a metric; its docstring is the metric's, unless given.

    A metric has an interval exactly if it has a ``weighted`` form.
    Raises RetrialError when the id is taken or nothing documents the metric.
    """

    def add(compute: _Compute) -> _Compute:
        text = doc or compute.__doc__
        if metric_id in REGISTRY:
            raise RetrialError(f"Metric id {metric_id!r} is registered twice; choose another id.")
        if not text:
            raise RetrialError(f"Metric {metric_id!r} has no docstring; state what it computes.")
        has_interval = weighted is not None
        REGISTRY[metric_id] = Metric(metric_id, title, form, compute, weighted, has_interval, text)
        return compute

    return add


def get(metric_id: str) -> Metric:
    """Return the metric with this id; RetrialError names the nearest id when there is none."""
    found = REGISTRY.get(metric_id)
    if found is not None:
        return found
    near = difflib.get_close_matches(metric_id, REGISTRY, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known ids: {', '.join(sorted(REGISTRY))}."
    raise RetrialError(f"There is no metric {metric_id!r}; {hint}")


def undefined(reason: str, n: int, **extra: float) -> Estimate:
    """Return an estimate without a value: NaN and the reason."""
    return Estimate(float("nan"), n, reason, extra)


def _array(values: Any, dimensions: int, name: str) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != dimensions:
        raise RetrialError(
            f"{name}: expected {dimensions} dimension(s), got shape {array.shape}; "
            "pairs are (n,), a matrix is (raters, items)."
        )
    if np.isinf(array).any():
        raise RetrialError(f"{name}: holds an infinite score; use NaN for a missing one.")
    return array

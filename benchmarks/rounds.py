"""Measuring contenders side by side: alternating rounds in one process, medians, ratios."""

import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Contender:
    """One way to do the work. `run` returns its output as an array that can be compared.

    `share` is the part of the work that it does, where all of it would take hours: its cost is
    divided by it, and the report says so.
    """

    name: str
    run: Callable[[], Any]
    share: float = 1.0
    compared: bool = True


@dataclass(frozen=True)
class Measured:
    """A workload's cost: the medians over rounds, and how far outputs differ from ours.

    `ceiling` is how many times cheaper than the plain loop the work could be at best, where
    the arithmetic that can't be avoided is known.
    """

    workload: str
    unit: str
    units: int
    rounds: int
    cpu_seconds: dict[str, list[float]]
    wall_seconds: dict[str, list[float]]
    largest_difference: dict[str, float]
    tolerance: float
    shares: dict[str, float]
    ceiling: float | None = None
    note: str = ""

    @property
    def ours(self) -> str:
        """The first contender is ours."""
        return next(iter(self.cpu_seconds))

    def cost(self, name: str) -> float:
        """Median CPU seconds for all of the work."""
        return median(self.cpu_seconds[name])

    def ratio(self, name: str) -> float:
        """How many times ours a contender costs; rounds are paired, then the median is taken."""
        pairs = zip(self.cpu_seconds[name], self.cpu_seconds[self.ours], strict=True)
        return median(peer / ours for peer, ours in pairs)

    def equal(self, name: str) -> bool:
        """Whether its output is ours, within the tolerance."""
        return self.largest_difference.get(name, float("nan")) <= self.tolerance


def measure(
    workload: str,
    contenders: Sequence[Contender],
    *,
    unit: str,
    units: int,
    rounds: int,
    tolerance: float,
    ceiling: float | None = None,
    note: str = "",
) -> Measured:
    """Runs every contender once a round, each round beginning with another one."""
    cpu: dict[str, list[float]] = {c.name: [] for c in contenders}
    wall: dict[str, list[float]] = {c.name: [] for c in contenders}
    outputs: dict[str, Any] = {}
    for number in range(rounds):
        turn = number % len(contenders)
        for contender in (*contenders[turn:], *contenders[:turn]):
            before, started = cpu_seconds(), time.perf_counter()
            outputs[contender.name] = contender.run()
            cpu[contender.name].append((cpu_seconds() - before) / contender.share)
            wall[contender.name].append((time.perf_counter() - started) / contender.share)
            print(f"{workload}: round {number + 1} {contender.name} {cpu[contender.name][-1]:.2f}")
    ours = outputs[contenders[0].name]
    differences = {
        c.name: largest_difference(ours, outputs[c.name]) for c in contenders if c.compared
    }
    shares = {c.name: c.share for c in contenders}
    return Measured(workload, unit, units, rounds, cpu, wall, differences, tolerance, shares,
                    ceiling, note)  # fmt: skip


def cpu_seconds() -> float:
    """User and system time of this process and of the children that it waited for."""
    own, children = (
        resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def largest_difference(ours: Any, theirs: Any) -> float:
    """Largest absolute difference; of outputs of another shape only the shared rows count."""
    a, b = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    rows = min(len(a), len(b)) if a.ndim and b.ndim else None
    a, b = (a[:rows], b[:rows]) if rows is not None else (a, b)
    if np.isnan(a).tolist() != np.isnan(b).tolist():
        return float("inf")
    return float(np.nanmax(np.abs(a - b), initial=0.0))

"""jia2024 sections 5.1 and 5.2: statements about size and instruction tuning, against Table 1."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from retrial.consistency.claims import Claim, Outcome, always, compare, gain
from retrial.consistency.finding import Numbers, Verdict
from retrial.consistency.grid import Grid

CORRELATIONS = ("spearman", "pearson")
SIZES = {
    "Alpaca": ("Alpaca-7b", "Alpaca-13b"),
    "Llama": ("Llama-7b", "Llama-13b", "Llama-30b"),
    "Falcon": ("Falcon-7b-instruct", "Falcon-40b-instruct"),
}
_LITTLE = 0.02
_ALPACA_OVER_LLAMA = [("Alpaca-7b", "Llama-7b"), ("Alpaca-13b", "Llama-13b")]


def _steps(grid: Grid, models: Sequence[str]) -> list[float]:
    """Gain of each size over the next smaller one, in both correlations."""
    return [
        round(grid.value("table1", big, c) - grid.value("table1", small, c), 9)
        for small, big in itertools.pairwise(models)
        for c in CORRELATIONS
    ]


def _larger_is_better(grid: Grid) -> Outcome:
    steps = {family: _steps(grid, models) for family, models in SIZES.items()}
    flat = [step for family in steps.values() for step in family]
    rising = [family for family, found in steps.items() if min(found) > _LITTLE]
    verdict: Verdict = "partly-supported" if rising else "contradicted"
    if len(rising) == len(steps):
        verdict = "supported"
    up = sum(step > 0 for step in flat)
    detail = (
        f"{up} of {len(flat)} steps in size go up; by more than {_LITTLE} only in "
        f"{', '.join(rising) or 'no family'} ({len(rising)} of {len(steps)} families)."
    )
    numbers: Numbers = {"steps": len(flat), "up": up, "families_rising": len(rising)}
    return Outcome(verdict, detail, numbers, tuple(grid.rows("table1")), CORRELATIONS)


def _little_change(models: Sequence[str], rise: bool) -> Callable[[Grid], Outcome]:
    """A check that no step in size is above 0.02 either way, and all go up if `rise`."""

    def check(grid: Grid) -> Outcome:
        steps = _steps(grid, models)
        fits = all(abs(step) <= _LITTLE and (step > 0 or not rise) for step in steps)
        numbers: Numbers = {"lowest_step": min(steps), "highest_step": max(steps)}
        detail = f"The steps are {', '.join(f'{step:+.2f}' for step in steps)}."
        verdict: Verdict = "supported" if fits else "contradicted"
        return Outcome(verdict, detail, numbers, tuple(models), CORRELATIONS)

    return check


def _falcon_gain(grid: Grid) -> Outcome:
    small, big = SIZES["Falcon"]
    found = tuple(grid.value("table1", row, "spearman") for row in (small, big))
    verdict: Verdict = "supported" if found == (-0.02, 0.41) else "contradicted"
    detail = f"Table 1 prints {found[0]:.2f} and {found[1]:.2f}."
    numbers: Numbers = {"small": found[0], "large": found[1]}
    return Outcome(verdict, detail, numbers, (small, big), ("spearman",))


CLAIMS = (
    Claim(
        "larger-is-better",
        "5.1",
        "table1",
        "Larger models judge better without examples.",
        _larger_is_better,
    ),
    Claim(
        "falcon-gain", "5.1", "table1", "Falcon rises from -0.02 to 0.41 in Spearman.", _falcon_gain
    ),
    Claim(
        "alpaca-marginal",
        "5.1",
        "table1",
        "Alpaca improves a little from 7b to 13b (at most 0.02).",
        _little_change(SIZES["Alpaca"], rise=True),
    ),
    Claim(
        "llama-flat",
        "5.1",
        "table1",
        "Llama does not improve with size (steps of at most 0.02).",
        _little_change(SIZES["Llama"], rise=False),
    ),
    Claim(
        "instruction-tuned-better",
        "5.2",
        "table1",
        "Alpaca is above Llama of the same size in both correlations.",
        compare("table1", _ALPACA_OVER_LLAMA, CORRELATIONS, always, "Alpaca against Llama"),
    ),
    Claim(
        "alpaca-13b-gain",
        "5.2",
        "table1",
        "Alpaca-13b is 0.47 above Llama-13b in Spearman.",
        gain("table1", "Alpaca-13b", "Llama-13b", "spearman", 0.47),
    ),
)

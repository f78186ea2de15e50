"""Statements of a paper's text, held against the numbers that its own tables print."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from retrial.consistency.finding import Finding, Numbers, Verdict
from retrial.consistency.grid import Grid, MissingCellError

CellKey = tuple[str, str, str]
_EQUAL = 1e-9


@dataclass(frozen=True)
class Outcome:
    """Result of one claim: verdict, a sentence, its numbers, and the rows and columns meant."""

    verdict: Verdict
    detail: str
    numbers: Numbers = field(default_factory=dict)
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Claim:
    """A statement of the text, in the project's own words, and the check that decides it.

    `section` is the paper's; `table` the printed table it speaks of. `check` reads printed cells
    only.
    """

    id: str
    section: str
    table: str
    statement: str
    check: Callable[[Grid], Outcome]


def claim_findings(claims: Iterable[Claim], grid: Grid) -> list[Finding]:
    """One finding per claim; "not-decidable" when a cell that it needs is not at hand."""
    findings = []
    for claim in claims:
        try:
            outcome = claim.check(grid)
        except MissingCellError as error:
            outcome = Outcome("not-decidable", str(error))
        findings.append(
            Finding(
                f"claim:{claim.id}",
                claim.table,
                outcome.rows,
                outcome.columns,
                outcome.verdict,
                f"Section {claim.section}: {claim.statement} {outcome.detail}",
                {"section": claim.section, **outcome.numbers},
            )
        )
    return findings


@dataclass(frozen=True)
class Tally:
    """How often the first cell of a pair is higher than, equal to, or lower than the second."""

    higher: int
    equal: int
    lower: int

    @property
    def total(self) -> int:
        """Pairs compared."""
        return self.higher + self.equal + self.lower

    @property
    def numbers(self) -> Numbers:
        """The counts, named."""
        return {"higher": self.higher, "equal": self.equal, "lower": self.lower}

    def __str__(self) -> str:
        """The counts as part of a sentence."""
        return f"higher in {self.higher} of {self.total}, equal in {self.equal}"


def tally(grid: Grid, pairs: Iterable[tuple[CellKey, CellKey]]) -> Tally:
    """Compare the printed numbers of pairs of cells."""
    differences = [grid.value(*first) - grid.value(*second) for first, second in pairs]
    higher = sum(d > _EQUAL for d in differences)
    lower = sum(d < -_EQUAL for d in differences)
    return Tally(higher, len(differences) - higher - lower, lower)


def always(count: Tally) -> Verdict:
    """Verdict on "the first is always higher": equal cells make it partial, a lower one false."""
    if count.lower:
        return "contradicted"
    return "supported" if not count.equal else "partly-supported"


def mostly(count: Tally) -> Verdict:
    """Verdict on "the first is generally higher": most pairs, at least as many, or fewer."""
    if count.higher > count.total / 2:
        return "supported"
    return "partly-supported" if count.higher >= count.lower else "contradicted"


def row_pairs(
    table: str, pairs: Iterable[tuple[str, str]], columns: Sequence[str]
) -> list[tuple[CellKey, CellKey]]:
    """Every column of every pair of rows, as pairs of cells of one table."""
    return [((table, a, c), (table, b, c)) for a, b in pairs for c in columns]


def compare(
    table: str,
    pairs: Sequence[tuple[str, str]],
    columns: Sequence[str],
    judge: Callable[[Tally], Verdict],
    what: str,
) -> Callable[[Grid], Outcome]:
    """A check that compares the first row of each pair with the second in every column."""

    def check(grid: Grid) -> Outcome:
        count = tally(grid, row_pairs(table, pairs, columns))
        rows = tuple(dict.fromkeys(row for pair in pairs for row in pair))
        return Outcome(judge(count), f"{what}: {count}.", count.numbers, rows, tuple(columns))

    return check


def gain(table: str, new: str, old: str, column: str, claimed: float) -> Callable[[Grid], Outcome]:
    """A check of a stated difference between two printed cells."""

    def check(grid: Grid) -> Outcome:
        found = grid.value(table, new, column) - grid.value(table, old, column)
        verdict: Verdict = "supported" if abs(found - claimed) < _EQUAL else "contradicted"
        return Outcome(
            verdict,
            f"The printed cells differ by {found:.2f}; stated is {claimed:.2f}.",
            {"found": round(found, 9), "claimed": claimed},
            (new, old),
            (column,),
        )

    return check


def relative_gain(
    table: str, new: str, old: str, column: str, claimed: int
) -> Callable[[Grid], Outcome]:
    """A check of a stated relative improvement in whole per cent.

    Supported when the printed cells give it, rounded or cut off; partly when only cells within
    their rounding do.
    """

    def check(grid: Grid) -> Outcome:
        before, after = grid.value(table, old, column), grid.value(table, new, column)
        found = 100 * (after - before) / before
        low_old, high_old = grid.box(table, old, column)
        low_new, high_new = grid.box(table, new, column)
        low = 100 * (low_new - high_old) / high_old
        high = 100 * (high_new - low_old) / low_old
        how = whole_percent(found, claimed)
        verdict: Verdict = "supported" if how else "contradicted"
        if not how and low <= claimed <= high:
            verdict, how = "partly-supported", "within the rounding of the cells"
        return Outcome(
            verdict,
            f"{after:.2f} against {before:.2f} is {found:+.1f} % (rounding allows {low:.1f} to "
            f"{high:.1f}); stated is {claimed} %{f', {how}' if how else ''}.",
            {"found_percent": found, "low_percent": low, "high_percent": high, "claimed": claimed},
            (new, old),
            (column,),
        )

    return check


def whole_percent(found: float, claimed: int) -> str:
    """How a percentage became a whole one: "rounded", "cut off", or "" when it did not."""
    if abs(found - claimed) <= 0.5 + _EQUAL:
        return "rounded"
    return "cut off" if math.floor(found + _EQUAL) == claimed else ""


def share_verdict(found: int, total: int, claimed: int) -> tuple[Verdict, str]:
    """Verdict on "claimed per cent of the cells", and how the percentage was shortened."""
    how = whole_percent(100 * found / total, claimed)
    return ("supported" if how else "contradicted"), how


def outside_tables(why: str) -> Callable[[Grid], Outcome]:
    """A check for statements that no printed number decides."""

    def check(_: Grid) -> Outcome:
        return Outcome("not-decidable", why)

    return check

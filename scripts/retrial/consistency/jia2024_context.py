"""jia2024 section 5.3: statements about in-context examples, against Table 2."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from retrial.consistency.claims import (
    Claim,
    Outcome,
    Tally,
    always,
    compare,
    mostly,
    outside_tables,
    row_pairs,
    share_verdict,
    tally,
)
from retrial.consistency.confusion import METRICS
from retrial.consistency.finding import Numbers, Verdict
from retrial.consistency.grid import Grid, best_rows

TABLE = "table2"
SETS = ("CCPE", "MWOZ", "Redial", "SGD")
ZERO = "Zero-shot"
ALGORITHMS = ("BM25", "BERT")
FEW = tuple(f"{method}-{k}" for k in (1, 4) for method in ("Random", *ALGORITHMS))
METHODS = (ZERO, *FEW)
COLUMNS = (*METRICS, "spearman", "pearson")
_LISTED_SETS = SETS[:3]


def best_counts(grid: Grid, dataset: str, wanted: Sequence[str]) -> Tally:
    """In how many of the 14 columns the highest number of a set belongs to `wanted`.

    `higher`: only to wanted rows; `equal`: shared with another row; `lower`: not at all.
    """
    names = {f"{dataset} / {method}" for method in wanted}
    rows = [f"{dataset} / {method}" for method in METHODS]
    tops = [best_rows(grid, TABLE, rows, column) for column in COLUMNS]
    inside = sum(top <= names for top in tops)
    shared = sum(bool(top & names) and not top <= names for top in tops)
    return Tally(inside, shared, len(tops) - inside - shared)


def _algorithmic() -> tuple[str, ...]:
    return tuple(f"{method}-{k}" for method in ALGORITHMS for k in (1, 4))


def _pairs(
    sets: Sequence[str], first: Sequence[str], second: Sequence[str]
) -> list[tuple[str, str]]:
    return [(f"{d} / {a}", f"{d} / {b}") for d in sets for a in first for b in second]


def _same_k(sets: Sequence[str]) -> list[tuple[str, str]]:
    return [
        (f"{d} / {method}-{k}", f"{d} / Random-{k}")
        for d in sets
        for method in ALGORITHMS
        for k in (1, 4)
    ]


def _four_against_one(sets: Sequence[str]) -> list[tuple[str, str]]:
    return [(f"{d} / {m}-4", f"{d} / {m}-1") for d in sets for m in ("Random", *ALGORITHMS)]


def _counts(grid: Grid, sets: Sequence[str], wanted: Sequence[str]) -> tuple[list[int], Numbers]:
    counts = {d: best_counts(grid, d, wanted) for d in sets}
    held = [count.higher + count.equal for count in counts.values()]
    numbers: Numbers = {}
    for dataset, count in counts.items():
        numbers[f"{dataset}_best"] = count.higher + count.equal
        numbers[f"{dataset}_shared"] = count.equal
    return held, {**numbers, "columns": len(COLUMNS)}


def _few_shot_better(grid: Grid) -> Outcome:
    counts = {d: tally(grid, row_pairs(TABLE, _pairs([d], FEW, [ZERO]), COLUMNS)) for d in SETS}
    whole = tally(grid, row_pairs(TABLE, _pairs(SETS, FEW, [ZERO]), COLUMNS))
    sets = "; ".join(f"{d} {count.higher} of {count.total}" for d, count in counts.items())
    numbers = whole.numbers | {f"{d}_higher": count.higher for d, count in counts.items()}
    return Outcome(mostly(whole), f"Cell by cell it is {whole} ({sets}).", numbers)


def _best_in_few_shot(grid: Grid) -> Outcome:
    held, numbers = _counts(grid, _LISTED_SETS, FEW)
    verdict: Verdict = "supported" if min(held) > len(COLUMNS) / 2 else "contradicted"
    return Outcome(verdict, _per_set("Few-shot rows hold the highest", _LISTED_SETS, held), numbers)


def _mwoz_all_few_shot(grid: Grid) -> Outcome:
    count = best_counts(grid, "MWOZ", FEW)
    detail = f"Few-shot rows hold {count.higher} of {count.total} alone."
    return Outcome(always(count), detail, count.numbers)


def _algorithms_always_best(grid: Grid) -> Outcome:
    held, numbers = _counts(grid, SETS, _algorithmic())
    total = len(COLUMNS)
    verdict: Verdict = "supported" if min(held) == total else "contradicted"
    return Outcome(verdict, _per_set("BM25 or BERT rows hold the highest", SETS, held), numbers)


def _ccpe_share(grid: Grid) -> Outcome:
    count = best_counts(grid, "CCPE", _algorithmic())
    found, claimed = count.higher + count.equal, 85
    verdict, how = share_verdict(found, count.total, claimed)
    detail = (
        f"It is {found} of {count.total}, {100 * found / count.total:.1f} %; stated is "
        f"{claimed} %{f', {how}' if how else ''}."
    )
    return Outcome(verdict, detail, {**count.numbers, "claimed": claimed})


def _method_excels(sets: Sequence[str], method: str) -> Callable[[Grid], Outcome]:
    def check(grid: Grid) -> Outcome:
        held, numbers = _counts(grid, sets, [f"{method}-1", f"{method}-4"])
        ahead = True
        for place, dataset in enumerate(sets):
            rivals = [m for m in ("Random", *ALGORITHMS) if m != method]
            for rival in rivals:
                count = best_counts(grid, dataset, [f"{rival}-1", f"{rival}-4"])
                numbers[f"{dataset}_best_{rival}"] = count.higher + count.equal
                ahead &= held[place] > count.higher + count.equal
        verdict: Verdict = "supported" if ahead else "contradicted"
        return Outcome(verdict, _per_set(f"{method} rows hold the highest", sets, held), numbers)

    return check


def _sgd_zero_shot(grid: Grid) -> Outcome:
    best = best_counts(grid, "SGD", [ZERO])
    count = tally(grid, row_pairs(TABLE, _pairs(["SGD"], [ZERO], FEW), COLUMNS))
    held = best.higher + best.equal
    verdict = always(count) if held == best.total else mostly(count)
    numbers = {**count.numbers, "best_cells": held, "columns": best.total}
    detail = f"Zero-shot holds the highest in {held} of {best.total}; cell by cell it is {count}."
    return Outcome(verdict, detail, numbers)


def _per_set(what: str, sets: Sequence[str], held: Sequence[int]) -> str:
    shares = [f"{h}/{len(COLUMNS)} ({d})" for d, h in zip(sets, held, strict=True)]
    return f"{what} in {', '.join(shares)}."


def _not_higher(count: Tally) -> Verdict:
    if not count.higher:
        return "supported"
    return "partly-supported" if count.higher < count.lower else "contradicted"


def _sometimes_lower(count: Tally) -> Verdict:
    return "supported" if count.lower else "contradicted"


def _claim(name: str, statement: str, check: Callable[[Grid], Outcome]) -> Claim:
    return Claim(name, "5.3", TABLE, statement, check)


CLAIMS = (
    _claim(
        "few-shot-better",
        "Few-shot is in general better than zero-shot.",
        _few_shot_better,
    ),
    _claim(
        "best-in-few-shot",
        "In CCPE, MWOZ and ReDial the best values are mostly few-shot.",
        _best_in_few_shot,
    ),
    _claim("mwoz-all-few-shot", "In MWOZ all best values are few-shot.", _mwoz_all_few_shot),
    _claim(
        "more-is-not-always-better",
        "More examples do not always improve.",
        compare(TABLE, _four_against_one(SETS), COLUMNS, _sometimes_lower, "4-shot against 1-shot"),
    ),
    _claim(
        "redial-4-not-above-1",
        "In ReDial 4-shot does not surpass 1-shot.",
        compare(
            TABLE, _four_against_one(["Redial"]), COLUMNS, _not_higher, "4-shot against 1-shot"
        ),
    ),
    _claim("sgd-zero-shot", "In SGD zero-shot is better than few-shot.", _sgd_zero_shot),
    _claim(
        "sgd-longest",
        "SGD dialogues have more turns than those of the other sets.",
        outside_tables("No table prints the turns; the dialogues themselves decide it."),
    ),
    _claim(
        "algorithm-beats-random",
        "Choosing examples with BM25 or BERT is better than choosing them at random.",
        compare(TABLE, _same_k(SETS), COLUMNS, mostly, "BM25 or BERT against random, same count"),
    ),
    _claim(
        "algorithms-always-best",
        "BM25 and BERT are consistently best on all sets.",
        _algorithms_always_best,
    ),
    _claim(
        "ccpe-85-percent",
        "In CCPE 85 % of the highest values come from BM25 or BERT.",
        _ccpe_share,
    ),
    _claim("bm25-excels", "In CCPE and MWOZ BM25 is best.", _method_excels(SETS[:2], "BM25")),
    _claim("bert-excels", "In ReDial BERT is best.", _method_excels(SETS[2:3], "BERT")),
)

"""jia2024 sections 5.4 and 5.5: statements about tuning (Table 3) and the order of reasons (4)."""

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
    relative_gain,
    row_pairs,
    share_verdict,
    tally,
)
from retrial.consistency.confusion import METRICS
from retrial.consistency.finding import Numbers, Verdict
from retrial.consistency.grid import Grid, best_rows

CORRELATIONS = ("spearman", "pearson")
BASES = ("Alpaca-7b", "Llama-7b", "Llama-13b", "Falcon-40b-instruct")
SCORES = ("precision", "recall", "f1", "f1_micro")
TABLE3_COLUMNS = (*CORRELATIONS, *SCORES)
_SMALL, _LARGE = "-sft-small", "-sft-large"


def _tuned(suffixes: Sequence[str]) -> list[tuple[str, str]]:
    return [(base + suffix, base) for base in BASES for suffix in suffixes]


def _larger_set() -> list[tuple[str, str]]:
    return [(base + _LARGE, base + _SMALL) for base in BASES]


def _best_is_large(grid: Grid) -> Outcome:
    alone = shared = 0
    for base in BASES:
        for column in CORRELATIONS:
            top = best_rows(grid, "table3", [base, base + _SMALL, base + _LARGE], column)
            alone += top == {base + _LARGE}
            shared += len(top) > 1 and base + _LARGE in top
    count = Tally(alone, shared, len(BASES) * len(CORRELATIONS) - alone - shared)
    detail = f"The model tuned on the large set is highest alone in {alone} of {count.total}"
    return Outcome(always(count), f"{detail}, level in {shared}.", count.numbers)


def _small_better_micro(grid: Grid) -> Outcome:
    pairs = [(small, large) for large, small in _larger_set()]
    count = tally(grid, row_pairs("table3", pairs, ["f1_micro"]))
    llama = tally(grid, row_pairs("table3", pairs[1:3], ["f1_micro"]))
    verdict: Verdict = "supported" if llama.higher == llama.total else "contradicted"
    detail = f"Small against large set: {count}; in the Llama series {llama}."
    return Outcome(verdict, detail, {**count.numbers, "llama_higher": llama.higher})


def _all_defects(grid: Grid) -> Outcome:
    rows = ("Llama-7b", "Llama-13b")
    printed = {(r, c): grid.cell("table3", r, c).printed for r in rows for c in SCORES}
    fits = all(printed[r, "recall"] == "1.00" and printed[r, "precision"] == "0.67" for r in rows)
    micro = " and ".join(printed[r, "f1_micro"] for r in rows)
    verdict: Verdict = "supported" if fits else "contradicted"
    detail = (
        "Recall 1.00 and precision 0.67 are those of the constant prediction. Its binary accuracy "
        f"would be 0.67 (0.33 with the classes exchanged); printed F1-micro is {micro}."
    )
    return Outcome(verdict, detail, {}, rows, SCORES)


def _analysis_first(claimed: int) -> Callable[[Grid], Outcome]:
    columns = (*METRICS, *CORRELATIONS)

    def check(grid: Grid) -> Outcome:
        cells = {
            c: tally(grid, row_pairs("table4", [("Analysis-first", "Rating-first")], [c]))
            for c in columns
        }
        won = sum(count.higher for count in cells.values())
        lost = tuple(c for c, count in cells.items() if count.lower)
        verdict, how = share_verdict(won, len(columns), claimed)
        detail = (
            f"It is {won} of {len(columns)}, {100 * won / len(columns):.1f} %"
            f"{f' ({how})' if how else ''}; lower in {', '.join(lost) or 'none'}."
        )
        numbers: Numbers = {
            "higher": won,
            "lower": len(lost),
            "columns": len(columns),
            "claimed": claimed,
        }
        return Outcome(verdict, detail, numbers, ("Analysis-first", "Rating-first"), columns)

    return check


_ORDER = [("Analysis-first", "Rating-first")]

TUNING_CLAIMS = (
    Claim(
        "tuning-raises-correlations",
        "5.4",
        "table3",
        "Tuning improves Spearman and Pearson in every model.",
        compare("table3", _tuned([_SMALL, _LARGE]), CORRELATIONS, always, "Tuned against base"),
    ),
    Claim(
        "tuning-raises-all",
        "5.4",
        "table3",
        "Tuning improves consistently on the original model.",
        compare("table3", _tuned([_SMALL, _LARGE]), TABLE3_COLUMNS, always, "Tuned against base"),
    ),
    Claim(
        "falcon-48-percent",
        "5.4",
        "table3",
        "Falcon-40b-instruct gains 48 % from tuning on the large set.",
        relative_gain(
            "table3", "Falcon-40b-instruct-sft-large", "Falcon-40b-instruct", "spearman", 48
        ),
    ),
    Claim(
        "tuning-raises-micro",
        "5.4",
        "table3",
        "Tuning generally improves F1-micro.",
        compare("table3", _tuned([_SMALL, _LARGE]), ["f1_micro"], mostly, "Tuned against base"),
    ),
    Claim(
        "llama-7b-75-percent",
        "5.4",
        "table3",
        "Llama-7b gains 75 % in F1-micro from tuning on the small set.",
        relative_gain("table3", "Llama-7b-sft-small", "Llama-7b", "f1_micro", 75),
    ),
    Claim(
        "larger-set-better",
        "5.4",
        "table3",
        "A larger training set can improve overall performance.",
        compare("table3", _larger_set(), TABLE3_COLUMNS, mostly, "Large against small set"),
    ),
    Claim(
        "best-correlation-large-set",
        "5.4",
        "table3",
        "The highest correlations are always those of the large set.",
        _best_is_large,
    ),
    Claim(
        "small-set-better-micro",
        "5.4",
        "table3",
        "The small set sometimes gives a higher F1-micro, as in the Llama series.",
        _small_better_micro,
    ),
    Claim(
        "llama-13b-15-percent",
        "5.4",
        "table3",
        "Llama-13b tuned on the small set is 15 % above the large set in F1-micro.",
        relative_gain("table3", "Llama-13b-sft-small", "Llama-13b-sft-large", "f1_micro", 15),
    ),
    Claim(
        "llama-all-defect",
        "5.4",
        "table3",
        "Llama-7b and Llama-13b call every item a defect: recall 1.0, precision 0.67.",
        _all_defects,
    ),
)

ORDER_CLAIMS = (
    Claim(
        "analysis-first-consistent",
        "5.5",
        "table4",
        "Analysis-first improves consistently on rating-first.",
        compare("table4", _ORDER, (*METRICS, *CORRELATIONS), always, "Analysis-first"),
    ),
    Claim(
        "analysis-first-85-percent",
        "5.5",
        "table4",
        "Analysis-first is better in 85 % of the metrics.",
        _analysis_first(85),
    ),
    Claim(
        "analysis-first-aligned",
        "5.5",
        "table4",
        "With analysis-first the ratings agree with the reasons, with rating-first not always.",
        outside_tables("No table prints how often ratings and reasons agree."),
    ),
)

CLAIMS = (*TUNING_CLAIMS, *ORDER_CLAIMS)

"""What recovered confusion matrices say about chance: constant predictor, dependence, averaging."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from retrial.consistency.confusion import METRICS, TOLERANCE, Ints, Matrix, metric_matrix
from retrial.consistency.finding import Finding, Numbers, Verdict

LEVEL = 0.05


@dataclass(frozen=True)
class RowChance:
    """Statistics of one confusion matrix; p values are uncorrected.

    `p_majority`: one-sided exact binomial test of accuracy against the majority class's share.
    `kappa`: Cohen's kappa of prediction and label. `p_fisher`: two-sided Fisher test of their
    independence.
    """

    accuracy: float
    majority: float
    p_majority: float
    kappa: float
    p_fisher: float

    @property
    def beats_majority(self) -> bool:
        """Whether accuracy is above the majority class's share (a tie is not)."""
        return self.accuracy > self.majority + TOLERANCE


def row_chance(matrix: Matrix) -> RowChance:
    """Statistics of one confusion matrix; kappa is NaN when chance agreement is 1."""
    from scipy.stats import binomtest, fisher_exact

    m, n = matrix, matrix.n
    right = m.tp + m.tn
    majority = max(m.defects, n - m.defects) / n
    by_chance = (m.defects * (m.tp + m.fp) + (n - m.defects) * (m.fn + m.tn)) / n**2
    kappa = float("nan") if by_chance == 1 else (right / n - by_chance) / (1 - by_chance)
    return RowChance(
        right / n,
        majority,
        float(binomtest(right, n, majority, alternative="greater").pvalue),
        kappa,
        float(fisher_exact(np.array([[m.tp, m.fn], [m.fp, m.tn]]))[1]),
    )


def chance_findings(table: str, matrices: Mapping[str, Matrix]) -> list[Finding]:
    """One finding per row against the constant predictor, and two that sum them up.

    Per row the verdict is on "better than always answering the majority class": "supported"
    (p < .05), "not-decidable" (above it, but not significantly) or "contradicted".
    """
    results = {row: row_chance(matrix) for row, matrix in matrices.items()}
    findings = [_row_finding(table, row, result) for row, result in results.items()]
    return [*findings, _majority_summary(table, results), _dependence_summary(table, results)]


def _row_finding(table: str, row: str, result: RowChance) -> Finding:
    verdict: Verdict = "contradicted"
    if result.beats_majority:
        verdict = "supported" if result.p_majority < LEVEL else "not-decidable"
    numbers: Numbers = {
        "accuracy": result.accuracy,
        "majority_share": result.majority,
        "p_majority": result.p_majority,
        "kappa": result.kappa,
        "p_fisher": result.p_fisher,
    }
    detail = (
        f"Accuracy {result.accuracy:.2f} against {result.majority:.2f} for the constant "
        f"predictor (binomial p = {result.p_majority:.3f}); kappa {result.kappa:.3f}."
    )
    return Finding("better-than-constant", table, (row,), (), verdict, detail, numbers)


def _majority_summary(table: str, results: Mapping[str, RowChance]) -> Finding:
    above = tuple(row for row, r in results.items() if r.beats_majority)
    sure = [row for row in above if results[row].p_majority < LEVEL]
    detail = (
        f"{len(above)} of {len(results)} rows beat the constant predictor in accuracy, "
        f"{len(sure)} of them at p < {LEVEL} (uncorrected){': ' if sure else ''}{', '.join(sure)}."
    )
    verdict: Verdict = "suspicious" if len(above) < len(results) / 2 else "supported"
    numbers: Numbers = {"rows": len(results), "above": len(above), "significant": len(sure)}
    return Finding("better-than-constant", table, above, (), verdict, detail, numbers)


def _dependence_summary(table: str, results: Mapping[str, RowChance]) -> Finding:
    dependent = tuple(row for row, r in results.items() if r.p_fisher < LEVEL)
    wrong = [row for row in dependent if results[row].kappa < 0]
    negative = sum(r.kappa < 0 for r in results.values())
    detail = (
        f"Prediction and label are dependent (Fisher p < {LEVEL}, uncorrected) in "
        f"{len(dependent)} of {len(results)} rows, in the wrong direction in {len(wrong)}"
        f"{': ' if wrong else ''}{', '.join(wrong)}. Kappa is negative in {negative} rows."
    )
    verdict: Verdict = "suspicious" if len(dependent) < len(results) / 2 else "supported"
    numbers: Numbers = {
        "rows": len(results),
        "dependent": len(dependent),
        "wrong_direction": len(wrong),
        "negative_kappa": negative,
    }
    return Finding("dependence", table, dependent, (), verdict, detail, numbers)


def averaged_fit_probability(
    matrix: Matrix,
    *,
    runs: int = 3,
    draws: int = 20_000,
    decimals: int = 2,
    spread: float = 1.0,
    seed: int = 0,
) -> float:
    """Chance that metrics averaged over several different runs look like those of one run.

    Each run draws its true positives and false positives from binomials with the row's own
    rates; `spread` scales their deviation from the mean, rounded to whole items. The twelve
    metrics are averaged over the runs and rounded to `decimals`; the result is the share of
    draws in which one integer matrix of the same size prints as that average.
    """
    rng = np.random.default_rng(seed)
    defects, sound = matrix.defects, matrix.n - matrix.defects
    tp = _runs(rng, matrix.tp, defects, (draws, runs), spread)
    fp = _runs(rng, matrix.fp, sound, (draws, runs), spread)
    mean = metric_matrix(tp, defects - tp, fp, sound - fp).mean(axis=1)
    printed = np.round(mean, decimals)
    half = 0.5 * 10.0**-decimals + TOLERANCE
    fits = np.zeros(draws, dtype=bool)
    # Two neighbours on either side hold every count whose recall prints alike below n = 400.
    centre_tp = np.rint(mean[:, METRICS.index("defect_recall")] * defects).astype(np.int64)
    centre_tn = np.rint(mean[:, METRICS.index("nondefect_recall")] * sound).astype(np.int64)
    for shift_tp in range(-2, 3):
        for shift_tn in range(-2, 3):
            one_tp = np.clip(centre_tp + shift_tp, 0, defects)
            one_tn = np.clip(centre_tn + shift_tn, 0, sound)
            metrics = metric_matrix(one_tp, defects - one_tp, sound - one_tn, one_tn)
            fits |= (np.abs(metrics - printed) <= half).all(axis=1)
    return float(fits.mean())


def averaging_finding(table: str, matrices: Mapping[str, Matrix]) -> Finding:
    """Whether rows that are said to be means of three runs can be that (jia2024 section 4).

    `matrices` holds the rows that each equal one confusion matrix. Numbers: the chance of such
    a fit per row under the binomial model, its range, and the product over all rows.
    """
    chances = {row: averaged_fit_probability(matrix) for row, matrix in matrices.items()}
    halved = [averaged_fit_probability(matrix, spread=0.5) for matrix in matrices.values()]
    joint = float(np.prod(list(chances.values())))
    low, high = min(chances.values()), max(chances.values())
    detail = (
        f"Each of {len(chances)} rows said to be means of three runs equals one confusion matrix. "
        f"Averaged metrics of three different runs would do so in {low:.1%} to {high:.1%} of "
        f"cases, and in all rows together with probability {joint:.1e}. They are one run, or "
        "metrics of the mean rating."
    )
    numbers: Numbers = {
        "rows": len(chances),
        "lowest": low,
        "highest": high,
        "joint": joint,
        "lowest_half_spread": min(halved),
        "highest_half_spread": max(halved),
    }
    return Finding("mean-of-runs", table, tuple(chances), METRICS, "suspicious", detail, numbers)


def _runs(
    rng: np.random.Generator, hits: int, total: int, shape: tuple[int, int], spread: float
) -> Ints:
    drawn = rng.binomial(total, hits / total if total else 0.0, shape)
    counts: Ints = np.clip(np.rint(hits + spread * (drawn - hits)), 0, total).astype(np.int64)
    return counts

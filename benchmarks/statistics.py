"""Bootstrap intervals on 100,000 ratings: Retrial against a loop over scipy and krippendorff."""

from collections.abc import Callable
from typing import Any

import krippendorff
import numpy as np
import scipy.stats

from benchmarks.rounds import Contender, Measured, measure
from retrial.metrics import Matrix, Pairs, get
from retrial.metrics.bootstrap import draw_weights, interval

RESAMPLES, SEED, LEVEL = 2000, 2024, 0.95
LOOP = "loop over scipy and krippendorff"
LOOPED = 20
"""Resamples that the loop is given; its cost is scaled up to all of them."""


CELLS, ITEMS, RATERS = 125, 200, 4
"""As many cells as a large table has, each of as many items as the studies have."""


def workloads(rounds: int, small: bool) -> list[Measured]:
    """Spearman, Kendall's tau-b and Krippendorff's alpha of every cell, with their intervals."""
    generator = np.random.default_rng(1)
    cells = [_cell(generator) for _ in range(3 if small else CELLS)]
    note = (
        f"{len(cells) * ITEMS * RATERS:,} ratings: {len(cells)} cells of {ITEMS} items and "
        f"{RATERS} raters, {RESAMPLES} resamples each; the loop is run on the first {LOOPED} of "
        "them and must give the same values"
    )
    contenders = [
        Contender("retrial", lambda: np.array([ours(*cell) for cell in cells])),
        Contender(LOOP, lambda: np.array([loop(*cell) for cell in cells]),
                  share=LOOPED / RESAMPLES),
    ]  # fmt: skip
    measured = measure("bootstrap", contenders, unit="intervals", units=3 * len(cells),
                       rounds=rounds, tolerance=1e-9, note=note)  # fmt: skip
    return [measured]


def _cell(generator: np.random.Generator) -> tuple[Pairs, Any]:
    truth = generator.normal(size=ITEMS)
    noise = generator.normal(size=(RATERS, ITEMS))
    ratings = np.clip(np.round(3 + truth + noise), 1, 5)
    judge = np.round(ratings[0] + generator.normal(size=ITEMS) / 10, 6)
    return Pairs(judge, np.round(ratings[1:].mean(axis=0), 6)), ratings


METRICS = ("spearman", "kendall-b", "alpha-interval")


def ours(pairs: Pairs, ratings: Any) -> Any:
    """The intervals are made; the first resamples' values are returned, to be compared."""
    samples = (pairs, pairs, Matrix(ratings))
    first = next(draw_weights(pairs.items, RESAMPLES, SEED))[:LOOPED]
    values = []
    for name, sample in zip(METRICS, samples, strict=True):
        metric = get(name)
        interval(metric, sample, resamples=RESAMPLES, level=LEVEL, seed=SEED)
        assert metric.weighted is not None
        values.append(metric.weighted(sample, first))
    return np.array(values)


def loop(pairs: Pairs, ratings: Any) -> Any:
    """The same resamples, each drawn out item by item and given to the libraries."""
    weights = next(draw_weights(pairs.items, RESAMPLES, SEED))[:LOOPED].astype(int)
    libraries: tuple[Callable[[Any], float], ...] = (
        lambda rows: float(scipy.stats.spearmanr(pairs.first[rows], pairs.second[rows]).statistic),
        lambda rows: float(scipy.stats.kendalltau(pairs.first[rows], pairs.second[rows]).statistic),
        lambda rows: float(krippendorff.alpha(ratings[:, rows], level_of_measurement="interval")),
    )
    drawn = [np.repeat(np.arange(pairs.items), row) for row in weights]
    return np.array([[library(rows) for rows in drawn] for library in libraries])

"""The best documents for each query, given a way to score a block of queries."""

from collections import defaultdict
from collections.abc import Callable

import numpy as np

from retrial.errors import RetrialError
from retrial.examples.base import Documents, Floats, Integers, SelectorSpec

BLOCK_CELLS = 4_000_000
"""Scores held at once (32 MB): what bounds the memory, however many the queries."""


def best(
    pool: Documents,
    queries: Documents,
    spec: SelectorSpec,
    score: Callable[[slice], Floats],
    decimals: int,
) -> tuple[Integers, Floats]:
    """Indices into the pool and scores, both (1, queries, count), best first.

    `score(block)` gives the scores (block, pool) of some queries. Scores are rounded to
    `decimals`, which should lie above the arithmetic's noise, so that equal ones tie on every
    machine; ties go to the smaller id (the pool is sorted by id). Copies of a query are
    passed over. Raises RetrialError where fewer than `spec.count` are left.
    """
    if spec.replicates != 1:
        raise RetrialError(
            f"examples: selector {spec.id}: replicates is {spec.replicates}, and {spec.method} "
            "chooses the same examples each time; leave it at 1"
        )
    copies = _copies(pool)
    step = max(1, BLOCK_CELLS // len(pool.ids))
    indices = np.empty((1, len(queries.ids), spec.count), dtype=np.int64)
    scores = np.empty(indices.shape)
    for start in range(0, len(queries.ids), step):
        block = slice(start, start + step)
        found = np.round(score(block), decimals)
        for row, folded in zip(found, queries.folded[block], strict=True):
            same = copies.get(folded, [])
            _check_enough(pool, spec, len(same))
            row[same] = -np.inf
        order = np.argsort(-found, axis=1, kind="stable")[:, : spec.count]
        indices[0, block] = order
        scores[0, block] = np.take_along_axis(found, order, axis=1)
    return indices, scores


def _copies(pool: Documents) -> dict[str, list[int]]:
    """The pool's documents by folded text."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for i, folded in enumerate(pool.folded):
        places[folded].append(i)
    return dict(places)


def _check_enough(pool: Documents, spec: SelectorSpec, copies: int) -> None:
    left = len(pool.ids) - copies
    if left < spec.count:
        raise RetrialError(
            f"examples: selector {spec.id} wants {spec.count} and dataset {pool.dataset} has "
            f"{left} training items that are no copy of the judged one; ask for fewer"
        )

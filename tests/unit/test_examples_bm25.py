"""BM25: worked examples, the formula written out, and rank_bm25 as the judge of `okapi`."""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from retrial.errors import RetrialError
from retrial.examples import ranking
from retrial.examples.base import Documents, SelectorSpec, fold
from retrial.examples.methods import bm25

ALL = slice(None)
corpora = st.lists(
    st.lists(st.sampled_from("aabcdefg"), max_size=9).map(" ".join), min_size=1, max_size=9
)


def documents_of(texts: list[str], prefix: str = "p") -> Documents:
    ids = [f"{prefix}{i:04d}" for i in range(len(texts))]
    return Documents("toy", ids, texts, [fold(text) for text in texts])


def oracle(pool: list[str], query: str) -> npt.NDArray[np.float64]:
    judge = BM25Okapi([text.lower().split() for text in pool])
    scores: npt.NDArray[np.float64] = judge.get_scores(query.lower().split())
    return scores


def test_okapi_worked_by_hand() -> None:
    # book is in both: log(0.5 / 2.5); flight and hotel in half: 0. The mean is log(0.2) / 3.
    score = bm25.scorer(["book flight", "book hotel"], ["book", "flight", "x"], "okapi")
    low = 0.25 * math.log(0.2) / 3
    assert score(ALL) == pytest.approx(np.array([[low, low], [0, 0], [0, 0]]), abs=1e-12)


def test_smoothed_worked_by_hand() -> None:
    # both documents have the mean length, so a term that stands once counts its idf
    score = bm25.scorer(["Book flight", "book HOTEL"], ["BOOK", "flight flight", "x"])
    book, flight = math.log(1 + 0.5 / 2.5), math.log(1 + 1.5 / 1.5)
    expected = np.array([[book, book], [2 * flight, 0], [0, 0]])
    assert score(ALL) == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(corpora, corpora)
def test_smoothed_is_its_formula(pool: list[str], queries: list[str]) -> None:
    docs = [Counter(text.split()) for text in pool]
    mean = sum(d.total() for d in docs) / len(docs)

    def term(word: str, doc: Counter[str]) -> float:
        n = sum(word in d for d in docs)
        idf = math.log(1 + (len(docs) - n + 0.5) / (n + 0.5))
        return idf * doc[word] * 2.5 / (doc[word] + 1.5 * (0.25 + 0.75 * doc.total() / mean))

    expected = [
        [sum(term(w, d) for w in q.split()) if d and mean else 0.0 for d in docs] for q in queries
    ]
    found = bm25.scorer(pool, queries)(ALL)
    assert found == pytest.approx(np.array(expected), abs=1e-9)
    assert (found >= 0).all()


@settings(deadline=None)
@given(corpora.filter(lambda pool: any(pool)), corpora)
def test_okapi_equals_rank_bm25(pool: list[str], queries: list[str]) -> None:
    found = bm25.scorer(pool, queries, "okapi")(ALL)
    for row, query in zip(found, queries, strict=True):
        assert row == pytest.approx(oracle(pool, query), abs=1e-9)


def assert_ranked(
    pool: Documents, query: str, found: npt.NDArray[np.int64], scores: npt.NDArray[np.float64]
) -> None:
    """The found documents are the oracle's best, in its order, ties by id."""
    true = oracle(pool.texts, query)
    assert scores == pytest.approx(true[found], abs=1e-9)
    assert (np.diff(true[found]) <= 1e-9).all()
    allowed = np.array([folded != fold(query) for folded in pool.folded])
    allowed[found] = False
    assert not (true[allowed] > true[found[-1]] + 1e-9).any()
    for a, b, left, right in zip(found, found[1:], scores, scores[1:], strict=False):
        assert left > right or a < b  # the pool is sorted by id
    tied = np.flatnonzero(allowed & (np.round(true, 9) == scores[-1]))
    assert not (tied < found[-1]).any()


@settings(deadline=None)
@given(corpora.filter(lambda pool: any(pool)), corpora, st.integers(1, 4))
def test_ranks_equal_rank_bm25_and_ties_go_by_id(
    pool: list[str], queries: list[str], count: int
) -> None:
    documents, asked = documents_of(pool), documents_of(queries, "q")
    spec = SelectorSpec("s", "bm25", count, variant="okapi")
    left = [sum(f != own for f in documents.folded) for own in asked.folded]
    if min(left) < count:
        with pytest.raises(RetrialError, match=f"wants {count}"):
            bm25.choose(documents, asked, spec)
        return
    choices = bm25.choose(documents, asked, spec)
    assert choices.scores is not None and choices.truncated is None
    for i, query in enumerate(queries):
        assert_ranked(documents, query, choices.indices[0, i], choices.scores[0, i])


def test_nothing_shared_gives_the_smallest_ids() -> None:
    pool, asked = documents_of(["a b", "a", "c", "b c"]), documents_of(["x y"], "q")
    choices = bm25.choose(pool, asked, SelectorSpec("s", "bm25", 3))
    assert choices.indices.tolist() == [[[0, 1, 2]]]
    assert choices.scores is not None and choices.scores.tolist() == [[[0.0, 0.0, 0.0]]]


def test_empty_documents_do_not_break_the_scores() -> None:
    for variant in ("smoothed", "okapi"):
        assert bm25.scorer(["", " "], ["a"], variant)(ALL).tolist() == [[0, 0]]
        assert np.isfinite(bm25.scorer(["", "a"], ["a", ""], variant)(ALL)).all()


def test_blocks_do_not_change_the_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    texts = [" ".join(rng.choice(list("abcdefghij"), 6)) for _ in range(60)]
    pool, asked = documents_of(texts[:40]), documents_of(texts[40:], "q")
    whole = bm25.choose(pool, asked, SelectorSpec("s", "bm25", 5))
    monkeypatch.setattr(ranking, "BLOCK_CELLS", 3 * 40)
    parts = bm25.choose(pool, asked, SelectorSpec("s", "bm25", 5))
    assert (whole.indices == parts.indices).all()
    assert whole.scores is not None and parts.scores is not None
    assert (whole.scores == parts.scores).all()


def test_unknown_names_are_errors() -> None:
    pool = documents_of(["a"])
    with pytest.raises(RetrialError, match="unknown tokenizer 'bpe'; known: whitespace-lower"):
        bm25.choose(pool, pool, SelectorSpec("s", "bm25", 1, tokenizer="bpe"))
    with pytest.raises(RetrialError, match="unknown variant 'plus'; known: smoothed, okapi"):
        bm25.scorer(["a"], ["a"], "plus")


@pytest.mark.realdata
def test_okapi_equals_rank_bm25_on_real_dialogues(mirror: Path) -> None:
    from retrial.examples.base import documents
    from retrial.items.base import to_tables
    from retrial.items.readers import get_reader

    read = get_reader("uss")
    records = read([mirror / "uss" / "CCPE.txt"], source="uss", strata={}, options={})
    items: pa.Table = to_tables(records, "ccpe", test_share=0.1)[0]
    rows = items.to_pylist()
    pool = documents([r for r in rows if r["split"] == "train"], "ccpe")
    asked = documents([r for r in rows if r["split"] == "test"][:6], "ccpe")
    assert all("OVERALL" not in text for text in pool.texts)
    choices = bm25.choose(pool, asked, SelectorSpec("s", "bm25", 4, variant="okapi"))
    assert choices.scores is not None
    for i, query in enumerate(asked.texts):
        assert_ranked(pool, query, choices.indices[0, i], choices.scores[0, i])

"""How much the answers about a recorded story resemble each released story (chiang2023)."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from retrial.errors import RetrialError

FloatArray = NDArray[np.float64]
Rows = Mapping[str, Sequence[Mapping[str, Any]]]

TFIDF: Mapping[str, Any] = {"sublinear_tf": True}
"""Settings of the vectoriser. Counts enter by their logarithm: answers repeat stock phrases."""

DECIMALS = 9
"""Similarities are rounded, so that the last bits of another machine can't change the order."""


@dataclass(frozen=True, eq=False)
class Side:
    """One writer's recorded items, by position, and released items, by id.

    `similarity`, shape (recorded, released): cosine of tf-idf vectors, 0-1. `prompts` are
    those of the released items.
    """

    recorded: list[str]
    released: list[str]
    prompts: list[str]
    similarity: FloatArray


def compare(
    recorded: pa.Table,
    texts: Mapping[str, str],
    released: pa.Table,
    settings: Mapping[str, Any] = TFIDF,
) -> dict[str, Side]:
    """The side of every writer, in the order of their names.

    `texts`: all that was answered about a recorded item, by its id. Raises RetrialError when
    the tables differ in their writers, positions or numbers of stories, or when the answers
    have hardly a word in common with the stories.
    """
    left = _by_writer(recorded, _position)
    right = _by_writer(released, lambda row: str(row["item_id"]))
    _check_counts(left, right)
    vectors = _vectors(left, right, texts, settings)
    return {writer: _side(writer, left, right, vectors[writer]) for writer in left}


def texts_by_item(prompts: pa.Table, answers: pa.Table) -> dict[str, str]:
    """All answers about an item as one text, by item id; tables by contract."""
    ids = (prompts[name].to_pylist() for name in ("prompt_id", "item_id"))
    item_of = dict(zip(*ids, strict=True))
    found: dict[str, list[str]] = defaultdict(list)
    columns = (answers[name].to_pylist() for name in ("prompt_id", "text"))
    for prompt_id, text in zip(*columns, strict=True):
        if prompt_id not in item_of:
            raise RetrialError(
                f"story order: the prompt {prompt_id} of an answer is not among the prompts; "
                "give the prompts of all files whose answers are given"
            )
        found[item_of[prompt_id]].append(text or "")
    return {item_id: "\n".join(parts) for item_id, parts in found.items()}


def _side(writer: str, left: Rows, right: Rows, vectors: tuple[Any, Any]) -> Side:
    answers, stories = vectors
    similarity = np.round((answers @ stories.T).toarray(), DECIMALS)
    blank = int((similarity.max(axis=1) <= 0).sum())
    if 2 * blank > len(similarity):
        raise RetrialError(
            f"story order: {writer}: the answers to {blank} of {len(similarity)} stories share no "
            "word with any story (bare numbers?); link only recordings that explain their ratings"
        )
    return Side(
        [row["item_id"] for row in left[writer]],
        [row["item_id"] for row in right[writer]],
        [row["context"] for row in right[writer]],
        similarity,
    )


def _position(row: Mapping[str, Any]) -> int:
    position = dict(row["strata"]).get("position", "")
    if not position.isdecimal():
        raise RetrialError(
            f"story order: the recorded item {row['item_id']} has no position in its strata; "
            "give the items of one recording family"
        )
    return int(position)


def _by_writer(
    items: pa.Table, order: Callable[[Mapping[str, Any]], str | int]
) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in items.to_pylist():
        found[dict(row["strata"]).get("writer", "")].append(row)
    return {writer: sorted(found[writer], key=order) for writer in sorted(found)}


def _check_counts(left: Rows, right: Rows) -> None:
    counts = [{writer: len(rows) for writer, rows in side.items()} for side in (left, right)]
    if counts[0] != counts[1] or not left:
        raise RetrialError(
            f"story order: stories by writer are {counts[0]} recorded and {counts[1]} released; "
            "give the items of one recording family and of the stories that it judged"
        )
    positions = {tuple(_position(row) for row in rows) for rows in left.values()}
    if len(positions) > 1 or any(len(set(p)) < len(p) for p in positions):
        raise RetrialError(
            "story order: the recorded items of the writers don't stand at the same positions, "
            "once each; give the items of one recording family"
        )


def _vectors(
    left: Rows, right: Rows, texts: Mapping[str, str], settings: Mapping[str, Any]
) -> dict[str, tuple[Any, Any]]:
    """Sparse tf-idf rows of answers and of stories, by writer; one vocabulary for all."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    answers = {w: [texts.get(row["item_id"], "") for row in rows] for w, rows in left.items()}
    stories = {
        w: [f"{row['context'] or ''}\n{row['text']}" for row in rows] for w, rows in right.items()
    }
    documents = [text for side in (answers, stories) for part in side.values() for text in part]
    vectoriser = TfidfVectorizer(**settings).fit(documents)
    return {w: (vectoriser.transform(answers[w]), vectoriser.transform(stories[w])) for w in left}

"""Sentence embeddings of items: computed once, for every selector that compares by them.

The encoder reads a window of tokens and drops what lies beyond, so most dialogues are cut by a
window of 256 tokens; which ones is counted and recorded.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from retrial.errors import RetrialError
from retrial.examples.base import Flags, Integers, documents
from retrial.progress import progress
from retrial.record import EMBEDDINGS, check

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from torch.nn import Module

LAYOUT = "modules.json"
LOADING = {"dtype": "float32"}


@dataclass(frozen=True)
class Embeddings:
    """Unit vectors (texts, dimensions) in float32, and which texts the window cut."""

    vectors: npt.NDArray[np.float32]
    truncated: Flags


def embed_items(items: pa.Table, folder: Path, batch_size: int = 32) -> pa.Table:
    """The embeddings of a dataset's items by the encoder in `folder`, in their contract."""
    rows = items.select(("item_id", "turns", "text")).to_pylist()
    texts = documents(rows, "")
    found = embed(load_encoder(folder), texts.texts, batch_size)
    width = found.vectors.shape[1]
    flat = pa.array(found.vectors.ravel(), pa.float32())
    offsets = pa.array(np.arange(len(texts.ids) + 1, dtype=np.int32) * width)
    columns = {
        "item_id": pa.array(texts.ids, pa.string()),
        "vector": pa.ListArray.from_arrays(offsets, flat),
        "truncated": pa.array(found.truncated, pa.bool_()),
    }
    return check(pa.table(columns), EMBEDDINGS, "embeddings")


def load_encoder(folder: Path, device: str | None = None) -> "SentenceTransformer":
    """The encoder in a local folder: never from the network.

    A folder with `modules.json` is loaded as its authors set it up. Any other is taken for a
    plain transformer, whose last hidden states are averaged over the text's tokens, with the
    longest window that the model has. Raises RetrialError for a folder without a model.
    """
    if not (folder / "config.json").is_file() and not (folder / LAYOUT).is_file():
        raise RetrialError(f"{folder}: holds no model (no config.json); prepare the model first")
    from sentence_transformers import SentenceTransformer

    try:
        if (folder / LAYOUT).is_file():
            return SentenceTransformer(
                str(folder), device=device, local_files_only=True, model_kwargs=dict(LOADING)
            )
        return SentenceTransformer(modules=_mean_pooling(folder), device=device)
    except (OSError, ValueError, RuntimeError) as error:
        raise RetrialError(f"{folder}: the encoder can't be loaded: {error}") from error


def _mean_pooling(folder: Path) -> "list[Module]":
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    local = {"local_files_only": True}
    transformer = Transformer(
        str(folder), model_kwargs={**LOADING, **local}, processor_kwargs=local, config_kwargs=local
    )
    return [transformer, Pooling(transformer.get_embedding_dimension(), "mean")]


def embed(model: "SentenceTransformer", texts: list[str], batch_size: int = 32) -> Embeddings:
    """The embeddings of the texts, in order.

    Texts of like length share a batch. The batch size moves a vector by rounding only (less
    than 1e-5).
    """
    counts = token_counts(model, texts)
    window = model.max_seq_length or np.iinfo(np.int64).max
    order = np.argsort(np.minimum(counts, window), kind="stable")[::-1]  # longest first
    vectors = np.empty((len(texts), model.get_embedding_dimension() or 0), dtype=np.float32)
    with progress("embedding", len(texts), "texts") as advance:
        for start in range(0, len(texts), batch_size):
            batch = order[start : start + batch_size]
            vectors[batch] = model.encode(
                [texts[i] for i in batch],
                batch_size=batch_size,
                normalize_embeddings=True,
                show_progress_bar=False,
            )
            advance(len(batch))
    return Embeddings(vectors, counts > window)


def token_counts(model: "SentenceTransformer", texts: list[str]) -> Integers:
    """Tokens of each whole text, with the special tokens that the encoder adds."""
    if not texts:
        return np.zeros(0, dtype=np.int64)
    found = model.tokenizer(texts, truncation=False, padding=False, verbose=False)
    return np.array([len(ids) for ids in found["input_ids"]], dtype=np.int64)

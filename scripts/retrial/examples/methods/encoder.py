"""Training dialogues ranked by the cosine of their sentence embeddings (jia2024, Table 2)."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from retrial.errors import RetrialError
from retrial.examples.base import Choices, Documents, Flags, Floats, SelectorSpec
from retrial.examples.ranking import best

DECIMALS = 6


def choose(pool: Documents, queries: Documents, spec: SelectorSpec) -> Choices:
    """The documents of the pool with the highest cosine (rounded to 6 decimals).

    `truncated` tells whether the encoder cut the query or the document.
    """
    if spec.embeddings is None:
        raise RetrialError(f"examples: selector {spec.id}: the encoder method needs embeddings")
    texts, cut = _rows(spec.embeddings, pool.ids)
    asked, asked_cut = _rows(spec.embeddings, queries.ids)

    def score(block: slice) -> Floats:
        return (asked[block] @ texts.T).astype(np.float64)

    indices, scores = best(pool, queries, spec, score, DECIMALS)
    return Choices(indices, scores, cut[indices] | asked_cut[None, :, None])


def _rows(embeddings: pa.Table, ids: Sequence[str]) -> tuple[npt.NDArray[np.float32], Flags]:
    """The vectors (ids, dimensions) of these items, and which the encoder's window cut."""
    places = pc.index_in(pa.array(ids, pa.string()), value_set=embeddings["item_id"])
    if places.null_count:
        raise RetrialError(f"embeddings: {places.null_count} items have none; make them again")
    chosen = embeddings.take(places)
    flat = pc.list_flatten(chosen["vector"]).to_numpy()
    vectors = flat.reshape(len(ids), -1) if len(ids) else flat.reshape(0, 0)
    return vectors, chosen["truncated"].to_numpy()

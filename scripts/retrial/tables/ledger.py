"""Ledger cells: how the answers behind a row came to be. Counts, so without intervals."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from retrial.digest import canonical_json
from retrial.tables.declare import CellSpec, Ledger
from retrial.tables.select import Results, Selected


def count(spec: CellSpec, ledger: Ledger, results: Results) -> dict[str, Any]:
    """The fields of a ledger cell. An empty selection gives no value, with a reason."""
    selected = results.select(ledger.judge)
    asked = _behind(selected, results.answers(ledger.answers))
    value = COUNTS[spec.metric](selected, asked) if selected.rows.num_rows else None
    return {
        "kind": "ledger",
        "parameters": canonical_json(dict(spec.parameters)),
        "selections": [selected.record()],
        "excluded": sorted(selected.excluded.items()),
        "n": selected.rows.num_rows,
        "value": value,
        "reason": None if value is not None else "no answers",
    }


def _behind(selected: Selected, answers: pa.Table) -> pa.Table:
    """The answer behind each rating, one row a rating; other prompts may share its request."""
    requests = answers["request_id"].combine_chunks()
    places = pc.index_in(selected.rows["request_id"], value_set=requests)
    return answers.take(places.drop_null())


def items_scored(selected: Selected, asked: pa.Table) -> float:
    """How many items have a score."""
    return float(len(set(selected.used["item_id"].to_pylist())))


def prompts_cut(selected: Selected, asked: pa.Table) -> float | None:
    """Share of prompts that lost turns or examples to the context length."""
    return float(np.mean(asked["turns_dropped"].to_numpy() > 0)) if asked.num_rows else None


def items_cut(selected: Selected, asked: pa.Table) -> float | None:
    """Share of prompts that lost turns of the judged item itself."""
    return float(np.mean(asked["item_turns_dropped"].to_numpy() > 0)) if asked.num_rows else None


def rating_mass(selected: Selected, asked: pa.Table) -> float | None:
    """Mean probability on the rating tokens."""
    mass = selected.rows["rating_mass"].drop_null().to_numpy()
    return float(mass.mean()) if mass.size else None


COUNTS: dict[str, Callable[[Selected, pa.Table], float | None]] = {
    "items-scored": items_scored,
    "prompts-cut": prompts_cut,
    "items-cut": items_cut,
    "rating-mass": rating_mass,
}

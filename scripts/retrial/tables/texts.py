"""Cells that hold no number: texts, written-out ratings, and what is not at hand."""

from typing import Any

from retrial.links.join import join_items
from retrial.tables.arms import Decided, Evidence, Held
from retrial.tables.claims import held
from retrial.tables.declare import (
    Holm,
    ItemText,
    Listing,
    NotAtHand,
    ParseExample,
    Stated,
    StatusCount,
)
from retrial.tables.parse_ledger import parsed
from retrial.tables.select import Results, Selected

EMPTY: dict[str, Any] = {
    "kind": "published",
    "metric": None,
    "parameters": "{}",
    "selections": [],
    "excluded": [],
    "n": 0,
}


Written = (
    Listing
    | ItemText
    | Stated
    | NotAtHand
    | StatusCount
    | ParseExample
    | Holm
    | Held
    | Evidence
    | Decided
)
"""Samples of cells that no metric is applied to."""


def write(spec: Written, results: Results) -> dict[str, Any]:
    """The fields of a cell without a measured number. What rests on other cells
    or on print is filled in later."""
    if isinstance(spec, StatusCount | ParseExample):
        return {**EMPTY, "kind": "ledger", **parsed(spec, results)}
    if isinstance(spec, Held):
        return {**EMPTY, "kind": "ledger", **held(spec, results)}
    if isinstance(spec, NotAtHand):
        return {**EMPTY, "reason": spec.reason}
    if isinstance(spec, Stated):
        fields = {**EMPTY, "kind": "ledger"}
        return {**fields, "value_text": spec.text or None, "reason": spec.reason or None}
    if isinstance(spec, ItemText):
        return _item_text(spec, results)
    if isinstance(spec, Listing):
        return _listing(spec, results)
    return dict(EMPTY)


def _item_text(spec: ItemText, results: Results) -> dict[str, Any]:
    found = results.items(spec.items, dict(spec.strata))
    fields = {**EMPTY, "kind": "ledger"}
    if len(found) != 1:
        return {**fields, "reason": f"{len(found)} items match {dict(spec.strata)}"}
    return {**fields, "n": 1, "value_text": found[0][spec.field]}


def listed_ratings(spec: Listing, results: Results) -> Selected:
    """The ratings that a listing writes out."""
    wanted = results.select(spec.released).item_ids
    selected = results.select(spec.ratings)
    if spec.links is not None:
        joined = join_items(selected.item_ids, wanted, results.links(spec.links))
        wanted = [selected.item_ids[i] for i in joined.left]
    return selected.within(wanted)


def _listing(spec: Listing, results: Results) -> dict[str, Any]:
    chosen = listed_ratings(spec, results)
    fields = {**EMPTY, "kind": "ledger", "selections": [chosen.record()]}
    fields["excluded"] = sorted(chosen.excluded.items())
    if not chosen.rows.num_rows:
        return {**fields, "reason": "no rating of this item"}
    return {**fields, "n": chosen.used.num_rows, "value_text": _written(chosen)}


def _written(selected: Selected) -> str:
    """The ratings in the order of rater and sample; a dash for one that is missing."""
    ordered = selected.rows.sort_by([("rater", "ascending"), ("sample", "ascending")])
    scores = ordered["score"].to_pylist()
    return ", ".join("\N{EN DASH}" if score is None else f"{score:g}" for score in scores)

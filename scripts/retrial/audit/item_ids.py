"""The id and the place of one item, recomputed alone."""

from collections.abc import Mapping
from typing import Any

from retrial.audit.stage_items import CONTENT
from retrial.digest import content_id
from retrial.judging.recordings.chiang2023 import recorded_item_id

ORDINALS = 64
"""How many equal records of one dataset are tried when an id is recomputed alone."""


def item_fault(item: Mapping[str, Any]) -> str:
    """Why an item is not the one of its id; empty when it is."""
    content = {name: item[name] for name in CONTENT if item[name] is not None}
    content |= {"kind": item["kind"], "subset": dict(item["strata"]).get("subset")}
    ids = (content_id({**content, "ordinal": ordinal}) for ordinal in range(ORDINALS))
    return "" if item["item_id"] in ids else "is not the digest of its content"


def recorded_item_fault(item: Mapping[str, Any]) -> str:
    """Why a recording's item is not the one of its place in the files; empty when it is."""
    strata = dict(item["strata"])
    position = int(strata["position"])
    if recorded_item_id(item["dataset"], strata["writer"], position) != item["item_id"]:
        return "is not the digest of its place"
    stated = {"split": "all", "kind": "story", "source_line": position + 1}
    stated |= dict.fromkeys(CONTENT)
    other = [name for name, value in stated.items() if item[name] != value]
    return f"has another {other[0]} than its place in the recording" if other else ""

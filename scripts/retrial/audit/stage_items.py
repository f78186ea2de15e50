"""Items and people's ratings: ids from content, and both again from the sources."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from retrial.audit.compare import differences, told
from retrial.audit.digests import NOT_HERE
from retrial.audit.stage import Stage
from retrial.audit.states import Link
from retrial.digest import content_id
from retrial.record import ITEMS, RATINGS

CONTENT = ("turns", "text", "context", "pair_id", "text_b")


def recompute_items(stage: Stage) -> Iterator[Link]:
    """The ids of items; items and human ratings against the sources, where these are at hand."""
    human = stage.place.startswith("ratings/")
    contract = RATINGS if human else ITEMS
    recorded = stage.output(contract)
    if not human:
        yield from id_links(stage, recorded)
    what = "ratings read again" if human else "items read again"
    if stage.outside is None:
        yield stage.link(what, "RECORDED", f"the sources are {NOT_HERE}", checked=False)
        return
    rebuilt = stage.once(("items", stage.job["dataset"]), lambda: _read_again(stage))
    found = list(differences(recorded, rebuilt[human], contract))
    placed = recorded.select(["item_id", "source", "source_line"]).to_pylist()
    places = {row["item_id"]: f"{row['source']} line {row['source_line']}" for row in placed}
    for difference in found:
        stage.damage.add(_damaged(difference.key, human))
    yield from (
        Link(link.file, link.what, link.state, link.detail + _origin(link, places))
        for link in told(stage.place, what, found, recorded.num_rows)
    )


def _damaged(key: Mapping[str, Any], human: bool) -> tuple[str, ...]:
    if human:
        return ("human", key["item_id"], key["attribute"], key["rater"])
    return ("item", key["item_id"])


def _origin(link: Link, places: Mapping[str, str]) -> str:
    """Where in the source a broken record was read."""
    found = next((place for key, place in places.items() if key in link.what), None)
    return f" ({found})" if link.broken and found else ""


def _read_again(stage: Stage) -> tuple[pa.Table, pa.Table]:
    from retrial.config import Dataset
    from retrial.items.build import build_items

    spec = Dataset.model_validate({"label": "", **stage.job["spec"]})
    return build_items(stage.job["dataset"], spec, stage.outside or [])


def id_links(stage: Stage, items: pa.Table) -> Iterator[Link]:
    """Each id against the digest of its record."""
    rows = items.to_pylist()
    ids = item_ids(rows)
    wrong = [
        row["item_id"] for row, right in zip(rows, ids, strict=True) if row["item_id"] != right
    ]
    stage.damage.update(("item", item_id) for item_id in wrong)
    for item_id in wrong:
        yield stage.link(f"item {item_id}", "MISMATCH", "its id is not that of its content")
    if not wrong:
        yield stage.link("item ids", "VERIFIED", f"{len(rows):,} digests of content")


def item_ids(rows: list[dict[str, Any]]) -> list[str]:
    """The ids that rows of the items contract should have; equal records are numbered."""
    seen: Counter[str] = Counter()
    ids = []
    for row in rows:
        content = {name: row[name] for name in CONTENT if row[name] is not None}
        content |= {"kind": row["kind"], "subset": dict(row["strata"]).get("subset")}
        base = content_id(content)
        ids.append(content_id({**content, "ordinal": seen[base]}))
        seen[base] += 1
    return ids

"""Items as entries of a store: the texts that were judged, and where they come from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrial.record import ITEMS, LINKS
from retrial.report.store import Pool, Store, facts

if TYPE_CHECKING:
    from retrial.report.behind import Behind

Row = Mapping[str, Any]


@dataclass
class Items:
    """The items of one dataset, stored as they are first needed."""

    behind: "Behind"
    dataset: str
    store: Store
    numbers: dict[str, int] = field(default_factory=dict)

    @cached_property
    def by_id(self) -> dict[str, dict[str, Any]]:
        """Every item of the dataset."""
        rows = self.behind.rows(f"items/{self.dataset}.parquet", ITEMS)
        return {row["item_id"]: row for row in rows}

    @cached_property
    def links(self) -> dict[str, dict[str, Any]]:
        """For a recording's items: the released item each is taken for."""
        file = f"links/{self.dataset}.parquet"
        if not (self.behind.root / file).is_file():
            return {}
        return {row["recorded_item_id"]: row for row in self.behind.rows(file, LINKS)}

    @cached_property
    def released(self) -> "Items | None":
        """The items that the links lead to."""
        if not self.links:
            return None
        inputs = self.behind.sidecar(f"links/{self.dataset}.parquet").inputs_in("items")
        names = [Path(path).stem for path in inputs if Path(path).stem != self.dataset]
        return self.behind.items(names[0]) if names else None

    def number(self, item_id: str) -> int | None:
        """The number of an item in the store; None for an item that the dataset lacks."""
        self.load()
        return self.numbers.get(item_id)

    def load(self) -> None:
        """Store every item of the dataset, once."""
        if self.numbers:
            return
        order = sorted(self.by_id.values(), key=lambda i: (i["source"], i["source_line"]))
        for item in order:
            self.numbers[item["item_id"]] = self.store.add(partial(self._entry, item=item))
        self.store.close()

    def label(self, item_id: str) -> str:
        """A short name of an item: what tables group it by, and its place in its source."""
        item = self.by_id.get(item_id)
        if item is None:
            return item_id[:8]
        strata = dict(item["strata"])
        known = [v for k, v in sorted(strata.items()) if k not in ("key", "id", "position")]
        return " ".join([*known, str(strata.get("key") or strata.get("id") or item["source_line"])])

    def _entry(self, pool: Pool, item: Row) -> dict[str, Any]:
        link = self.links.get(item["item_id"])
        shown = self.released.by_id.get(link["item_id"]) if link and self.released else None
        about = [
            ("item", item["item_id"]),
            ("dataset", item["dataset"]),
            ("split", item["split"]),
            *sorted(dict(item["strata"]).items()),
            ("source", f"{item['source']}, line {item['source_line']}"),
        ]
        if link is not None:
            about += [
                ("taken for", f"{link['item_id']} ({link['certainty']}, inferred from the texts)"),
                ("similarity", f"{link['score']:.3f}, {link['margin']:.3f} ahead of the next"),
            ]
        text = shown or item
        turns = [[pool.put(t["speaker"]), pool.put(t["text"])] for t in text["turns"] or []]
        return {
            "inferred": shown is not None,
            "context": pool.put(text["context"]),
            "text": pool.put(text["text"]),
            "text_b": pool.put(text["text_b"]),
            "turns": turns,
            "facts": facts(pool, about),
        }

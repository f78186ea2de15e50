"""All ratings behind one cell, each against the answer, the prompt and the item behind it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from retrial.audit.compare import differences
from retrial.audit.origins import Origins
from retrial.audit.sidecars import Sidecar
from retrial.audit.stage_items import CONTENT
from retrial.audit.stage_judging import answer_fault, prompt_fault
from retrial.audit.states import Link
from retrial.digest import content_id
from retrial.judging.recordings.chiang2023 import TEMPLATE, recorded_item_id
from retrial.record import ANSWERS, ITEMS, PROMPTS, RATINGS, Contract, read
from retrial.tables.select import Selected

SHOWN = 5
ORDINALS = 64
"""How many equal records of one dataset are tried when an id is recomputed alone."""


@dataclass(eq=False)
class Members:
    """The rows of one selection and, read by id, what stands behind them."""

    root: Path
    selected: Selected
    origins: Origins
    _kept: dict[str, pa.Table] = field(default_factory=dict)

    @property
    def file(self) -> str:
        """The ratings file."""
        return self.selected.selection.file

    @cached_property
    def sidecar(self) -> Sidecar | None:
        """How the ratings were made."""
        return self.origins.sidecar(self.file)

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The ratings, those without a score too."""
        found: list[dict[str, Any]] = self.selected.rows.to_pylist()
        return found

    @property
    def human(self) -> bool:
        """Whether people gave these ratings."""
        return self.file.startswith("ratings/human/")

    def behind(self, folder: str) -> str:
        """The answers or prompts file that the ratings were made from; empty when unknown."""
        found = self.sidecar.inputs_in(folder) if self.sidecar else []
        return found[0] if found else ""

    @cached_property
    def answers_table(self) -> pa.Table:
        """The answers behind the ratings."""
        ids = {row["request_id"] for row in self.rows}
        return self._by_id(self.behind("answers"), ANSWERS, "request_id", ids)

    @cached_property
    def answers(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Answers by request and prompt; prompts that read the same share a request."""
        return {(a["request_id"], a["prompt_id"]): a for a in self.answers_table.to_pylist()}

    @cached_property
    def prompts_table(self) -> pa.Table:
        """The prompts behind the answers."""
        ids = set(self.answers_table["prompt_id"].to_pylist())
        return self._by_id(self.behind("prompts"), PROMPTS, "prompt_id", ids)

    @cached_property
    def prompts(self) -> dict[str, dict[str, Any]]:
        """Prompts by id."""
        return {row["prompt_id"]: row for row in self.prompts_table.to_pylist()}

    @cached_property
    def items_file(self) -> str:
        """The items file of the rated items."""
        named = self.selected.selection.items
        dataset = self.rows[0]["dataset"] if self.rows else ""
        return named or f"items/{dataset}.parquet"

    @cached_property
    def items(self) -> dict[str, dict[str, Any]]:
        """The rated items by id."""
        ids = {row["item_id"] for row in self.rows}
        table = self._by_id(self.items_file, ITEMS, "item_id", ids)
        return {row["item_id"]: row for row in table.to_pylist()}

    def _by_id(self, file: str, contract: Contract, key: str, ids: Iterable[Any]) -> pa.Table:
        table = read(self.root / file, contract, [f.name for f in contract.fields])
        wanted = pa.array(sorted(i for i in ids if i is not None), pa.string())
        return table.filter(pc.is_in(table[key], value_set=wanted))

    def links(self) -> Iterator[Link]:
        """The states of all ratings, answers, prompts and items; what is broken is named."""
        if not self.rows:
            return
        if not self.human:
            yield self._told("ratings from answers", self._rated_again())
            yield self._told("request ids and answer digests", self._answer_faults())
            yield self._told("prompt ids and texts", self._prompt_faults())
        yield self._told("item ids", self._item_faults())
        yield from self._source_links()

    @cached_property
    def recorded(self) -> bool:
        """Whether the answers come from a recording, whose items are only places in files."""
        return not self.human and any(p["template"] == TEMPLATE for p in self.prompts.values())

    def _told(self, what: str, faults: Sequence[str]) -> Link:
        if not faults:
            return Link(self.file, what, "VERIFIED", f"{len(self.rows):,} ratings")
        more = f" and {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
        return Link(self.file, what, "MISMATCH", "; ".join(faults[:SHOWN]) + more)

    def _rated_again(self) -> list[str]:
        from retrial.scoring.parsers import get
        from retrial.scoring.ratings import rate_answers

        job = self.sidecar.parameters if self.sidecar else {}
        readings = set(self.selected.rows["reading"].to_pylist())
        rebuilt = rate_answers(
            self.prompts_table,
            self.answers_table,
            top_k=job["top_k"],
            low_mass=job["low_mass"],
            parsers={name: get(name) for name in job["parsers"] if name in readings},
        )
        rebuilt = _of_members(rebuilt, self.selected.rows)
        found = differences(self.selected.rows, rebuilt, RATINGS)
        return [f"{difference.name}: {difference.detail}" for difference in found]

    def _answer_faults(self) -> list[str]:
        faults = ((a["request_id"], answer_fault(a, self.prompts.get(a["prompt_id"])))
                  for a in self.answers.values())  # fmt: skip
        return [f"answer {name} {fault}" for name, fault in faults if fault]

    def _prompt_faults(self) -> list[str]:
        faults = ((p["prompt_id"], prompt_fault(p, self.items.get(p["item_id"])))
                  for p in self.prompts.values())  # fmt: skip
        return [f"prompt {name} {fault}" for name, fault in faults if fault]

    def _item_faults(self) -> list[str]:
        lacking = {row["item_id"] for row in self.rows} - self.items.keys()
        own = has_recorded_id if self.recorded else has_own_id
        wrong = [i for i, item in self.items.items() if not own(item)]
        return [f"item {i} is lacking" for i in sorted(lacking)] + [
            f"item {i} is not the digest of its content" for i in wrong
        ]

    def _source_links(self) -> Iterator[Link]:
        if self.recorded:
            yield from merged("answers in the released files", self._recorded_links())
            return
        items = (self.origins.item_link(self.items_file, i) for i in self.items.values())
        yield from merged("items in the sources", items)
        if self.human:
            ratings = (self.origins.human_link(self.items_file, row) for row in self.rows)
            yield from merged("ratings in the sources", ratings)

    def _recorded_links(self) -> Iterator[Link]:
        sidecar = self.origins.sidecar(self.behind("answers"))
        for answer in self.answers.values() if sidecar else ():
            prompt = self.prompts[answer["prompt_id"]]
            item = self.items[prompt["item_id"]]
            yield self.origins.recorded_link(sidecar, item, prompt, answer)  # type: ignore[arg-type]


def merged(what: str, links: Iterable[Link]) -> Iterator[Link]:
    """One link for many like ones; broken ones by name, up to a few."""
    listed = list(links)
    broken = [link for link in listed if link.broken]
    yield from broken[:SHOWN]
    if len(broken) > SHOWN:
        detail = f"and {len(broken) - SHOWN:,} more"
        yield Link(broken[0].file, what, "MISMATCH", detail)
    if listed and not broken:
        first = listed[0]
        detail = f"{len(listed):,} records: {first.detail}"
        yield Link(first.file, what, first.state, detail, first.checked)


def has_own_id(item: Mapping[str, Any]) -> bool:
    """Whether an item's id is the digest of its content with some ordinal."""
    content = {name: item[name] for name in CONTENT if item[name] is not None}
    content |= {"kind": item["kind"], "subset": dict(item["strata"]).get("subset")}
    return any(
        content_id({**content, "ordinal": ordinal}) == item["item_id"]
        for ordinal in range(ORDINALS)
    )


def has_recorded_id(item: Mapping[str, Any]) -> bool:
    """Whether the id of a recording's item is the digest of its place."""
    strata = dict(item["strata"])
    place = recorded_item_id(item["dataset"], strata["writer"], int(strata["position"]))
    return bool(place == item["item_id"])


def _of_members(rebuilt: pa.Table, members: pa.Table) -> pa.Table:
    """The rebuilt ratings that a selection would hold."""
    for name in ("request_id", "reading", "item_id", "attribute", "condition", "replicate"):
        wanted = pc.unique(members[name]).drop_null()
        rebuilt = rebuilt.filter(pc.is_in(rebuilt[name], value_set=wanted))
    return rebuilt

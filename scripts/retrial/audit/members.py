"""All ratings behind one cell, each against the answer, the prompt and the item behind it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from retrial.audit.compare import differences
from retrial.audit.item_ids import item_fault, recorded_item_fault
from retrial.audit.origins import Origins
from retrial.audit.shown_examples import example_faults
from retrial.audit.sidecars import Sidecar
from retrial.audit.stage_judging import answer_fault, asking_faults, prompt_fault
from retrial.audit.states import Link
from retrial.judging.recordings.chiang2023 import TEMPLATE
from retrial.record import ANSWERS, ITEMS, PROMPTS, RATINGS, Contract, read
from retrial.tables.select import Selected

SHOWN = 5


@dataclass(eq=False)
class Members:
    """The rows of one selection and, read by id, what stands behind them."""

    root: Path
    selected: Selected
    origins: Origins
    quoted: frozenset[str] | None = None
    """Follow these requests only; all rows otherwise."""
    as_recorded: bool = True
    """Whether the rows are those that the cell's digest commits to."""
    repeated: list[str] = field(default_factory=list)
    """Records behind the ratings that stand twice in their file."""

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
        found: list[dict[str, Any]] = self.table.to_pylist()
        return found

    @cached_property
    def table(self) -> pa.Table:
        """The ratings that are followed."""
        rows = self.selected.rows
        if self.quoted is None:
            return rows
        wanted = pa.array(sorted(self.quoted), pa.string())
        return rows.filter(pc.is_in(rows["request_id"], value_set=wanted))

    @property
    def human(self) -> bool:
        """Whether people gave these ratings."""
        return self.file.startswith("ratings/human/")

    def behind(self, folder: str) -> str:
        """The answers or prompts file that the ratings were made from; empty when unknown."""
        found = self.sidecar.inputs_in(folder) if self.sidecar else []
        return found[0] if found else ""

    @cached_property
    def prompts_sidecar(self) -> Sidecar | None:
        """How the prompts were built."""
        return self.origins.sidecar(self.behind("prompts")) if self.behind("prompts") else None

    @property
    def example_files(self) -> list[str]:
        """The choices of in-context examples behind the prompts."""
        return self.prompts_sidecar.inputs_in("examples") if self.prompts_sidecar else []

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
        rows = self.selected.rows
        dataset = rows["dataset"][0].as_py() if rows.num_rows else ""
        return named or (f"items/{dataset}.parquet" if dataset else "")

    @cached_property
    def items(self) -> dict[str, dict[str, Any]]:
        """The rated items by id."""
        ids = {row["item_id"] for row in self.rows}
        table = self._by_id(self.items_file, ITEMS, "item_id", ids)
        return {row["item_id"]: row for row in table.to_pylist()}

    def _by_id(self, file: str, contract: Contract, key: str, ids: Iterable[Any]) -> pa.Table:
        table = self.origins.table(file, contract)
        wanted = pa.array(sorted(i for i in ids if i is not None), pa.string())
        found = table.filter(pc.is_in(table[key], value_set=wanted))
        self.repeated += _repeated(file, found, contract)
        return found

    def links(self) -> Iterator[Link]:
        """The states of all ratings, answers, prompts and items; what is broken is named."""
        if not self.rows:
            return
        if not self.human and self.sidecar is None:
            yield Link(self.file, "sidecar", "MISSING", "nothing says how the ratings were made")
            return
        if not self.human:
            yield self._told("request ids and answer digests", self._answer_faults())
            yield from self._rating_links()
            yield self._told("prompt ids and texts", self._prompt_faults())
            if self.example_files:
                yield self._told("in-context examples", self._example_faults())
        yield self._told("item ids", self._item_faults())
        if self.repeated:
            yield self._told("keys", self.repeated)
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

    def _rating_links(self) -> Iterator[Link]:
        """The ratings made again; not where answers or prompts stand twice, which is told."""
        if not self.repeated and self.prompts:
            yield self._told("ratings from answers", self._rated_again())
        elif not self.prompts:
            yield self._told("ratings from answers", ["no prompt of the answers is there"])

    def _rated_again(self) -> list[str]:
        from retrial.scoring.job import rate_by_job

        job = self.sidecar.parameters if self.sidecar else {}
        readings = set(self.table["reading"].to_pylist())
        rebuilt = rate_by_job(self.prompts_table, self.answers_table, job, readings)
        rebuilt = _of_members(rebuilt, self.table)
        found = differences(self.table, rebuilt, RATINGS)
        asked = {tuple(row[n] for n in RATINGS.key): row["request_id"] for row in self.rows}
        return [
            f"{one.name} (answer {asked.get(tuple(one.key.values()))}): {one.detail}"
            for one in found
        ]

    def _answer_faults(self) -> list[str]:
        faults = ((a["request_id"], answer_fault(a, self.prompts.get(a["prompt_id"])))
                  for a in self.answers.values())  # fmt: skip
        lacking = {row["request_id"] for row in self.rows} - {r for r, _ in self.answers}
        found = [f"answer {name} is lacking" for name in sorted(filter(None, lacking))]
        found += [f"answer {name} {fault}" for name, fault in faults if fault]
        sidecar = self.origins.sidecar(self.behind("answers"))
        if sidecar is None or found:
            return found
        return list(asking_faults(self.answers.values(), self.prompts, sidecar))

    def _example_faults(self) -> list[str]:
        assert self.prompts_sidecar is not None
        return list(example_faults(self.root, self.prompts.values(), self.prompts_sidecar))

    def _prompt_faults(self) -> list[str]:
        faults = ((p["prompt_id"], prompt_fault(p, self.items.get(p["item_id"])))
                  for p in self.prompts.values())  # fmt: skip
        return [f"prompt {name} {fault}" for name, fault in faults if fault]

    def _item_faults(self) -> list[str]:
        lacking = {row["item_id"] for row in self.rows} - self.items.keys()
        own = recorded_item_fault if self.recorded else item_fault
        faults = ((i, own(item)) for i, item in self.items.items())
        wrong = [f"item {i} {fault}" for i, fault in faults if fault]
        return [f"item {i} is lacking" for i in sorted(lacking)] + wrong

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


def _repeated(file: str, rows: pa.Table, contract: Contract) -> list[str]:
    """The records that stand more than once, by their keys."""
    counted = rows.group_by(list(contract.key)).aggregate([([], "count_all")])
    if counted.num_rows == rows.num_rows:
        return []
    twice = counted.filter(pc.greater(counted["count_all"], 1)).drop_columns(["count_all"])
    return [f"{' '.join(map(str, k.values()))} stands twice in {file}" for k in twice.to_pylist()]


def unknown_items(root: Path, selected: Selected) -> list[str]:
    """Rated items that the selection's items file does not hold, and so can't filter."""
    selection = selected.selection
    if selection.items is None:
        return []
    known = set(read(root / selection.items, ITEMS, ["item_id"])["item_id"].to_pylist())
    rated = set(read(root / selection.file, RATINGS, ["item_id"])["item_id"].to_pylist())
    return sorted(rated - known)


def _of_members(rebuilt: pa.Table, members: pa.Table) -> pa.Table:
    """The rebuilt ratings that a selection would hold."""
    for name in ("request_id", "reading", "item_id", "attribute", "condition", "replicate"):
        wanted = pc.unique(members[name]).drop_null()
        rebuilt = rebuilt.filter(pc.is_in(rebuilt[name], value_set=wanted))
    return rebuilt

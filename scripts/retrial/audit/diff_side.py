"""One run's side of a comparison: a cell, and all that stands behind it, read by id."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from retrial.audit.find_cell import CellName, table_path
from retrial.audit.members import Members
from retrial.audit.one_cell import OneCell, open_cell
from retrial.audit.origins import Origins
from retrial.audit.sidecars import Sidecar, is_inside
from retrial.record.contracts import RATINGS
from retrial.tables.declare import ItemText

Key = tuple[Any, ...]
PROMPT_KEY = ("item_id", "attribute", "condition", "replicate")
BEHIND = ("answers", "prompts", "examples", "items")


@dataclass(eq=False)
class Side:
    """A cell in one results folder; `cell` is None where the folder has no such cell."""

    root: Path
    name: CellName
    cell: OneCell | None

    @classmethod
    def open(cls, root: Path, name: CellName, *, there: bool) -> "Side":
        """The side of a folder that has the cell, or (not `there`) lacks it."""
        return cls(root, name, open_cell(root, name) if there else None)

    @cached_property
    def recorded(self) -> dict[str, Any]:
        """The cell as recorded; empty without one."""
        return self.cell.recorded if self.cell else {}

    @cached_property
    def origins(self) -> Origins:
        """Sidecars and sources of the folder."""
        return Origins(self.root)

    @cached_property
    def members(self) -> list[Members]:
        """The ratings behind the cell, one for each selection."""
        selected = self.cell.selected if self.cell else []
        return [Members(self.root, one, self.origins) for one in selected]

    @cached_property
    def rows(self) -> dict[Key, dict[str, Any]]:
        """Ratings by role and key."""
        return {
            (one.selected.selection.role, *(row[name] for name in RATINGS.key)): row
            for one in self.members
            for row in one.rows
        }

    @cached_property
    def prompts(self) -> dict[Key, dict[str, Any]]:
        """Prompts by item, attribute, condition and replicate, with their rendered texts."""
        found: dict[Key, dict[str, Any]] = {}
        for one in self._judged():
            texts: dict[str, set[str]] = {}
            for answer in one.answers.values():
                texts.setdefault(answer["prompt_id"], set()).add(answer["prompt_text"] or "")
            for prompt in one.prompts.values():
                key = tuple(prompt[name] for name in PROMPT_KEY)
                rendered = sorted(texts.get(prompt["prompt_id"], ()))
                found[key] = {**prompt, "rendered text": rendered}
        return found

    @cached_property
    def asked(self) -> dict[str, set[str]]:
        """What was asked besides the prompt, by leaf: model, revision, sampling, engine, ..."""
        found: dict[str, set[str]] = {}
        for one in self._judged():
            for answer in one.answers.values():
                leaves = {**json.loads(answer["asked"]), "engine": answer["engine"]}
                leaves |= {"device": answer["device"], "judge": answer["judge"]}
                for name, value in flat(leaves):
                    found.setdefault(name, set()).add(value)
        found.pop("sample", None)
        return found

    def _judged(self) -> Iterator[Members]:
        return (one for one in self.members if not one.human and one.behind("answers"))

    @cached_property
    def items(self) -> dict[str, dict[str, Any]]:
        """The items behind the cell, by id."""
        found = {i: item for one in self.members for i, item in one.items.items()}
        if self.cell and not self.cell.is_finding and isinstance(self.cell.spec.sample, ItemText):
            sample = self.cell.spec.sample
            quoted = self.cell.results.items(sample.items, dict(sample.strata))
            found |= {item["item_id"]: item for item in quoted}
        return found

    @cached_property
    def jobs(self) -> dict[str, Sidecar]:
        """The jobs behind the cell, by the path of their output; of the table, at least."""
        found: dict[str, Sidecar] = {}
        waiting = [f"tables/{self.name.table}.parquet"]
        waiting += [place for one in self.members for place in (one.file, one.items_file)]
        while waiting:
            place = waiting.pop(0)
            sidecar = self.origins.sidecar(place)
            if sidecar is None or place in found:
                continue
            found[place] = sidecar
            if not place.startswith("tables/"):
                waiting += sidecar.inputs_in(*BEHIND)
        return found

    @cached_property
    def sources(self) -> dict[str, str]:
        """Digests of the downloads behind the cell, by source and file."""
        outside = (
            (path, sha256)
            for place, sidecar in self.jobs.items()
            if not place.startswith("tables/")
            for path, sha256 in sidecar.inputs.items()
            if not is_inside(path)
        )
        return {"/".join(Path(path).parts[-2:]): sha256 for path, sha256 in outside}

    @property
    def has_table(self) -> bool:
        """Whether the folder has the cell's table at all."""
        return table_path(self.root, self.name.table).is_file()


def flat(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The leaves of plain data by dotted name, each as text; lists of plain values are leaves."""
    if isinstance(value, Mapping) and value:
        for key, part in sorted(value.items()):
            yield from flat(part, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list) and any(isinstance(part, Mapping) for part in value):
        for number, part in enumerate(value):
            yield from flat(part, f"{name}[{number}]")
    else:
        yield name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

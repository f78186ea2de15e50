"""What a recomputation of one output needs: its sidecar, its inputs, and a place to note damage."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from retrial.audit.sidecars import Folder, Sidecar, is_inside, locate
from retrial.audit.states import Link
from retrial.record import Contract, read

Damage = set[tuple[str, ...]]
"""Records that a source no longer gives: ("item", id), ("human", item_id, attribute, rater),
("request", id)."""

STORIES = "stories/"
"""Where generators' stories lie in a root."""


@dataclass(frozen=True)
class Stage:
    """One output to recompute; `damage` collects broken records over all stages."""

    folder: Folder
    sidecar: Sidecar
    damage: Damage = field(default_factory=set)
    cache: dict[Any, Any] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """The output's path below the root."""
        return self.sidecar.place

    @property
    def job(self) -> dict[str, Any]:
        """The job's parameters."""
        return self.sidecar.parameters

    def output(self, contract: Contract) -> pa.Table:
        """The output as it lies there."""
        return self.table(self.place, contract)

    def table(self, place: str, contract: Contract) -> pa.Table:
        """A results file, read and checked once. Raises ContractError."""
        return self.once(("read", place), lambda: read(self.folder.root / place, contract))

    def first(self, contract: Contract, *folders: str) -> pa.Table:
        """The first input below these folders. Raises KeyError when the sidecar names none."""
        found = self.sidecar.inputs_in(*folders)
        if not found:
            raise KeyError(f"no input from {' or '.join(folders)} in the sidecar")
        return self.table(found[0], contract)

    @cached_property
    def outside(self) -> list[Path] | None:
        """What it read from outside the run, in order; None when one is not here.

        Downloads, published files, your own files; and a generator's stories, which become
        items like any download.
        """
        kept = [p for p in self.sidecar.inputs if not is_inside(p) or p.startswith(STORIES)]
        found = [locate(self.folder.root, path) for path in kept]
        return None if None in found else [path for path in found if path is not None]

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """`make()`, kept for the other outputs of the same job."""
        if key not in self.cache:
            self.cache[key] = make()
        return self.cache[key]

    def link(self, what: str, state: Any, detail: str = "", checked: bool = True) -> Link:
        """A link of this output."""
        return Link(self.place, what, state, detail, checked)


Recompute = Callable[[Stage], Iterator[Link]]

"""What the page of one cell says: value, comparison, formula, ratings, and the jobs behind them."""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import cleandoc
from pathlib import Path
from typing import Any

import retrial.metrics  # noqa: F401  (fills the registry)
from retrial.audit.sidecars import Sidecar
from retrial.digest import sha256_file
from retrial.metrics.base import REGISTRY
from retrial.report.model import ReportCell, ReportTable
from retrial.report.rows import RowFiles
from retrial.report.selections import Selections, Taken

Pairs = list[tuple[str, str]]
STAGES = ("tables", "ratings", "answers", "prompts", "links", "items")
"""Folders whose jobs a cell page names, the last one first."""
NAMED_CELL = re.compile(r"^(?P<table>[^\[]+)\[(?P<row>.*)\]\.(?P<column>[^\]]*)$")


@dataclass(frozen=True)
class Shown:
    """One selection on a cell page; `head` describes its rows, None when they can't be shown."""

    taken: Taken
    id: str
    head: dict[str, Any] | None

    @property
    def left_out(self) -> int:
        """Ratings without a score."""
        if self.head is None:
            return 0
        return int(self.head["rows"]) - int(self.taken.selected.used.num_rows)  # type: ignore[union-attr]


@dataclass(frozen=True)
class CellContext:
    """Makes the pages of one table's cells."""

    table: ReportTable
    selections: Selections
    row_files: RowFiles
    pages: Mapping[tuple[str, str, str], str]
    root: str

    def page(self, cell: ReportCell) -> dict[str, Any]:
        """The values that the cell's template shows."""
        shown = [
            Shown(taken, f"ratings-{number}", self._head(taken))
            for number, taken in enumerate(self.selections.of(cell), start=1)
        ]
        return {
            "table": self.table,
            "cell": cell,
            "record": cell.record,
            "column": self.table.columns[cell.record["column"]],
            "formula": self._formula(cell.record["metric"]),
            "parameters": _parameters(cell.record["parameters"]),
            "statistics": self._statistics(cell),
            "inputs": [(name, self._link(name)) for name in cell.record["inputs"]],
            "selections": shown,
            "left_out": [(s, n) for s, n in sorted(dict(cell.record["excluded"]).items()) if n],
            "jobs": self._jobs(cell),
            "command": f"retrial audit {shlex.quote(cell.name)} --root {shlex.quote(self.root)}",
        }

    def _head(self, taken: Taken) -> dict[str, Any] | None:
        if taken.selected is None or not taken.selected.rows.num_rows:
            return None
        return self.row_files.add(taken.selected)

    def _formula(self, metric: str | None) -> dict[str, Any] | None:
        """Title and docstring of the metric, and whether the job ran the code they stand in."""
        found = REGISTRY.get(metric or "")
        if found is None:
            return None
        module = found.compute.__module__
        path = Path(found.compute.__code__.co_filename)
        ran = (self.table.sidecar.job.get("code") or {}).get(module)
        return {
            "id": found.id,
            "title": found.title,
            "doc": _paragraphs(found.doc),
            "module": module,
            "same": path.is_file() and sha256_file(path) == ran,
        }

    def _statistics(self, cell: ReportCell) -> str:
        """How the interval was made; empty without one."""
        found = self.table.sidecar.parameters.get("statistics")
        if cell.record["ci_low"] is None or not found:
            return ""
        return (
            f"{100 * found['level']:g} % bootstrap interval: {found['resamples']:,} resamples of "
            f"items, all ratings of an item together, seed {found['seed']}"
        )

    def _link(self, name: str) -> str:
        """The page of a named cell; empty for one that this report does not hold."""
        match = NAMED_CELL.match(name)
        return self.pages.get((match["table"], match["row"], match["column"]), "") if match else ""

    def _jobs(self, cell: ReportCell) -> list[Sidecar]:
        """The jobs behind the cell: its table's, and those of its ratings, back to the items."""
        behind = self.row_files.behind
        found: dict[str, Sidecar] = {self.table.sidecar.place: self.table.sidecar}
        waiting = [s["file"] for s in cell.record["selections"]]
        while waiting:
            place = waiting.pop(0)
            if place not in found:
                found[place] = behind.sidecar(place)
                waiting += found[place].inputs_in("answers", "prompts", "items")
        return sorted(found.values(), key=lambda s: STAGES.index(s.place.split("/")[0]))


def _parameters(text: str) -> Pairs:
    found: dict[str, Any] = json.loads(text)
    return [(k, v if isinstance(v, str) else json.dumps(v)) for k, v in sorted(found.items())]


def _paragraphs(doc: str) -> list[str]:
    """The docstring's paragraphs, and each labelled sentence (`Formula: ...`) by itself."""
    lines = cleandoc(doc).split("\n")
    found = [""]
    for line in lines:
        starts = re.match(r"^(Formula|Domain|Undefined|Interval|Reference)s?:", line)
        if not line.strip() or starts:
            found.append("")
        found[-1] = f"{found[-1]} {line.strip()}".strip()
    return [part for part in found if part]

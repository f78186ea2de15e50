"""The chain behind a consistency finding: the printed cells that it is about."""

import json
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from retrial.audit.compare import differing
from retrial.audit.find_cell import CellName
from retrial.audit.one_cell import PLACES, OneCell
from retrial.audit.sidecars import digest, locate
from retrial.audit.states import Link, State
from retrial.audit.steps import Step
from retrial.record import CELLS, read


def finding_steps(cell: OneCell) -> Iterator[Step]:
    """The finding, made again; and whether the files that hold the printed cells are unchanged."""
    found = cell.recorded
    parameters = json.loads(found["parameters"])
    facts = {"says": found["value_text"], "numbers": parameters["numbers"]}
    yield Step("finding", facts, (_again(cell),))
    links = []
    _, path = cell.published_file
    for name, sha256 in sorted(parameters["files"].items()):
        here = path.parent / name if path is not None else None
        if here is None or not here.is_file():
            links.append(Link(cell.sidecar.place, name, "RECORDED", "not here", checked=False))
            continue
        state: State = "RECORDED" if digest(here) == sha256 else "MISMATCH"
        links.append(Link(cell.sidecar.place, name, state, f"sha256 {sha256}"))
    yield Step("printed cells", {"cells": list(found["inputs"])}, tuple(links))


def _again(cell: OneCell) -> Link:
    """The finding as the arithmetic gives it now."""
    place = cell.sidecar.place
    outside = [locate(cell.root, p) for p in cell.sidecar.inputs if p.endswith(".csv")]
    files = [path for path in outside if path is not None]
    if len(files) < len(outside):
        return Link(place, "finding", "RECORDED", "the published values are not here", False)
    tables = [cell.root / p for p in cell.sidecar.inputs_in("tables")]
    rebuilt = _findings(
        cell.name.table,
        str(cell.sidecar.parameters["plugins"][0]),
        tuple((path, digest(path)) for path in files),
        tuple((path, digest(path)) for path in tables),
    ).get(cell.name)
    if rebuilt is None:
        return Link(place, "finding", "MISMATCH", "the arithmetic gives no such finding")
    wrong = differing(cell.recorded, rebuilt, PLACES)
    if wrong:
        return Link(place, "finding", "MISMATCH", "; ".join(wrong.values()))
    return Link(place, "finding", "VERIFIED", "made again")


Seen = tuple[tuple[Path, str], ...]


@cache
def _findings(
    table: str, module: str, published: Seen, tables: Seen
) -> dict[CellName, dict[str, Any]]:
    """All findings of a table; kept, since the arithmetic makes them together."""
    from retrial.tables.findings import finding_cells

    recomputed = {
        (cell["row"], cell["column"]): cell["value"]
        for path, _ in tables
        for cell in read(path, CELLS).to_pylist()
        if cell["value"] is not None
    }
    found = import_module(module).findings(published[0][0].parent, recomputed)
    digests = {path.name: sha256 for path, sha256 in published}
    cells = finding_cells(table, found, digests).to_pylist()
    return {CellName(c["table"], c["row"], c["column"]): c for c in cells}

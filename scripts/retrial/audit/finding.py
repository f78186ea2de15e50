"""The chain behind a consistency finding: the printed cells that it is about."""

import json
from collections.abc import Iterator

from retrial.audit.one_cell import OneCell
from retrial.audit.sidecars import digest
from retrial.audit.states import Link, State
from retrial.audit.steps import Step


def finding_steps(cell: OneCell) -> Iterator[Step]:
    """The finding, the printed cells, and whether the files that hold them are unchanged.

    The arithmetic itself is made again by `retrial verify`.
    """
    found = cell.recorded
    parameters = json.loads(found["parameters"])
    yield Step("finding", {"says": found["value_text"], "numbers": parameters["numbers"]})
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

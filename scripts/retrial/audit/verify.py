"""Verifying a results folder by its sidecars: every digest, nothing by file times.

The walk trusts no list of files: it finds every sidecar below the root, and every result
without one. It works on a moved copy; inputs outside the root (downloads) may be absent.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from retrial.digest import sha256_file
from retrial.errors import RetrialError
from retrial.record.sidecar import SUFFIX

State = Literal["RECORDED", "MISSING", "MISMATCH"]
STAGES = ("adapters", "answers", "embeddings", "examples", "figures", "items", "links", "models",
          "prompts", "ratings", "report", "stories", "tables")  # fmt: skip
"""Folders of a root whose files are outputs of jobs, so that each must have a sidecar."""


@dataclass(frozen=True)
class Link:
    """One link of the record: what it joins, its state, and what was found instead."""

    file: str
    what: str
    state: State
    detail: str = ""


def verify_digests(root: Path) -> Iterator[Link]:
    """Every link that sidecars below `root` claim, in the order of their paths.

    Raises RetrialError when `root` holds no record at all.
    """
    if not root.is_dir():
        raise RetrialError(f"{root}: no such results folder")
    sidecars = sorted(root.rglob(f"*{SUFFIX}"))
    if not sidecars:
        raise RetrialError(f"{root}: holds no sidecar; nothing in it can be verified")
    nested: set[Path] = set()
    for sidecar in sidecars:
        record, fault = _load(sidecar)
        place = sidecar.relative_to(root).as_posix()
        if fault is not None:
            yield Link(place, "sidecar", "MISMATCH", fault)
        elif (inner := _nested_root(root, place, record)) is not None:
            nested.add(inner)
        else:
            yield from _links(root, place.removesuffix(SUFFIX), record)
    yield from _without_sidecar(root, nested)


def _load(sidecar: Path) -> tuple[dict[str, Any], str | None]:
    try:
        record = json.loads(sidecar.read_text(encoding="utf-8"))
        record["output"]["path"], record["output"]["sha256"], record["inputs"]
    except (ValueError, KeyError, TypeError, OSError) as error:
        return {}, f"not a sidecar: {error!r}"
    return record, None


def _nested_root(root: Path, place: str, record: dict[str, Any]) -> Path | None:
    """The other root that a sidecar below this one belongs to, such as results/demo."""
    written = record["output"]["path"]
    place = place.removesuffix(SUFFIX)
    if place != written and place.endswith(f"/{written}"):
        return root / place.removesuffix(f"/{written}")
    return None


def _links(root: Path, place: str, record: dict[str, Any]) -> Iterator[Link]:
    output = record["output"]
    if output["path"] != place and not Path(output["path"]).is_absolute():
        yield Link(place, "sidecar", "MISMATCH", f"was written for {output['path']}")
        return
    yield _compare(place, "output", root / place, output["sha256"])
    for known in record["inputs"]:
        path = root / known["path"]
        if path.exists() or _is_inside(known["path"]):
            yield _compare(place, f"input {known['path']}", path, known["sha256"])


def _is_inside(path: str) -> bool:
    """Whether an input was recorded as lying below the root, and so must be there."""
    return path.split("/", 1)[0] in STAGES


def _compare(place: str, what: str, path: Path, expected: str) -> Link:
    if not path.is_file():
        return Link(place, what, "MISSING", f"{path} is not there")
    actual = _digest(path, path.stat().st_mtime_ns)
    if actual != expected:
        return Link(place, what, "MISMATCH", f"sha256 is {actual}, recorded was {expected}")
    return Link(place, what, "RECORDED")


@cache
def _digest(path: Path, changed: int) -> str:
    return sha256_file(path)


def _without_sidecar(root: Path, nested: set[Path]) -> Iterator[Link]:
    for stage in STAGES:
        for path in sorted((root / stage).rglob("*")):
            hidden = path.name.startswith(".") or path.name.endswith(SUFFIX)
            elsewhere = any(inner in path.parents for inner in nested)
            recorded = path.with_name(path.name + SUFFIX).exists()
            if path.is_file() and not (hidden or elsewhere or recorded):
                place = path.relative_to(root).as_posix()
                yield Link(place, "sidecar", "MISSING", "a result without a sidecar")

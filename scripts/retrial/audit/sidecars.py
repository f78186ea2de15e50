"""The sidecars of a results folder, and where the files that they name lie now.

The walk trusts no list of files: it finds every sidecar below the root, and leaves out those of
another root inside it (results/demo inside results).
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from retrial.digest import sha256_file
from retrial.errors import RetrialError
from retrial.record.sidecar import SUFFIX, sidecar_path

STAGES = ("adapters", "answers", "embeddings", "examples", "figures", "items", "links", "models",
          "prompts", "ratings", "report", "stories", "tables", "training")  # fmt: skip
"""Folders of a root whose files are outputs of jobs, so that each must have a sidecar."""

MIRROR = "RETRIAL_MIRROR"
CHECKOUT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, eq=False)
class Sidecar:
    """One sidecar: `place` is its output's path below the root; `fault` says why it is none."""

    place: str
    record: dict[str, Any] = field(default_factory=dict)
    fault: str = ""

    @property
    def rule(self) -> str:
        """The rule that made the output."""
        return str(self.record.get("job", {}).get("rule", ""))

    @property
    def parameters(self) -> dict[str, Any]:
        """The job's parameters by name."""
        found: dict[str, Any] = self.record.get("parameters") or {}
        return found

    @property
    def job(self) -> dict[str, Any]:
        """Code, commit, host and times."""
        found: dict[str, Any] = self.record.get("job") or {}
        return found

    @property
    def sha256(self) -> str:
        """The digest of the output, as recorded."""
        return str(self.record["output"]["sha256"])

    @cached_property
    def inputs(self) -> dict[str, str]:
        """Paths of the inputs, as recorded, with their digests."""
        return {known["path"]: known["sha256"] for known in self.record["inputs"]}

    def inputs_in(self, *folders: str) -> list[str]:
        """The inputs below some folder of the root, in order."""
        starts = tuple(f"{folder}/" for folder in folders)
        return [path for path in self.inputs if path.startswith(starts)]


@dataclass(frozen=True)
class Folder:
    """A results folder, its sidecars, and the roots nested in it."""

    root: Path
    sidecars: tuple[Sidecar, ...]
    nested: frozenset[Path]

    def files(self) -> Iterator[Path]:
        """Every file that has a sidecar, and the sidecars, sorted; those of nested roots not."""
        for sidecar in self.sidecars:
            output = self.root / sidecar.place
            yield from (p for p in (output, sidecar_path(output)) if p.is_file())

    def is_nested(self, path: Path) -> bool:
        """Whether a path belongs to a root inside this one."""
        return any(inner in path.parents for inner in self.nested)

    def sidecar(self, place: str) -> Sidecar | None:
        """The sidecar of an output, if it is there and whole."""
        return next((s for s in self.sidecars if s.place == place and not s.fault), None)


def open_folder(root: Path) -> Folder:
    """All sidecars below `root`, by path. Raises RetrialError when there is none."""
    if not root.is_dir():
        raise RetrialError(f"{root}: no such results folder")
    found, nested = [], set()
    for path in sorted(root.rglob(f"*{SUFFIX}")):
        sidecar = load_sidecar(root, path)
        inner = _nested_root(root, sidecar)
        if inner is None:
            found.append(sidecar)
        else:
            nested.add(inner)
    if not found:
        raise RetrialError(f"{root}: holds no sidecar; nothing in it can be verified")
    return Folder(root, tuple(found), frozenset(nested))


def load_sidecar(root: Path, path: Path) -> Sidecar:
    """One sidecar; a damaged one comes back with its fault."""
    place = path.relative_to(root).as_posix().removesuffix(SUFFIX)
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        str(record["output"]["path"]), str(record["output"]["sha256"])
        [(str(known["path"]), str(known["sha256"])) for known in record["inputs"]]
        for name in ("job", "parameters", "facts"):
            dict(record.get(name) or {})
    except (ValueError, KeyError, TypeError, OSError) as error:
        return Sidecar(place, {}, f"not a sidecar: {error!r}")
    return Sidecar(place, record)


def _nested_root(root: Path, sidecar: Sidecar) -> Path | None:
    """The other root that a sidecar below this one belongs to, such as results/demo."""
    if sidecar.fault:
        return None
    written = str(sidecar.record["output"]["path"])
    if sidecar.place != written and sidecar.place.endswith(f"/{written}"):
        return root / sidecar.place.removesuffix(f"/{written}")
    return None


def is_inside(path: str) -> bool:
    """Whether an input was recorded as lying below the root, and so must be there."""
    return path.split("/", 1)[0] in STAGES


def locate(root: Path, path: str) -> Path | None:
    """Where a recorded input lies now, or None when it did not travel along.

    Inputs outside the root (downloads, published values) are looked for below the root, the
    working folder and the checkout; downloads also in the folder that RETRIAL_MIRROR names,
    whose layout is <source>/<file>.
    """
    if is_inside(path) or Path(path).is_absolute():
        return root / path if (root / path).is_file() else None
    places = [root / path, Path(path), CHECKOUT / path]
    mirror = os.environ.get(MIRROR)
    if mirror and len(Path(path).parts) > 2:
        places.append(Path(mirror).joinpath(*Path(path).parts[-2:]))
    return next((place for place in places if place.is_file()), None)


def digest(path: Path) -> str:
    """The sha256 of a file, read once for each state of the file."""
    status = path.stat()
    return _digest(path, status.st_mtime_ns, status.st_size, status.st_ino)


@cache
def _digest(path: Path, *state: int) -> str:
    return sha256_file(path)

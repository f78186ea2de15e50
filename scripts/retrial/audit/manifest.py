"""The manifest: one digest that seals a results folder, down to the last byte.

`MANIFEST.json` lists every file of the root with its sha256 and size. The root digest is that of
a tree of folders: a folder's digest is the sha256 of its children's names and digests in order,
so that a part of a results folder can be quoted and checked alone.

Sealed is every file that is a result: outputs, their sidecars, and all pages of the report. Not
sealed are the manifest itself, what may come and go without changing a result (the answer store,
work in progress, logs, benchmarks, hidden files), what is written from the results afterwards (an
RO-Crate, the seal and the added files of a bundle), and other roots inside this one, which have
manifests of their own.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrial.audit.sidecars import Folder, digest, open_folder
from retrial.audit.states import Link
from retrial.errors import RetrialError
from retrial.record import SUFFIX, Run

MANIFEST = "MANIFEST.json"
VERSION = 2
UNSEALED_FOLDERS = ("store", "work", "logs", "benchmarks", "workflow", "data")
UNSEALED_FILES = (MANIFEST, MANIFEST + SUFFIX, "BUNDLE.json", "ro-crate-metadata.json")


@dataclass(frozen=True)
class Entry:
    """One sealed file: its sha256 and its size in bytes."""

    sha256: str
    size: int


@dataclass(frozen=True)
class Manifest:
    """Sealed files by path below the root, and the root digest over them."""

    files: Mapping[str, Entry]
    root_sha256: str

    @property
    def size(self) -> int:
        """Bytes of all sealed files together."""
        return sum(entry.size for entry in self.files.values())


def sealed_files(folder: Folder) -> dict[str, Path]:
    """Every file that a manifest of this folder lists, by path below the root, sorted.

    Links are followed to files, never to folders.
    """
    found = {p.relative_to(folder.root).as_posix(): p for p in sealed_paths(folder) if p.is_file()}
    return dict(sorted(found.items()))


def sealed_paths(folder: Folder) -> Iterator[Path]:
    """Every file, folder and link that belongs to the results, in no order."""
    for path in folder.root.rglob("*"):
        place = path.relative_to(folder.root).as_posix()
        if _is_sealed(place) and not folder.is_nested(path):
            yield path


def _is_sealed(place: str) -> bool:
    parts = place.split("/")
    if len(parts) > 1 and parts[0] in UNSEALED_FOLDERS:
        return False
    return place not in UNSEALED_FILES and not any(part.startswith(".") for part in parts)


def make_manifest(folder: Folder) -> Manifest:
    """The manifest of a folder as it is now."""
    paths = sealed_files(folder)
    files = {place: Entry(digest(path), path.stat().st_size) for place, path in paths.items()}
    return Manifest(files, root_digest(files))


def root_digest(files: Mapping[str, Entry]) -> str:
    """The sha256 over the tree of folders of these files."""
    tree: dict[str, Any] = {}
    for path, entry in files.items():
        *folders, name = path.split("/")
        place = tree
        for part in folders:
            place = place.setdefault(f"{part}/", {})
        place[name] = entry
    return _tree_digest(tree)


def _tree_digest(tree: Mapping[str, Any]) -> str:
    total = hashlib.sha256()
    for name, child in sorted(tree.items()):
        if isinstance(child, Entry):
            total.update(f"{child.sha256}  {child.size}  {name}\n".encode())
        else:
            total.update(f"{_tree_digest(child)}  {name}\n".encode())
    return total.hexdigest()


def write_manifest(root: Path, run: Run) -> Manifest:
    """Write `<root>/MANIFEST.json` and its sidecar.

    Raises RetrialError when `root` holds no record.
    """
    manifest = make_manifest(open_folder(root))
    content = {
        "manifest_version": VERSION,
        "root_sha256": manifest.root_sha256,
        "files": {p: {"sha256": e.sha256, "bytes": e.size} for p, e in manifest.files.items()},
    }
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)
    run.write_text(root / MANIFEST, text + "\n")
    return manifest


def read_manifest(root: Path) -> Manifest:
    """The manifest on record. Raises RetrialError when there is none, or it is damaged."""
    path = root / MANIFEST
    if not path.is_file():
        raise RetrialError(f"{path}: there is no manifest; `snakemake ... manifest` writes it")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        files = {
            str(place): Entry(str(entry["sha256"]), int(entry["bytes"]))
            for place, entry in content["files"].items()
        }
        return Manifest(files, str(content["root_sha256"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RetrialError(f"{path}: not a manifest of version {VERSION}: {error!r}") from error


def check_manifest(folder: Folder) -> Iterator[Link]:
    """The manifest's own digest, then every file that changed, is lacking, or is new.

    One link says that all the rest is as listed. No link where there is no manifest.
    """
    if not (folder.root / MANIFEST).is_file():
        return
    try:
        listed = read_manifest(folder.root)
    except RetrialError as error:
        yield Link(MANIFEST, "manifest", "MISMATCH", str(error))
        return
    yield _root_link(listed)
    here = sealed_files(folder)
    broken = [*_listed_faults(listed, here), *_new_files(listed, here)]
    yield from broken
    if not broken:
        detail = f"{len(listed.files):,} files, {listed.size:,} bytes: all are as listed"
        yield Link(MANIFEST, "files", "RECORDED", detail)


def _root_link(listed: Manifest) -> Link:
    now = root_digest(listed.files)
    if now == listed.root_sha256:
        return Link(MANIFEST, "root digest", "VERIFIED", now)
    detail = f"is {now}, recorded was {listed.root_sha256}"
    return Link(MANIFEST, "root digest", "MISMATCH", detail)


def _listed_faults(listed: Manifest, here: Mapping[str, Path]) -> Iterator[Link]:
    for place, entry in sorted(listed.files.items()):
        path = here.get(place)
        if path is None:
            yield Link(place, "manifest", "MISSING", "the manifest lists it")
        elif path.stat().st_size != entry.size:
            detail = f"changed: {path.stat().st_size:,} bytes, the manifest says {entry.size:,}"
            yield Link(place, "manifest", "MISMATCH", detail)
        elif digest(path) != entry.sha256:
            detail = f"changed: sha256 is not the manifest's {entry.sha256}"
            yield Link(place, "manifest", "MISMATCH", detail)


def _new_files(listed: Manifest, here: Mapping[str, Path]) -> Iterator[Link]:
    for place in sorted(here.keys() - listed.files.keys()):
        yield Link(place, "manifest", "MISMATCH", "new: not in the manifest; make it again")

"""The manifest: one digest that seals a results folder, down to the last byte.

`MANIFEST.json` lists every file that has a sidecar, and the sidecars, with their sha256. The
root digest is that of a tree of folders: a folder's digest is the sha256 of its children's
names and digests in order, so that a part of a results folder can be quoted and checked alone.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from retrial.audit.sidecars import Folder, digest, open_folder
from retrial.audit.states import Link
from retrial.record import SUFFIX, Run

MANIFEST = "MANIFEST.json"
VERSION = 1


def entries(folder: Folder) -> dict[str, str]:
    """Path below the root -> sha256, sorted; the manifest and its sidecar are not in it."""
    files = (path.relative_to(folder.root).as_posix() for path in folder.files())
    kept = sorted(path for path in files if path not in (MANIFEST, MANIFEST + SUFFIX))
    return {path: digest(folder.root / path) for path in kept}


def root_digest(files: Mapping[str, str]) -> str:
    """The sha256 over the tree of folders of these files."""
    tree: dict[str, Any] = {}
    for path, sha256 in files.items():
        *folders, name = path.split("/")
        place = tree
        for part in folders:
            place = place.setdefault(f"{part}/", {})
        place[name] = sha256
    return _tree_digest(tree)


def _tree_digest(tree: Mapping[str, Any]) -> str:
    total = hashlib.sha256()
    for name, child in sorted(tree.items()):
        value = child if isinstance(child, str) else _tree_digest(child)
        total.update(f"{value}  {name}\n".encode())
    return total.hexdigest()


def write_manifest(root: Path, run: Run) -> str:
    """Write `<root>/MANIFEST.json` and its sidecar; returns the root digest."""
    files = entries(open_folder(root))
    total = root_digest(files)
    content = {"manifest_version": VERSION, "root_sha256": total, "files": files}
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)
    run.write_text(root / MANIFEST, text + "\n")
    return total


def check_manifest(folder: Folder) -> Iterator[Link]:
    """Every file against the manifest, where there is one."""
    path = folder.root / MANIFEST
    if not path.is_file():
        return
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        listed, total = dict(content["files"]), str(content["root_sha256"])
    except (ValueError, KeyError, TypeError) as error:
        yield Link(MANIFEST, "manifest", "MISMATCH", f"not a manifest: {error!r}")
        return
    yield _root_link(listed, total)
    for place, sha256 in sorted(listed.items()):
        yield _file_link(folder.root, place, sha256)
    for place in sorted(entries(folder).keys() - listed.keys()):
        yield Link(place, "manifest", "MISSING", "not in the manifest; make it again")


def _root_link(listed: Mapping[str, str], total: str) -> Link:
    now = root_digest(listed)
    if now == total:
        return Link(MANIFEST, "root digest", "VERIFIED", total)
    return Link(MANIFEST, "root digest", "MISMATCH", f"is {now}, recorded was {total}")


def _file_link(root: Path, place: str, sha256: str) -> Link:
    path = root / place
    if not path.is_file():
        return Link(place, "manifest", "MISSING", "the manifest lists it")
    if digest(path) != sha256:
        return Link(place, "manifest", "MISMATCH", f"sha256 is not the manifest's {sha256}")
    return Link(place, "manifest", "RECORDED")

"""The command `retrial manifest`: the root digest, and every file against it."""

from collections.abc import Iterator
from pathlib import Path

from retrial.audit.manifest import MANIFEST, check_manifest, read_manifest
from retrial.audit.sidecars import open_folder
from retrial.audit.states import Link
from retrial.exchange.seal import SEAL, excused, read_seal


def manifest_lines(root: Path) -> tuple[list[str], bool]:
    """What to say of a folder's manifest, and whether a file is not as listed.

    The files that a bundle says it withholds are not held against it. Raises RetrialError when
    there is no manifest, or it can't be read.
    """
    listed = read_manifest(root)
    broken = [link for link in _links(root) if link.broken]
    lines = [f"root sha256 {listed.root_sha256}",
             f"{len(listed.files):,} files, {listed.size:,} bytes"]  # fmt: skip
    lines += [f"{link.state}  {link.file}: {link.detail}" for link in broken]
    lines.append(f"{len(broken):,} not as listed" if broken else "all files are as listed")
    return lines, bool(broken)


def _links(root: Path) -> Iterator[Link]:
    withheld = read_seal(root / SEAL).withheld if (root / SEAL).is_file() else {}
    for link in check_manifest(open_folder(root)):
        yield excused(link, withheld) if link.file != MANIFEST else link

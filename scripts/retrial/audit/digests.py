"""Every digest that the sidecars of a results folder claim; nothing by file times."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from retrial.audit.sidecars import STAGES, Folder, Sidecar, digest, is_inside, locate, open_folder
from retrial.audit.states import Link
from retrial.record.sidecar import SUFFIX

REPORT, LISTING = "report", "files.json"
NOT_HERE = "not here, so not checked"


def verify_digests(root: Path) -> Iterator[Link]:
    """Every link that sidecars below `root` claim, in the order of their paths.

    Works on a moved copy: inputs from outside the root may be absent, and are then told as not
    checked. Raises RetrialError when `root` holds no record at all.
    """
    yield from folder_digests(open_folder(root))


def folder_digests(folder: Folder) -> Iterator[Link]:
    """The links of an opened folder, then the results that have no sidecar."""
    for sidecar in folder.sidecars:
        if sidecar.fault:
            yield Link(f"{sidecar.place}{SUFFIX}", "sidecar", "MISMATCH", sidecar.fault)
        else:
            yield from _links(folder.root, sidecar)
    listed = _report_files(folder.root)
    for place, sha256 in listed.items():
        yield _compare(place, "listed in the report", folder.root / place, sha256)
    yield from _without_sidecar(folder, listed)


def _report_files(root: Path) -> dict[str, str]:
    """The report's files by place, from its listing, whose own digest a sidecar holds."""
    try:
        files = json.loads((root / REPORT / LISTING).read_text(encoding="utf-8"))
        return {f"{REPORT}/{name}": str(sha256) for name, sha256 in files.items()}
    except (OSError, ValueError, AttributeError):
        return {}  # no report, or one whose damage its sidecar tells


def _links(root: Path, sidecar: Sidecar) -> Iterator[Link]:
    place, output = sidecar.place, sidecar.record["output"]
    if output["path"] != place and not Path(output["path"]).is_absolute():
        yield Link(place, "sidecar", "MISMATCH", f"was written for {output['path']}")
        return
    yield _compare(place, "output", root / place, sidecar.sha256)
    for path, expected in sidecar.inputs.items():
        found = locate(root, path)
        if found is None and not is_inside(path):
            yield Link(place, f"input {path}", "RECORDED", NOT_HERE, checked=False)
        else:
            yield _compare(place, f"input {path}", found or root / path, expected)


def _compare(place: str, what: str, path: Path, expected: str) -> Link:
    if not path.is_file():
        return Link(place, what, "MISSING", f"{path} is not there")
    actual = digest(path)
    if actual != expected:
        return Link(place, what, "MISMATCH", f"sha256 is {actual}, recorded was {expected}")
    return Link(place, what, "RECORDED")


def _without_sidecar(folder: Folder, listed: Mapping[str, str]) -> Iterator[Link]:
    for stage in STAGES:
        for path in sorted((folder.root / stage).rglob("*")):
            hidden = path.name.startswith(".") or path.name.endswith(SUFFIX)
            recorded = path.with_name(path.name + SUFFIX).exists()
            place = path.relative_to(folder.root).as_posix()
            known = hidden or recorded or place in listed
            if path.is_file() and not (known or folder.is_nested(path)):
                yield Link(place, "sidecar", "MISSING", "a result without a sidecar")

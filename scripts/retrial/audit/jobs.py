"""The jobs behind a cell: what each ran with, and whether its file and sidecar are unchanged."""

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from retrial.audit.code import code_link
from retrial.audit.manifest import MANIFEST, Entry, read_manifest
from retrial.audit.members import Members
from retrial.audit.one_cell import OneCell
from retrial.audit.sidecars import Sidecar, digest, load_sidecar
from retrial.audit.states import Link
from retrial.audit.steps import Step
from retrial.record import SUFFIX, sidecar_path

NOT_BY_ID = "sha256 is another: what changed is elsewhere in this file, or the sidecar's digest"


def places_behind(cell: OneCell, members: Iterable[Members]) -> list[str]:
    """The results files that the cell rests on, its table first, each once."""
    found = [cell.sidecar.place]
    for one in members:
        found.append(one.file)
        for folder in ("answers", "prompts"):
            found += [one.behind(folder)]
        found += one.example_files
        found.append(one.items_file)
    return [place for place in dict.fromkeys(found) if place]


def job_steps(root: Path, place: str) -> Iterator[Step]:
    """One job: code, commit, lock, parameters, host and time; its file's and sidecar's digests."""
    path = sidecar_path(root / place)
    if not path.is_file():
        link = Link(place, "sidecar", "MISSING", "nothing says how this was made")
        yield Step("job", {"output": place}, (link,))
        return
    sidecar = load_sidecar(root, path)
    if sidecar.fault:
        link = Link(place, "sidecar", "MISMATCH", sidecar.fault)
        yield Step("job", {"output": place}, (link,))
        return
    links = (code_link(sidecar, deep=False), file_link(root, sidecar), *sealed_links(root, place))
    yield Step(f"job: {sidecar.rule}", _facts(sidecar), links)


def _facts(sidecar: Sidecar) -> dict[str, Any]:
    job, git = sidecar.job, sidecar.job.get("git") or {}
    return {
        "output": sidecar.place,
        "code digest": job.get("code_digest"),
        "commit": f"{git.get('commit')}{' with changes' if git.get('dirty') else ''}",
        "lock": job.get("lock_sha256"),
        "where": f"{job.get('host')}, {job.get('machine')}, Python {job.get('python')}",
        "when": f"{job.get('started')} to {job.get('ended')}",
        "parameters": sidecar.parameters,
        **({"facts": sidecar.record["facts"]} if sidecar.record.get("facts") else {}),
    }


def file_link(root: Path, sidecar: Sidecar) -> Link:
    """The file's digest. Another one breaks no record that was verified by itself."""
    path = root / sidecar.place
    if not path.is_file():
        return Link(sidecar.place, "file", "MISSING", f"{path} is not there")
    if digest(path) == sidecar.sha256:
        return Link(sidecar.place, "file", "RECORDED", f"sha256 {sidecar.sha256}")
    detail = f"{NOT_BY_ID}; this cell's records were read by id"
    return Link(sidecar.place, "file", "RECORDED", detail, checked=False)


def sealed_links(root: Path, place: str) -> Iterator[Link]:
    """The sidecar against the manifest, where there is one; nothing else can hold it."""
    path = root / MANIFEST
    if not path.is_file():
        return
    status = path.stat()
    listed = _listed(root, status.st_mtime_ns, status.st_size, status.st_ino)
    entry = listed.get(f"{place}{SUFFIX}")
    if entry is None:
        yield Link(place, "sidecar", "RECORDED", "is not in the manifest", checked=False)
    elif digest(sidecar_path(root / place)) == entry.sha256:
        yield Link(place, "sidecar", "RECORDED", "as the manifest lists it")
    else:
        detail = f"changed: sha256 is not the manifest's {entry.sha256}"
        yield Link(place, "sidecar", "MISMATCH", detail)


@cache
def _listed(root: Path, *state: int) -> dict[str, Entry]:
    return dict(read_manifest(root).files)

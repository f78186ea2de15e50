"""Where everything comes from: sources, models and jobs, as the sidecars of this run say."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from retrial.audit.sidecars import Sidecar
from retrial.errors import RetrialError
from retrial.report.behind import Behind
from retrial.sources.catalogue import Sources

PRINTED, OWN = "Values as printed in the papers", "Files of this project and its packages"


@dataclass(frozen=True)
class FileUse:
    """One file from outside the results folder: its digest as read and, where known, as pinned."""

    path: str
    sha256: str
    url: str = ""
    pinned: str = ""

    @property
    def matches(self) -> bool:
        """Whether the bytes that were read are the pinned ones."""
        return bool(self.pinned) and self.pinned == self.sha256


@dataclass(frozen=True)
class SourceUse:
    """One publication that the run reads from, and its files."""

    title: str
    licence: str
    homepage: str
    note: str
    files: tuple[FileUse, ...]


@dataclass(frozen=True)
class ModelUse:
    """One model: where from, which revision, and the digests of its files."""

    name: str
    model: str
    revision: str
    licence: str
    digest: str
    files: tuple[tuple[str, int, str], ...]


def job_id(place: str) -> str:
    """The id of an output's job on the page of provenance."""
    return "job-" + place.replace("/", "--")


def seconds(sidecar: Sidecar) -> int | None:
    """How long a job ran; None when its times are not on record."""
    try:
        start, end = (datetime.fromisoformat(sidecar.job[k]) for k in ("started", "ended"))
    except (KeyError, TypeError, ValueError):
        return None
    return int((end - start).total_seconds())


def all_jobs(behind: Behind, places: Iterable[str]) -> list[Sidecar]:
    """The jobs of these outputs and of everything they were made from, by path."""
    found: dict[str, Sidecar] = {}
    waiting = list(places)
    while waiting:
        place = waiting.pop()
        if place in found or not (behind.root / place).is_file():
            continue
        try:
            found[place] = behind.sidecar(place)
        except RetrialError:
            continue  # an input from outside the folder that happens to lie below it
        waiting += found[place].inputs
    return [found[place] for place in sorted(found)]


def sources_used(jobs: Iterable[Sidecar], catalogue: Sources) -> list[SourceUse]:
    """The files from outside that these jobs read, by source; those of this project last."""
    listed = list(jobs)
    made = {job.place for job in listed}
    read = {path: sha for job in listed for path, sha in job.inputs.items() if path not in made}
    found: dict[str, list[FileUse]] = {}
    for path, sha256 in sorted(read.items()):
        source, file = _catalogued(path, catalogue)
        found.setdefault(source, []).append(FileUse(path, sha256, *file))
    return [_source(name, found[name], catalogue) for name in sorted(found, key=_own_last)]


def _own_last(source: str) -> tuple[bool, str]:
    return source in (PRINTED, OWN), source


def _catalogued(path: str, catalogue: Sources) -> tuple[str, tuple[str, str]]:
    """The id of a file's source; its pinned address and digest, empty where there are none."""
    parts = Path(path).parts
    source = catalogue.sources.get(parts[-2]) if len(parts) > 1 else None
    file = source.files.get(parts[-1]) if source else None
    if file is None:
        return PRINTED if "published" in parts else OWN, ("", "")
    return parts[-2], (file.url, file.sha256 or "")


def _source(name: str, files: list[FileUse], catalogue: Sources) -> SourceUse:
    if name in (PRINTED, OWN):
        licence = "numbers, as the papers print them" if name == PRINTED else "Apache-2.0"
        return SourceUse(name, licence, "", "", tuple(files))
    source = catalogue.sources[name]
    note = source.note.strip()
    return SourceUse(source.title, source.licence, source.homepage, note, tuple(files))


def models_used(behind: Behind, jobs: Iterable[Sidecar]) -> list[ModelUse]:
    """The models that judged or embedded, from their locks."""
    places = [job.place for job in jobs if job.place.startswith("models/")]
    return [_model(behind.root, place) for place in places]


def _model(root: Path, place: str) -> ModelUse:
    lock: dict[str, Any] = json.loads((root / place).read_text(encoding="utf-8"))
    files = ((name, f.get("bytes", 0), f.get("sha256", "")) for name, f in lock["files"].items())
    return ModelUse(
        name=Path(place).stem,
        model=str(lock.get("model", "")),
        revision=str(lock.get("revision", "")),
        licence=str(lock.get("licence") or "none stated"),
        digest=str(lock.get("digest", "")),
        files=tuple(sorted(files)),
    )

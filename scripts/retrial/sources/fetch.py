"""Put one source file in its place: from the mirror, or from its address, checked by sha256."""

import logging
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from retrial.errors import RetrialError
from retrial.record.files import write_atomically
from retrial.sources.catalogue import SourceFile
from retrial.sources.expectation import Expectation, FetchError, expectation
from retrial.sources.part import PartFile, claim_part
from retrial.sources.retry import RetryPolicy
from retrial.sources.transfer import Progress, Transfer

_LOG = logging.getLogger(__name__)
_BLOCK = 1 << 20

Origin = Literal["network", "mirror", "present"]
_Outcome = tuple[Origin, str, int, bool]

MIRROR_VARIABLE = "RETRIAL_MIRROR"
"""The environment variable that names a folder of files laid out as `<source>/<file>`."""

FIRST_USE_SUFFIX = ".sha256-first-use"
"""`<file>` + this holds the digest recorded at first use, in the format of `sha256sum`."""


@dataclass(frozen=True)
class FetchResult:
    """A file that is in place: its digest, size in bytes, and how it came there.

    `origin` is `network`, `mirror`, or `present` (it was there before); `resumed` tells whether a
    broken download was continued; `seconds` is the whole time taken.
    """

    sha256: str
    bytes: int
    origin: Origin
    resumed: bool
    seconds: float


def mirror_from_environment() -> Path | None:
    """The mirror folder that RETRIAL_MIRROR names, or None; RetrialError if it is no folder."""
    value = os.environ.get(MIRROR_VARIABLE, "").strip()
    if not value:
        return None
    folder = Path(value).expanduser().resolve()
    if not folder.is_dir():
        raise RetrialError(f"{MIRROR_VARIABLE}={value}: no such folder; unset it or mend it")
    return folder


def fetch(
    source_file: SourceFile,
    destination: Path,
    *,
    mirror: Path | None,
    source_id: str,
    policy: RetryPolicy | None = None,
    on_progress: Progress | None = None,
) -> FetchResult:
    """Make `destination` hold the file, and return what it holds.

    The file's name is the destination's. A good file that is there already is kept; else
    `<mirror>/<source_id>/<name>` is copied if it exists; else the address is read. After a
    RetrialError nothing is at the destination, and no part is left either; a killed process
    leaves `.<name>.part`, which the next call resumes. Raises FetchError (a RetrialError) that
    names the file, the address, expected and actual digest and size, and the remedy.
    """
    started = time.monotonic()
    job = _Job(source_file, destination, source_id, mirror, policy or RetryPolicy(), on_progress)
    try:
        origin, sha256, size, resumed = job.run()
    except OSError as error:
        raise FetchError(f"{job.label}: {destination} can't be written: {error}") from error
    return FetchResult(sha256, size, origin, resumed, time.monotonic() - started)


@dataclass
class _Job:
    """One call of `fetch`."""

    file: SourceFile
    destination: Path
    source_id: str
    mirror: Path | None
    policy: RetryPolicy
    on_progress: Progress | None

    @property
    def label(self) -> str:
        return f"{self.source_id}/{self.destination.name}"

    def run(self) -> _Outcome:
        present = self._present()
        if present is not None:
            return "present", *present, False
        policy = self.policy
        with claim_part(self.destination, policy.lock_patience, policy.sleep) as part:
            present = self._present()  # another process may have finished during the wait
            if present is not None:
                part.discard()
                return "present", *present, False
            outcome = self._copy(part) or self._download(part)
            _record_first_use(self.file, self.label, self.destination, outcome[1])
            part.publish(self.destination)
        return outcome

    def _want(self, remedy: str) -> Expectation:
        known = read_first_use(self.destination)
        if known is not None and self.file.trust == "first-use":
            record = first_use_path(self.destination)
            remedy += f"; if its publisher changed the file, delete {record} and run again"
        return expectation(self.file, self.label, known, remedy)

    def _present(self) -> tuple[str, int] | None:
        """The digest and size of a good file at the destination; None if it is to be fetched."""
        place = self.destination
        if not place.exists():
            return None
        if not place.is_file():
            raise FetchError(f"{self.label}: {place} is in the way and is no file; move it away")
        try:
            found = self._want(f"move {place} away to download it").check(place, str(place))
        except FetchError as error:
            if self.file.trust == "first-use":
                raise
            _LOG.warning("%s\nthe file is removed and fetched again", error)
            place.unlink()
            return None
        _record_first_use(self.file, self.label, place, found[0])
        now = time.time()
        if place.stat().st_mtime > now:
            os.utime(place, (now, now))
        return found

    def _copy(self, part: PartFile) -> _Outcome | None:
        """The mirror's file, where the mirror holds it."""
        if self.mirror is None:
            return None
        origin = self.mirror / self.source_id / self.destination.name
        if not origin.is_file():
            _LOG.info("%s: not in the mirror %s; reading its address", self.label, self.mirror)
            return None
        want = self._want(f"replace {origin} by the right file, or remove it to download it")
        found = want.check(origin, str(origin))
        part.clear()
        with origin.open("rb") as source:
            for block in iter(lambda: source.read(_BLOCK), b""):
                part.append(block)
        part.flush()
        # Checked again as written: the mirror may have changed in between.
        if want.check(part.path, f"the copy of {origin}") != found:
            raise FetchError(f"{self.label}: {origin} changed while it was copied; run again")
        return "mirror", *found, False

    def _download(self, part: PartFile) -> _Outcome:
        want = self._want(self._remedy())
        transfer = Transfer(want, part, self.policy, self.on_progress)
        transfer.run()
        try:
            found = want.check(part.path, "the download")
        except FetchError:
            if not transfer.resumed:
                raise
            # The halves of a resumed download need not belong together: once more, from zero.
            _LOG.warning("%s: the resumed download is wrong; starting from zero", self.label)
            part.clear()
            transfer = Transfer(want, part, self.policy, self.on_progress)
            transfer.run()
            found = want.check(part.path, "the download")
        return "network", *found, transfer.resumed

    def _remedy(self) -> str:
        folder = self.mirror or Path("FOLDER")
        place = folder / self.source_id / self.destination.name
        get = self.file.by_hand or "get the file by other means"
        return (
            "check the network, proxy and firewall, and run again; or "
            f"{get}, place it at {place}, and set {MIRROR_VARIABLE}={folder}"
        )


def first_use_path(destination: Path) -> Path:
    """Where the digest of a file without a pinned one is recorded."""
    return destination.with_name(destination.name + FIRST_USE_SUFFIX)


def read_first_use(destination: Path) -> str | None:
    """The digest recorded at first use, or None; RetrialError if the record can't be read."""
    path = first_use_path(destination)
    if not path.exists():
        return None
    words = path.read_text(encoding="utf-8", errors="replace").split()
    if not words or not re.fullmatch("[0-9a-f]{64}", words[0]):
        raise FetchError(f"{path}: this is no record of a sha256; delete it and run again")
    return words[0]


def _record_first_use(file: SourceFile, label: str, destination: Path, sha256: str) -> None:
    if file.trust != "first-use" or read_first_use(destination) is not None:
        return
    if file.sha256 is not None and file.sha256 != sha256:
        _LOG.warning(
            "%s: the digest that others report is %s, this file's is %s; it is kept and recorded",
            label,
            file.sha256,
            sha256,
        )
    line = f"{sha256}  {destination.name}\n"
    write_atomically(first_use_path(destination), line.encode())

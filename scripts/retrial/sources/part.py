"""The hidden file that a download grows in, until it is whole and checked."""

import fcntl
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from retrial.errors import RetrialError
from retrial.record.files import put_in_place

_LOG = logging.getLogger(__name__)
_POLL_SECONDS = 0.2


class PartFile:
    """`.<name>.part` beside the destination, held by one process at a time.

    The bytes on disk are always a prefix of what a server sent, so a killed process leaves
    something that the next one can resume. The server's ETag is kept in a file next to it.
    """

    def __init__(self, path: Path, handle: BinaryIO) -> None:
        """Take an open, locked file."""
        self.path = path
        self._handle = handle
        self._tag_path = path.with_name(f"{path.name}-etag")

    def flush(self) -> None:
        """Let other readers of the path see every byte."""
        self._handle.flush()

    def size(self) -> int:
        """Bytes written so far, all of them flushed."""
        self._handle.flush()
        return os.fstat(self._handle.fileno()).st_size

    def append(self, chunk: bytes) -> None:
        """Write at the end."""
        self._handle.seek(0, os.SEEK_END)
        self._handle.write(chunk)

    def clear(self) -> None:
        """Back to nothing: no bytes, no ETag."""
        self._handle.flush()
        self._handle.truncate(0)
        self._tag_path.unlink(missing_ok=True)

    @property
    def etag(self) -> str | None:
        """The strong ETag of the answer that the bytes come from, where the server gave one."""
        with suppress(OSError, UnicodeDecodeError):
            return self._tag_path.read_text(encoding="ascii").strip() or None
        return None

    @etag.setter
    def etag(self, tag: str | None) -> None:
        self._tag_path.unlink(missing_ok=True)
        if tag is not None and tag.isascii() and not tag.startswith("W/"):
            self._tag_path.write_text(tag, encoding="ascii")

    def publish(self, destination: Path) -> None:
        """Flush to disk, date the file now (by this machine's clock), and rename into place."""
        self._handle.flush()
        os.fsync(self._handle.fileno())
        self._tag_path.unlink(missing_ok=True)
        now = time.time()
        os.utime(self.path, (now, now))
        put_in_place(self.path, destination)

    def discard(self) -> None:
        """Leave nothing behind."""
        self._tag_path.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)


@contextmanager
def claim_part(
    destination: Path, patience: float, sleep: Callable[[float], None]
) -> Iterator[PartFile]:
    """Hold the part file of `destination`; wait up to `patience` seconds for another holder.

    A RetrialError raised inside discards the part; an interrupt leaves it to be resumed.
    """
    destination.parent.mkdir(parents=True, exist_ok=True)
    path = destination.with_name(f".{destination.name}.part")
    path, handle = _locked(path, patience, sleep)
    part = PartFile(path, handle)
    with handle:
        try:
            yield part
        except (RetrialError, OSError):
            part.discard()
            raise


def _locked(path: Path, patience: float, sleep: Callable[[float], None]) -> tuple[Path, BinaryIO]:
    deadline = time.monotonic() + patience
    told = False
    while True:
        handle = path.open("ab+")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.close()
        except OSError as error:
            handle.close()
            return _unshared(path, error)
        else:
            if _still_there(path, handle):
                return path, handle
            handle.close()
            continue
        if time.monotonic() > deadline:
            raise RetrialError(
                f"{path}: another process has held this download for more than {patience:.0f} s; "
                "end it, or wait for it, and run again"
            )
        if not told:
            _LOG.info("%s: another process is fetching this file; waiting for it", path)
            told = True
        sleep(_POLL_SECONDS)


def _still_there(path: Path, handle: BinaryIO) -> bool:
    """Whether the locked file is still the one of that name: its holder may have renamed it."""
    try:
        return os.path.samestat(path.stat(), os.fstat(handle.fileno()))
    except FileNotFoundError:
        return False


def _unshared(path: Path, error: OSError) -> tuple[Path, BinaryIO]:
    """A part of a name of its own, where the file system knows no locks."""
    _LOG.warning(
        "%s: the file system has no locks (%s); this download can't be resumed", path, error
    )
    with suppress(OSError):
        if path.stat().st_size == 0:
            path.unlink()
    own = path.with_name(f"{path.stem}.{uuid4().hex}.part")
    return own, own.open("xb+")

"""Files of an archive, read into memory: nothing is ever written to a path that it names.

Its kind is told by its first bytes. Names that lead out of the archive's folder, encryption,
links in place of a file that is wanted, and more bytes than a limit are refused.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from retrial.errors import RetrialError

Kind = Literal["zip", "tar", "gz", "xz", "bz2", "page", "empty", "other"]

MAGIC: Final[tuple[tuple[bytes, Kind], ...]] = (
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\x1f\x8b", "gz"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"BZh", "bz2"),
)
TAR_MARK, TAR_PLACE = b"ustar", 257
START = 1024
_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<!doctype\s+html|<html)", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:")

Wanted = Callable[[PurePosixPath], bool]


class ArchiveError(RetrialError):
    """An archive that can't be read, or that is not safe to read."""


@dataclass(frozen=True)
class Limits:
    """How much may come out of an archive: files in all, bytes of one, bytes of all."""

    members: int = 20_000
    member_bytes: int = 256 * 2**20
    total_bytes: int = 8 * 2**30


@dataclass
class Contents:
    """The wanted files by name, and the names of all files."""

    files: dict[str, bytes] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)


def kind_of(path: Path) -> Kind:
    """What a file's first bytes say it is. Raises ArchiveError for a file that can't be read."""
    try:
        with path.open("rb") as file:
            start = file.read(START)
    except OSError as error:
        raise ArchiveError(f"{path}: can't be read: {error.strerror}") from error
    if not start:
        return "empty"
    for magic, kind in MAGIC:
        if start.startswith(magic):
            return kind
    if start[TAR_PLACE : TAR_PLACE + len(TAR_MARK)] == TAR_MARK:
        return "tar"
    return "page" if _PAGE.match(start) else "other"


def read_archive(path: Path, wanted: Wanted, limits: Limits | None = None) -> Contents:
    """The files whose names are wanted, and all names. Raises ArchiveError naming the member."""
    from retrial.items.attacks.archive_tar import read_tar
    from retrial.items.attacks.archive_zip import read_zip

    kind, bounds = kind_of(path), limits or Limits()
    if kind == "zip":
        return read_zip(path, wanted, bounds)
    if kind in ("tar", "gz", "xz", "bz2"):
        return read_tar(path, kind, wanted, bounds)
    raise ArchiveError(f"{path}: is neither a zip nor a tar archive by its first bytes")


def safe_name(path: Path, name: str) -> PurePosixPath:
    """A member's name as a path below the archive's folder. Raises ArchiveError for any other."""
    plain = name.replace("\\", "/")
    place = PurePosixPath(plain)
    if place.is_absolute() or ".." in place.parts or "\0" in name or _DRIVE.match(plain):
        raise ArchiveError(
            f"{path}: holds {name!r}, which leads out of the archive's folder: it is not the "
            "archive that was published, or it was tampered with; nothing of it is read"
        )
    return place


def check_size(path: Path, name: str, size: int, limit: int) -> None:
    """Raises ArchiveError when a file is larger than the limit (bytes)."""
    if size > limit:
        raise ArchiveError(f"{path}: {name} is larger than the {limit} bytes that are allowed")


def check_total(path: Path, size: int, limit: int) -> None:
    """Raises ArchiveError when all files together are larger than the limit (bytes)."""
    if size > limit:
        raise ArchiveError(
            f"{path}: unpacks to more than the {limit} bytes that are allowed in all; it is not "
            "the archive that was published"
        )


def check_count(path: Path, count: int, limit: int) -> None:
    """Raises ArchiveError when there are more files than the limit."""
    if count > limit:
        raise ArchiveError(f"{path}: holds more than the {limit} files that are allowed")


def add(path: Path, contents: Contents, place: PurePosixPath, data: bytes) -> None:
    """Keep a wanted file. Raises ArchiveError when one of that name is there already."""
    name = place.as_posix()
    if name in contents.files:
        raise ArchiveError(f"{path}: holds {name} twice")
    contents.files[name] = data


def linked(path: Path, place: PurePosixPath) -> ArchiveError:
    """The error for a wanted name that is a link or a device: links are never followed."""
    return ArchiveError(f"{path}: {place} is a link or a device, not a file; it is not followed")

"""Wanted files of a tar archive, plain or compressed, read as a stream."""

import bz2
import gzip
import lzma
import tarfile
import zlib
from pathlib import Path
from typing import IO, cast

from retrial.items.attacks.archive import (
    TAR_MARK,
    TAR_PLACE,
    ArchiveError,
    Contents,
    Kind,
    Limits,
    Wanted,
    add,
    check_count,
    check_size,
    check_total,
    linked,
    safe_name,
)

BLOCK = tarfile.BLOCKSIZE
DRAIN = 1 << 20
DAMAGE = (tarfile.TarError, EOFError, lzma.LZMAError, zlib.error, OSError)


class _Counted:
    """A stream that refuses to give more bytes than a limit, and remembers its end."""

    def __init__(self, path: Path, file: IO[bytes], limit: int) -> None:
        self.path, self.file, self.limit = path, file, limit
        self.given, self.start, self.end = 0, b"", b""

    def read(self, size: int) -> bytes:
        data = self.file.read(size)
        self.given += len(data)
        check_total(self.path, self.given, self.limit)
        if len(self.start) < BLOCK:
            self.start = (self.start + data)[:BLOCK]
        self.end = (self.end + data)[-BLOCK:]
        return data


def read_tar(path: Path, kind: Kind, wanted: Wanted, limits: Limits) -> Contents:
    """See `read_archive`. What is skipped counts for the limit too: it must be decompressed."""
    stream: _Counted | None = None
    try:
        with _opened(path, kind) as file:
            stream = _Counted(path, file, limits.total_bytes)
            with tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r|") as archive:
                contents = _read(path, archive, wanted, limits)
            while stream.read(DRAIN):
                pass
    except DAMAGE as error:
        start = stream.start if stream else b""
        if len(start) == BLOCK and start[TAR_PLACE : TAR_PLACE + len(TAR_MARK)] != TAR_MARK:
            what = f"{path}: is compressed ({kind}), but what it holds is no tar archive"
            raise ArchiveError(what) from error
        raise _damaged(path, str(error)) from error
    if any(stream.end):
        raise _damaged(path, "its end is missing")
    return contents


def _damaged(path: Path, why: str) -> ArchiveError:
    return ArchiveError(f"{path}: the tar archive is damaged or cut off: {why}; get it again")


def _opened(path: Path, kind: Kind) -> IO[bytes]:
    if kind == "gz":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    if kind == "xz":
        return cast("IO[bytes]", lzma.open(path, "rb"))
    if kind == "bz2":
        return cast("IO[bytes]", bz2.open(path, "rb"))
    return path.open("rb")


def _read(path: Path, archive: tarfile.TarFile, wanted: Wanted, limits: Limits) -> Contents:
    contents, count = Contents(), 0
    for member in archive:
        place, count = safe_name(path, member.name), count + 1
        check_count(path, count, limits.members)
        if member.isdir():
            continue
        contents.names.append(place.as_posix())
        if not wanted(place):
            continue
        if not member.isfile():
            raise linked(path, place)
        check_size(path, place.as_posix(), member.size, limits.member_bytes)
        file = archive.extractfile(member)
        assert file is not None, "a regular file can be opened"
        data = file.read()
        if len(data) != member.size:
            raise _damaged(path, f"{place} is cut off")
        add(path, contents, place, data)
    return contents

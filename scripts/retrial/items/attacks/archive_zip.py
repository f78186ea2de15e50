"""Wanted files of a zip archive."""

import stat
import zipfile
import zlib
from pathlib import Path

from retrial.items.attacks.archive import (
    ArchiveError,
    Contents,
    Limits,
    Wanted,
    add,
    check_count,
    check_size,
    check_total,
    linked,
    safe_name,
)

ENCRYPTED = 0x1
"""The flag bit of an encrypted member."""


def read_zip(path: Path, wanted: Wanted, limits: Limits) -> Contents:
    """See `read_archive`. Sizes are checked as stated, and again by what is read."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(path, archive, wanted, limits)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
        what = f"{path}: the zip archive is damaged or cut off: {error}; get it again"
        raise ArchiveError(what) from error


def _read(path: Path, archive: zipfile.ZipFile, wanted: Wanted, limits: Limits) -> Contents:
    members = [member for member in archive.infolist() if not member.is_dir()]
    check_count(path, len(members), limits.members)
    check_total(path, sum(member.file_size for member in members), limits.total_bytes)
    contents = Contents()
    for member in members:
        place = safe_name(path, member.filename)
        contents.names.append(place.as_posix())
        if member.flag_bits & ENCRYPTED:
            raise ArchiveError(f"{path}: {place} is encrypted; the published archive is not")
        if not wanted(place):
            continue
        kind = stat.S_IFMT(member.external_attr >> 16)
        if kind and kind != stat.S_IFREG:
            raise linked(path, place)
        check_size(path, place.as_posix(), member.file_size, limits.member_bytes)
        with archive.open(member) as file:
            data = file.read(limits.member_bytes + 1)
        check_size(path, place.as_posix(), len(data), limits.member_bytes)
        add(path, contents, place, data)
    return contents

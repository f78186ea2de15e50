"""Packing a folder into one zip archive, the same bytes every time; unpacking what strangers sent.

Members are stored, not compressed: Parquet and PNG are compressed already, and what is stored
is the same to the byte whatever version of zlib packs it.
"""

import shutil
import stat
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from uuid import uuid4

from retrial.errors import RetrialError

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every member: the earliest that a zip archive can hold."""
FILE_MODE = stat.S_IFREG | 0o644
UNIX = 3
BLOCK = 1 << 20
LOOKALIKES = ("con", "prn", "aux", "nul")
ENCRYPTED = 0x1


@dataclass(frozen=True)
class Limits:
    """What an archive may hold at most: members, bytes in all, and bytes to one packed byte."""

    members: int = 200_000
    total_bytes: int = 32 << 30
    ratio: int = 200


def pack(members: Mapping[str, Path], archive: Path) -> None:
    """Write the members (path in the archive -> file), sorted, into a zip archive, atomically.

    Times, modes and owners are fixed. Raises RetrialError where the archive can't be written.
    """
    part = archive.with_name(f".{archive.name}.{uuid4().hex}.part")
    try:
        with zipfile.ZipFile(part, "x", zipfile.ZIP_STORED) as packed:
            for name, source in sorted(members.items()):
                _add(packed, name, source)
        part.replace(archive)
    except OSError as error:
        raise RetrialError(f"{archive}: can't be written: {error}") from error
    finally:
        part.unlink(missing_ok=True)


def _add(packed: zipfile.ZipFile, name: str, source: Path) -> None:
    info = zipfile.ZipInfo(name, EPOCH)
    info.create_system, info.external_attr = UNIX, FILE_MODE << 16
    info.file_size = source.stat().st_size  # decides on the wide header before the first byte
    with source.open("rb") as data, packed.open(info, "w") as member:
        shutil.copyfileobj(data, member, BLOCK)


def unpack(archive: Path, into: Path, limits: Limits | None = None) -> list[str]:
    """Unpack an archive into an empty folder; returns the names of its members.

    Nothing is written before every member's name, kind and size were looked at. Raises
    RetrialError, with the member's name, for a path that leaves the folder, a link or device, an
    encrypted or damaged member, two members of one name, too many or too large members, and for a
    file that is no whole zip archive.
    """
    bounds = limits or Limits()
    try:
        with zipfile.ZipFile(archive) as packed:
            infos = packed.infolist()
            _refuse(archive, infos, bounds)
            for info in infos:
                _extract(archive, packed, info, into)
    except zipfile.BadZipFile as error:
        raise RetrialError(
            f"{archive}: not a whole zip archive (cut short or damaged; get it again): {error}"
        ) from error
    except OSError as error:
        raise RetrialError(f"{archive}: can't be unpacked: {error}") from error
    return [info.filename for info in infos]


def _refuse(archive: Path, infos: list[zipfile.ZipInfo], limits: Limits) -> None:
    if len(infos) > limits.members:
        raise RetrialError(
            f"{archive}: {len(infos):,} members; at most {limits.members:,} are read"
        )
    seen: set[str] = set()
    for info in infos:
        if fault := member_fault(info):
            raise RetrialError(f"{archive}: member {info.filename!r} {fault}; nothing was unpacked")
        folded = info.filename.casefold()
        if folded in seen:
            raise RetrialError(f"{archive}: member {info.filename!r} stands twice")
        seen.add(folded)
        if info.file_size > limits.ratio * max(info.compress_size, 1):
            raise RetrialError(
                f"{archive}: member {info.filename!r} would grow more than {limits.ratio} times "
                f"when unpacked; nothing was unpacked"
            )
    total = sum(info.file_size for info in infos)
    if total > limits.total_bytes:
        raise RetrialError(
            f"{archive}: {total:,} bytes unpacked; at most {limits.total_bytes:,} are read"
        )


def member_fault(info: zipfile.ZipInfo) -> str:
    """Why a member must not be unpacked; empty when it may."""
    name, mode = info.orig_filename, info.external_attr >> 16
    path = PurePosixPath(name)
    if path.is_absolute() or PureWindowsPath(name).drive or name.startswith("\\"):
        return "has an absolute path"
    parts = name.split("/")
    if ".." in parts:
        return "would leave the folder"
    if "\\" in name or any(p in ("", ".") or ord(min(p)) < ord(" ") for p in parts):
        return "has a name that is no plain relative path"
    if any(p.split(".")[0].casefold() in LOOKALIKES or ":" in p for p in parts):
        return "has a name that some systems take for a device"
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "is a link or a special file"
    if info.flag_bits & ENCRYPTED:
        return "is encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is compressed by another method than deflate"
    return ""


def _extract(archive: Path, packed: zipfile.ZipFile, info: zipfile.ZipInfo, into: Path) -> None:
    target = into / info.filename
    left = info.file_size
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with packed.open(info) as member, target.open("xb") as file:
            while block := member.read(BLOCK):
                left -= len(block)
                if left < 0:
                    raise RetrialError(
                        f"{archive}: member {info.filename!r} is larger than it says"
                    )
                file.write(block)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, ValueError, OSError) as error:
        raise RetrialError(f"{archive}: member {info.filename!r} is damaged: {error}") from error
    except Exception as error:  # zlib has an error type of its own
        if isinstance(error, RetrialError):
            raise
        raise RetrialError(f"{archive}: member {info.filename!r} is damaged: {error}") from error


def packed_by_pack(archive: Path) -> bool:
    """Whether an archive was written by `pack`, so that every byte of it has its place.

    One damaged header does not hide it: it is enough that some member looks like that.
    """
    with zipfile.ZipFile(archive) as packed:
        return any(
            info.date_time == EPOCH and info.compress_type == zipfile.ZIP_STORED
            for info in packed.infolist()
        )


def packing_faults(archive: Path, folder: Path, names: list[str], spare: Path) -> Iterator[str]:
    """Where an archive differs from its members packed again: in headers, which hold no data.

    Yields one sentence for the first difference. `spare` is a path to pack to.
    """
    pack({name: folder / name for name in names}, spare)
    offset = _first_difference(archive, spare)
    if offset is not None:
        yield f"byte {offset:,} ({_member_at(spare, offset)}) is not as it was packed"


def _first_difference(one: Path, other: Path) -> int | None:
    with one.open("rb") as left, other.open("rb") as right:
        place = 0
        while True:
            a, b = left.read(BLOCK), right.read(BLOCK)
            if a != b:
                pairs = enumerate(zip(a, b, strict=False))
                return place + next((i for i, (x, y) in pairs if x != y), min(len(a), len(b)))
            if not a:
                return None
            place += len(a)


def _member_at(archive: Path, offset: int) -> str:
    with zipfile.ZipFile(archive) as packed:
        if offset >= packed.start_dir:
            return "the archive's directory"
        before = [i for i in packed.infolist() if i.header_offset <= offset]
        return f"the header of {before[-1].filename}"

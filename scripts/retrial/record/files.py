"""Atomic writes: a reader sees the old file or the whole new one, never a part."""

import os
from contextlib import suppress
from pathlib import Path
from uuid import uuid4


def write_atomically(path: Path, data: bytes) -> None:
    """Write bytes beside `path`, flush them to disk, and rename them into place.

    Nothing is left behind when writing fails (a full disk, an interrupt); a killed process
    leaves a hidden `.part` file that no reader takes for a result.
    """
    part = write_part(path, data)
    put_in_place(part, path)


def write_part(path: Path, data: bytes) -> Path:
    """Write and flush `data` to a uniquely named hidden file beside `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return part


def put_in_place(part: Path, path: Path) -> None:
    """Rename `part` to `path` and flush the folder, so that a crash can't undo the rename."""
    try:
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    with suppress(OSError):  # some network file systems can't open folders
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

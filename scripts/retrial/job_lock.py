"""One job at a time: a file that a running job creates and keeps touching.

`flock` is no use on many network file systems, so the lock is a file that only one job can
create. It names who holds it, and its time moves on while the holder lives; where it stands
still, the holder is gone and the lock is taken over.
"""

import json
import logging
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from retrial.errors import RetrialError

log = logging.getLogger("retrial")

BEAT = 15.0
"""Seconds between two signs of life."""
PATIENCE = 60.0
"""How long a lock is watched for a sign of life before its holder counts as gone."""


@contextmanager
def only_one(path: Path, *, beat: float = BEAT, patience: float = PATIENCE) -> Iterator[None]:
    """Holds the lock at `path` while the block runs.

    Raises RetrialError when another job holds it and lives. A holder on this host whose
    process is gone is replaced at once; one elsewhere after `patience` seconds without a beat.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    token = uuid4().hex
    while not _create(path, token):
        _give_way_or_take_over(path, beat, patience)
    stop = threading.Event()
    beating = threading.Thread(target=_beat, args=(path, token, stop, beat), daemon=True)
    beating.start()
    try:
        yield
    finally:
        stop.set()
        beating.join()
        if _read(path).get("token") == token:
            path.unlink(missing_ok=True)


def _create(path: Path, token: str) -> bool:
    holder = {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "slurm_job": os.environ.get("SLURM_JOB_ID", ""),
        "since": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "token": token,
    }
    try:
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
    except FileExistsError:
        return False
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(holder, file, sort_keys=True)
    return True


def _give_way_or_take_over(path: Path, beat: float, patience: float) -> None:
    """Returns when the lock is free; raises when its holder is alive."""
    seen, holder = _time_of(path), _read(path)
    if seen is None:
        return
    if not _gone_from_here(holder):
        log.info("%s is held by %s; waiting for a sign of life", path, _named(holder))
        until = time.monotonic() + patience
        while time.monotonic() < until:
            time.sleep(min(beat / 3, 1.0))
            now = _time_of(path)
            if now is None:
                return
            if now != seen:
                raise RetrialError(
                    f"{path}: the same work is being done by {_named(_read(path))}; wait for it, "
                    "or stop it first (on a cluster: scancel), then run again"
                )
    _remove(path, holder)


def _gone_from_here(holder: dict[str, object]) -> bool:
    """Whether the holder was a process of this host that runs no more."""
    if holder.get("host") != socket.gethostname():
        return False
    try:
        os.kill(int(str(holder["pid"])), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, KeyError, ValueError):
        return False
    return False


def _remove(path: Path, holder: dict[str, object]) -> None:
    """Takes the lock of a holder that is gone out of the way, and no other's."""
    aside = path.with_name(f"{path.name}.{uuid4().hex}")
    try:
        path.rename(aside)
    except FileNotFoundError:
        return
    if _read(aside).get("token") != holder.get("token"):
        # Another job took over in between: what was moved is its lock, so put it back.
        with suppress(FileExistsError):
            os.link(aside, path)
    else:
        log.warning("%s: took over from %s, which is gone", path, _named(holder))
    aside.unlink(missing_ok=True)


def _beat(path: Path, token: str, stop: threading.Event, beat: float) -> None:
    while not stop.wait(beat):
        if _read(path).get("token") != token:
            log.warning("%s: this job's lock was taken over by another", path)
            return
        with suppress(OSError):
            os.utime(path)


def _time_of(path: Path) -> int | None:
    """When the lock was last touched; opened first, since network file systems cache times."""
    try:
        with path.open("rb") as file:
            return os.fstat(file.fileno()).st_mtime_ns
    except FileNotFoundError:
        return None


def _read(path: Path) -> dict[str, object]:
    """Who holds the lock; empty while it is being written, or when it is gone."""
    try:
        found: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return found


def _named(holder: dict[str, object]) -> str:
    slurm = f" (Slurm job {holder['slurm_job']})" if holder.get("slurm_job") else ""
    return f"process {holder.get('pid', '?')} on {holder.get('host', '?')}{slurm}"

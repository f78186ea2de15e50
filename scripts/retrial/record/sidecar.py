"""Sidecars: who made an output, from what, with which code, when and where.

A sidecar is written by the job itself, before its output is renamed into place, and names
the output's digest. It says what was true when the job ran; later edits can't change it.
"""

import json
import os
import platform
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from retrial import __version__
from retrial.digest import sha256_file
from retrial.record.contracts import Contract
from retrial.record.files import put_in_place, write_atomically, write_part
from retrial.record.tables import check, to_parquet

SIDECAR_VERSION = 1
SUFFIX = ".prov.json"
ENVIRONMENT = ("PYTHONHASHSEED", "TZ", "LC_ALL", "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES",
               "SLURM_JOB_ID", "HF_HUB_OFFLINE")  # fmt: skip


def sidecar_path(output: Path) -> Path:
    """Where the sidecar of an output lies."""
    return output.with_name(output.name + SUFFIX)


def now() -> str:
    """The time in UTC, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass
class Run:
    """One job: what it reads and with which parameters; it writes outputs and their sidecars.

    Paths are recorded relative to `root` (the results folder) where they lie below it and as
    given elsewhere, so that a results folder can be moved.
    """

    rule: str
    root: Path
    inputs: tuple[Path, ...] = ()
    parameters: dict[str, Any] = field(default_factory=dict)
    code: dict[str, str] = field(default_factory=dict)
    code_digest: str = ""
    lock: Path | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    started: str = field(default_factory=now)

    def write_table(self, path: Path, table: pa.Table, contract: Contract) -> None:
        """Write a table that follows `contract`, sidecar first. Raises ContractError."""
        self.write_bytes(path, to_parquet(check(table, contract, str(path))), rows=table.num_rows)

    def write_text(self, path: Path, text: str) -> None:
        """Write text as UTF-8, sidecar first."""
        self.write_bytes(path, text.encode("utf-8"))

    def write_bytes(self, path: Path, data: bytes, **about: Any) -> None:
        """Write bytes, sidecar first, then the data renamed into place."""
        part = write_part(path, data)
        try:
            self._write_sidecar(path, part, about)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        put_in_place(part, path)

    def adopt(self, path: Path, **about: Any) -> None:
        """Write the sidecar of a file that already lies in place (a download)."""
        self._write_sidecar(path, path, about)

    def _write_sidecar(self, path: Path, data: Path, about: dict[str, Any]) -> None:
        record = {
            "sidecar_version": SIDECAR_VERSION,
            "output": {
                "path": self._relative(path),
                "sha256": sha256_file(data),
                "bytes": data.stat().st_size,
                **about,
            },
            "inputs": [{"path": self._relative(p), "sha256": sha256_file(p)} for p in self.inputs],
            "parameters": self.parameters,
            "facts": self.facts,
            "job": self._job(),
        }
        text = json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
        write_atomically(sidecar_path(path), (text + "\n").encode())

    def _job(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "code": self.code,
            "code_digest": self.code_digest,
            "git": git_state(),
            "lock_sha256": sha256_file(self.lock) if self.lock and self.lock.exists() else None,
            "retrial": __version__,
            "python": platform.python_version(),
            "command": Path(sys.argv[0]).name,
            "started": self.started,
            "ended": now(),
            "host": socket.gethostname(),
            "machine": platform.machine(),
            "environment": {k: os.environ[k] for k in ENVIRONMENT if k in os.environ},
        }

    def _relative(self, path: Path) -> str:
        """Below the root as it is written or, with links resolved, as it really lies."""
        for place, root in ((path.absolute(), self.root.absolute()),
                            (path.resolve(), self.root.resolve())):  # fmt: skip
            if place.is_relative_to(root) and ".." not in place.parts:
                return place.relative_to(root).as_posix()
        return path.as_posix()


def git_state() -> dict[str, Any]:
    """The commit of the code and whether the tree had changes; nulls outside a checkout."""
    here = Path(__file__).parent

    def git(*words: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", "-C", str(here), *words], capture_output=True, text=True, timeout=30
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    status = git("status", "--porcelain", "--untracked-files=no")
    return {"commit": git("rev-parse", "HEAD"), "dirty": None if status is None else bool(status)}

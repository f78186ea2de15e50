"""The files of the site, and how they are put in place: whole, listed by digest, nothing stale."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

from retrial.errors import RetrialError
from retrial.record import Run, write_atomically

INDEX, LISTING = "index.html", "files.json"


@dataclass
class Site:
    """A static site in memory: bytes by path below its root."""

    files: dict[str, bytes] = field(default_factory=dict)

    def add(self, path: str, data: bytes) -> None:
        """Add one file. Raises RetrialError for a path that is taken."""
        if path in self.files:
            raise RetrialError(f"report: two pages want to be {path}")
        self.files[path] = data

    def listing(self) -> str:
        """Path -> sha256 of every file of the site, as JSON."""
        digests = {path: hashlib.sha256(data).hexdigest() for path, data in self.files.items()}
        return json.dumps(digests, indent=1, sort_keys=True) + "\n"

    def write(self, run: Run, folder: Path) -> None:
        """Write the site into `folder`, the front page last; what is no part of it is removed.

        The front page and the listing of all files have sidecars; the listing vouches for the
        other files.
        """
        wanted = {folder / path: data for path, data in self.files.items()}
        for path in sorted(p for p in folder.rglob("*") if p.is_file() and p not in wanted):
            path.unlink()
        for folder_left in sorted((p for p in folder.rglob("*") if p.is_dir()), reverse=True):
            if not any(folder_left.iterdir()):
                folder_left.rmdir()
        for path, data in wanted.items():
            if path != folder / INDEX and not _holds(path, data):
                write_atomically(path, data)
        run.write_text(folder / LISTING, self.listing())
        run.write_bytes(folder / INDEX, self.files[INDEX])


def _holds(path: Path, data: bytes) -> bool:
    return path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data

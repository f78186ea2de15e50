"""Long texts in script files of bounded size, each text written once in its file.

A store holds entries by number. Rows of any number of cells point to an entry by its number, so
that a prompt or a story is kept once, however many numbers rest on it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from retrial.report.scripts import script_file

SIZE_LIMIT = 400_000
"""Characters after which a file is closed: small enough to load at a click."""


@dataclass
class Pool:
    """The texts of one file, each once."""

    numbers: dict[str, int] = field(default_factory=dict)
    size: int = 0

    def put(self, text: str | None) -> int | None:
        """The number of a text; None for None."""
        if text is None:
            return None
        self.size += 6
        if text not in self.numbers:
            self.numbers[text] = len(self.numbers)
            self.size += len(text)
        return self.numbers[text]


@dataclass
class Store:
    """Numbered entries in files `data/<id>/<k>.js`; `starts` is the first entry of each file."""

    id: str
    limit: int = SIZE_LIMIT
    starts: list[int] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    count: int = 0
    _pool: Pool = field(default_factory=Pool)
    _entries: list[Any] = field(default_factory=list)

    def add(self, build: Callable[[Pool], Any]) -> int:
        """Append the entry that `build` makes with the file's pool of texts; its number."""
        if self._pool.size >= self.limit:
            self.close()
        if not self._entries:
            self.starts.append(self.count)
        self._entries.append(build(self._pool))
        self.count += 1
        return self.count - 1

    def close(self) -> None:
        """Write the open file, if it holds anything."""
        if not self._entries:
            return
        key = f"{self.id}/{len(self.starts) - 1}"
        content = {"entries": self._entries, "pool": list(self._pool.numbers)}
        self.files[f"data/{key}.js"] = script_file(key, content)
        self._pool, self._entries = Pool(), []

    def head(self) -> dict[str, Any]:
        """What a page needs to find an entry."""
        return {"id": self.id, "starts": self.starts}


def facts(pool: Pool, pairs: list[tuple[str, Any]]) -> list[list[int | None]]:
    """Labels and values as places in the pool; what is empty or unknown is left out."""
    kept = [(label, str(value)) for label, value in pairs if value not in (None, "", -1)]
    return [[pool.put(label), pool.put(value)] for label, value in kept]

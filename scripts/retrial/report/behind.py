"""What stands behind ratings: answers with their prompts, items, and the places in sources.

Every file is read once. Long texts go to the stores that all cells share.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retrial.audit.sidecars import Sidecar, load_sidecar
from retrial.digest import sha256_text
from retrial.errors import RetrialError
from retrial.record import Contract, read, sidecar_path
from retrial.report.answers import Answers
from retrial.report.items import Items
from retrial.report.store import Store


@dataclass
class Behind:
    """The files of one results folder that ratings rest on."""

    root: Path
    stores: dict[str, Store] = field(default_factory=dict)
    _answers: dict[str, Answers] = field(default_factory=dict)
    _items: dict[str, Items] = field(default_factory=dict)

    def sidecar(self, place: str) -> Sidecar:
        """The sidecar of a results file. Raises RetrialError when it is missing or damaged."""
        path = sidecar_path(self.root / place)
        if not path.is_file():
            raise RetrialError(f"{path}: no such sidecar; run the rule that makes {place} again")
        found = load_sidecar(self.root, path)
        if found.fault:
            raise RetrialError(f"{path}: {found.fault}")
        return found

    def answers(self, ratings_file: str) -> Answers | None:
        """The answers that a judge's ratings were read from; None for people."""
        if ratings_file.startswith("ratings/human/"):
            return None
        inputs = self.sidecar(ratings_file)
        file = next(iter(inputs.inputs_in("answers")), None)
        if file is None:
            return None
        if file not in self._answers:
            self._answers[file] = Answers(self, file, self.store(f"answers-{_short(file)}"))
        return self._answers[file]

    def items(self, dataset: str) -> Items:
        """The items of a dataset."""
        if dataset not in self._items:
            self._items[dataset] = Items(self, dataset, self.store(f"items-{dataset}"))
        return self._items[dataset]

    def store(self, name: str) -> Store:
        """The store of that name."""
        return self.stores.setdefault(name, Store(name))

    def rows(self, file: str, contract: Contract) -> list[dict[str, Any]]:
        """All rows of a results file."""
        found: list[dict[str, Any]] = read(self.root / file, contract).to_pylist()
        return found


def _short(text: str) -> str:
    return sha256_text(text)[:10]

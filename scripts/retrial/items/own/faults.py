"""All that is wrong with a user's files, told together."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from retrial.errors import RetrialError

TOLD = 20
"""How many faults an error message lists."""
Kind = TypeVar("Kind")


class InvalidValueError(Exception):
    """What is wrong with a value, as a sentence without its subject: "is missing"."""


class Faults:
    """Faults in the order in which they were found; the first ones are kept, all are counted."""

    def __init__(self) -> None:
        self.count = 0
        self.told: list[str] = []

    def add(self, where: str, what: str) -> None:
        """One fault: `where` names the file, the line and the key."""
        self.count += 1
        if len(self.told) < TOLD:
            fault = f"{where}: {what}"  # a name may hold what can't be printed
            self.told.append(fault.encode("utf-8", "backslashreplace").decode("utf-8"))

    def stop(self) -> None:
        """Raises RetrialError with the faults, if there are any."""
        if not self.count:
            return
        faults = "1 fault" if self.count == 1 else f"{self.count:,} faults"
        more = self.count - len(self.told)
        lines = [
            f"own-dialogues: {faults}; docs/own-data.md says what the columns hold",
            *self.told,
        ]
        raise RetrialError("\n  ".join([*lines, *([f"and {more:,} more"] if more else [])]))


@dataclass(frozen=True)
class Place:
    """A line or row of a file, and the faults that are found there."""

    faults: Faults
    path: Path
    unit: str = "line"
    number: int = 1

    def at(self, number: int) -> "Place":
        """Another line or row of the file."""
        return Place(self.faults, self.path, self.unit, number)

    def add(self, key: str, what: str) -> None:
        """A fault of a column, or of a step into one; of the whole line where the key is ''."""
        self.faults.add(f"{self.path}, {self}" + (f", {key}" if key else ""), what)

    def attempt(self, key: str, check: Callable[[], Kind]) -> Kind | None:
        """What `check` returns; where it raises InvalidValueError, None and a fault of the key."""
        try:
            return check()
        except InvalidValueError as fault:
            self.add(key, str(fault))
            return None

    def __str__(self) -> str:
        """Such as "line 3"."""
        return f"{self.unit} {self.number}"

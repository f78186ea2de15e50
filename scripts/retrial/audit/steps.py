"""What an audit says: steps of facts and links, for people and as one JSON object."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from retrial.audit.states import Link, count_states


@dataclass(frozen=True)
class Marked:
    """A text in which one span was read: `start` and `end` in code points, None when none was."""

    text: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True)
class Step:
    """One step of a chain: facts by label, and the states of its links."""

    title: str
    facts: dict[str, Any] = field(default_factory=dict)
    links: tuple[Link, ...] = ()


@dataclass(frozen=True)
class Audit:
    """The chain behind one cell, and the chains behind some of its ratings."""

    cell: str
    root: str
    steps: tuple[Step, ...]
    rows: tuple[tuple[Step, ...], ...] = ()

    def links(self) -> Iterator[Link]:
        """Every link of every step."""
        for step in (*self.steps, *(step for row in self.rows for step in row)):
            yield from step.links

    @property
    def broken(self) -> bool:
        """Whether any link is missing or a mismatch."""
        return any(link.broken for link in self.links())

    def to_json(self) -> dict[str, Any]:
        """The audit as plain data."""
        return {
            "cell": self.cell,
            "root": self.root,
            "broken": self.broken,
            "counts": count_states(self.links()),
            "steps": [_plain_step(step) for step in self.steps],
            "rows": [[_plain_step(step) for step in row] for row in self.rows],
        }


def _plain_step(step: Step) -> dict[str, Any]:
    return {
        "title": step.title,
        "facts": {name: plain(value) for name, value in step.facts.items()},
        "links": [vars(link) for link in step.links],
    }


def plain(value: Any) -> Any:
    """Facts as JSON holds them: a marked text is its text and its span."""
    if isinstance(value, Marked):
        span = None if value.start is None else [value.start, value.end]
        return {"text": value.text, "span": span}
    if isinstance(value, dict):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value

"""One dialogue as a file holds it, before it is checked."""

from dataclasses import dataclass
from typing import Any

from retrial.items.own.faults import Place


@dataclass(frozen=True)
class Row:
    """The fields of one dialogue by column, and where it begins.

    `turn_lines` are the lines of its turns where each has its own.
    """

    place: Place
    fields: dict[str, Any]
    turn_lines: tuple[int, ...] = ()

    def turn_place(self, turn: int) -> tuple[Place, str]:
        """Where a turn (from 0) stands, and the beginning of its keys there."""
        if self.turn_lines:
            return self.place.at(self.turn_lines[turn]), ""
        return self.place, f"turns[{turn}]."

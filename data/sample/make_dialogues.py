"""Writes dialogues.jsonl: 200 composed dialogues, rated by rules and not by people.

``python data/sample/make_dialogues.py [FILE]`` makes the same bytes every time. The sentences
are in stock.yaml. README.md says how a dialogue is composed and how the rules rate it.
"""

import json
import random
import string
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import yaml

HERE = Path(__file__).parent
COUNT, SEED = 200, 2024
USER, SYSTEM = "USER", "SYSTEM"
MOST_TURNS = 10
OUTCOMES = {"done": 48, "partly": 16, "wrong": 13, "unable": 12, "leaves": 11}
"""How a dialogue ends, with weights."""
FAULTS = {0: 50, 1: 30, 2: 20}
"""How many things go wrong before the end, with weights."""
LAST_TURN = {True: 75, False: 25}
"""Whether the user has the last word, with weights."""
WITHOUT_SLOT = ("lost", "stuck")
"""Faults that need nothing that the user has said."""
LAST_SCORE = {"warm": 5, "plain": 4, "grudging": 3, "accepts": 3, "unhappy": 2, "let-down": 2,
              "quits": 1}  # fmt: skip
SILENT_SCORE = {"done": 4, "partly": 3, "wrong": 2, "unable": 2}
MOVED = {0: 75, 1: 12.5, -1: 12.5}
"""By how much a rule's rating is moved by chance, with weights."""
Kind = TypeVar("Kind")


class Draw:
    """Seeded choices that rest on nothing but the generator's uniform numbers."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def one(self, things: Sequence[Kind]) -> Kind:
        """One of the things, all equally likely."""
        return things[int(self.random.random() * len(things))]

    def weighted(self, weights: Mapping[Kind, float]) -> Kind:
        """A key, as likely as its weight says."""
        left = self.random.random() * sum(weights.values())
        for key, weight in weights.items():
            left -= weight
            if left < 0:
                return key
        return list(weights)[-1]


@dataclass
class Composed:
    """A dialogue and what its composition knows about it."""

    task: str
    outcome: str
    turns: list[dict[str, str]] = field(default_factory=list)
    faults: int = 0
    last: str | None = None

    def say(self, speaker: str, text: str) -> None:
        """Adds a turn."""
        self.turns.append({"speaker": speaker, "text": text})


class Writer:
    """Composes one dialogue of a task."""

    def __init__(self, stock: Mapping[str, Any], task: str, draw: Draw) -> None:
        self.stock, self.task, self.draw = stock, stock["tasks"][task], draw
        self.slots: dict[str, list[str]] = self.task["slots"]
        self.values = {name: draw.one(v) for name, v in {**self.slots, **self.task["more"]}.items()}
        self.made = Composed(task, draw.weighted(OUTCOMES))
        self.has_last_word = self.made.outcome == "leaves" or draw.weighted(LAST_TURN)
        self.told: list[str] = []
        self.faults = list(stock["faults"])

    def compose(self) -> Composed:
        """The opening, questions and faults in any order, and the end."""
        faults = self.draw.weighted(FAULTS)
        room = (MOST_TURNS - 1 - 1 - self.has_last_word) // 2 - faults
        asked = self._some_slots(int(self.draw.random.random() * (min(room, len(self.slots)) + 1)))
        self._open(asked)
        steps = [*asked, *[None] * faults]
        while steps:
            slot = steps.pop(int(self.draw.random.random() * len(steps)))
            if slot is None:
                self._fault(quits=False)
            else:
                self.made.say(SYSTEM, self.draw.one(self.task["ask"][slot]))
                self.made.say(USER, self._tell(slot))
        self._end()
        return self.made

    def _some_slots(self, count: int) -> list[str]:
        left = list(self.slots)
        while len(left) > count:
            left.remove(self.draw.one(left))
        return left

    def _open(self, asked: Sequence[str]) -> None:
        """The request, with all that the system does not ask for later."""
        told = [self._tell(slot) for slot in self.slots if slot not in asked]
        self.made.say(USER, " ".join([self.draw.one(self.task["open"]), *told]))

    def _tell(self, slot: str) -> str:
        self.told.append(slot)
        return _capitals(self._fill(self.draw.one(self.task["tell"][slot])))

    def _fill(self, text: str, **more: str) -> str:
        return string.Formatter().vformat(text, (), {**self.values, **more})

    def _wrong(self, slot: str) -> str:
        return self.draw.one([v for v in self.slots[slot] if v != self.values[slot]])

    def _fault(self, quits: bool) -> None:
        """Something goes wrong, each time in another way; the user puts it right, or quits."""
        kinds = [kind for kind in self.faults if self.told or kind in WITHOUT_SLOT]
        kind = self.draw.one(kinds)
        self.faults.remove(kind)
        words = {"lost": self._lost(), "topic": self.task["topic"]}
        if kind not in WITHOUT_SLOT:
            slot = self.draw.one(self.told)
            ask = self.draw.one(self.task["ask"][slot])
            words |= {"right": self.values[slot], "wrong": self._wrong(slot), "ask": ask}
        system, user = (
            _capitals(self._fill(self.draw.one(self.stock["faults"][kind][side]), **words))
            for side in ("system", "user")
        )
        self.made.faults += 1
        self.made.say(SYSTEM, system)
        if not quits:
            self.made.say(USER, user)

    def _lost(self) -> str:
        """What another task's system would say."""
        others = [task for task in self.stock["tasks"].values() if task is not self.task]
        sentences: list[str] = self.draw.one(others)["lost"]
        return self.draw.one(sentences)

    def _end(self) -> None:
        outcome, made = self.made.outcome, self.made
        if outcome == "leaves":
            self._fault(quits=True)
        elif outcome == "wrong":
            slot = self.draw.one(list(self.slots))
            made.say(
                SYSTEM, self._fill(self.draw.one(self.task["done"]), **{slot: self._wrong(slot)})
            )
        else:
            made.say(SYSTEM, self._fill(self.draw.one(self.task[outcome])))
        if self.has_last_word:
            made.last = self._last()
            made.say(USER, self.draw.one(self.stock["last"][made.last]))

    def _last(self) -> str:
        """How the user takes it."""
        if self.made.outcome == "done":
            moods = ({"warm": 75, "plain": 25}, {"warm": 10, "plain": 60, "grudging": 30},
                     {"plain": 20, "grudging": 80})  # fmt: skip
            return self.draw.weighted(moods[self.made.faults])
        others = {"partly": "accepts", "wrong": "unhappy", "unable": "let-down", "leaves": "quits"}
        return others[self.made.outcome]


def _capitals(text: str) -> str:
    """The text with a capital at the beginning of each sentence."""
    return ". ".join(part[0].upper() + part[1:] for part in text.split(". "))


def rate(made: Composed, draw: Draw) -> dict[str, int]:
    """The ratings of the three rules, from 1 to 5, each moved by one now and then."""
    by_end = {"done": 5, "partly": 3, "wrong": 2, "unable": 2, "leaves": 1}[made.outcome]
    lost = {"done": 0, "partly": 1, "wrong": 2, "unable": 2, "leaves": 2}[made.outcome]
    rules = {
        "rule-a": by_end - (made.faults >= 2),
        "rule-b": 5 - made.faults - lost,
        "rule-c": SILENT_SCORE[made.outcome] if made.last is None else LAST_SCORE[made.last],
    }
    return {rule: min(5, max(1, score + draw.weighted(MOVED))) for rule, score in rules.items()}


def dialogues() -> list[dict[str, Any]]:
    """The records, no two with the same turns."""
    stock = yaml.safe_load((HERE / "stock.yaml").read_text(encoding="utf-8"))
    draw, tasks = Draw(SEED), list(stock["tasks"])
    found: list[dict[str, Any]] = []
    while len(found) < COUNT:
        made = Writer(stock, tasks[len(found) % len(tasks)], draw).compose()
        if any(one["turns"] == made.turns for one in found):
            continue
        found.append(
            {
                "id": f"sample-{len(found) + 1:03}",
                "domain": made.task,
                "turns": made.turns,
                "ratings": rate(made, draw),
                "ratings_by": "rule",
            }
        )
    return found


def main(path: Path) -> None:
    """Writes the file."""
    lines = [json.dumps(one, ensure_ascii=False) + "\n" for one in dialogues()]
    path.write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "dialogues.jsonl")

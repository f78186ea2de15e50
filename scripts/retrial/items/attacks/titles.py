"""From attack logs to items: titles for fluency, pairs of titles for meaning.

chiang2023 section 4.2 draws 100 pairs of each attack at random. Here every attack has a draw of
its own, which the seed and the benign texts alone decide. A benign title that several attacks
drew is one item, so that no judge is asked about it twice. The strata `with-<attack>: yes` name
the attacks that drew a benign title (or a benign title paired with itself).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from retrial.digest import content_id
from retrial.errors import RetrialError
from retrial.items.attacks.log import AttackedText
from retrial.items.attacks.marks import has_html, without_html
from retrial.items.base import HumanRating
from retrial.items.split import shuffled

TITLE, PAIR = "title", "pair"
BENIGN, IDENTICAL = "benign", "identical"


@dataclass(frozen=True)
class AttackItem:
    """A title, or a pair of titles: `text` is the benign one, `text_b` the attacked one."""

    kind: str
    text: str
    text_b: str | None
    pair_id: str
    source: str
    source_line: int
    strata: Mapping[str, str] = field(default_factory=dict)
    ratings: tuple[HumanRating, ...] = ()

    def content(self) -> dict[str, Any]:
        """The kind, the texts, and the id that a benign title shares with its attacked ones."""
        found = {"kind": self.kind, "text": self.text, "pair_id": self.pair_id}
        return found if self.text_b is None else {**found, "text_b": self.text_b}


@dataclass(frozen=True)
class Drawn:
    """A drawn pair and the log that it stands in."""

    pair_id: str
    pair: AttackedText
    source: str


def pair_id(benign: str) -> str:
    """The id of a benign text, which all pairs of that text share."""
    return content_id({"benign": benign})


def draw_pairs(
    attack: str, pairs: Sequence[AttackedText], source: str, count: int, seed: int
) -> list[Drawn]:
    """`count` pairs of an attack, in the order of its log. Raises RetrialError for too few.

    Which ones depends on the attack, the seed and the benign texts, on nothing else; a larger
    count only adds pairs.
    """
    if len(pairs) < count:
        raise RetrialError(
            f"textattack: {count} pairs of {attack} are wanted and {source} has {len(pairs)} "
            "usable successful ones; lower the option pairs"
        )
    by_id = {pair_id(pair.benign): pair for pair in pairs}
    chosen = set(shuffled(list(by_id), "attack", attack, seed)[:count])
    return [Drawn(name, pair, source) for name, pair in by_id.items() if name in chosen]


def as_items(
    drawn: Mapping[str, Sequence[Drawn]], strata: Mapping[str, str], *, restore_html: bool
) -> Iterator[AttackItem]:
    """Titles (benign, then each attack's), pairs of each attack, then benign ones with themselves.

    `drawn` holds the pairs by attack. Strata: `attack` (benign, identical or the attack's name),
    `with-<attack>`, and `html: yes` where the log's texts hold remnants of HTML.
    """
    shown = without_html if restore_html else str
    drawn_with: dict[str, dict[str, str]] = {}
    first: dict[str, Drawn] = {}
    for attack, pairs in drawn.items():
        for one in pairs:
            first.setdefault(one.pair_id, one)
            drawn_with.setdefault(one.pair_id, {})[f"with-{attack}"] = "yes"

    def item(kind: str, attack: str, one: Drawn, text: str, other: str | None) -> AttackItem:
        own = {**strata, "attack": attack}
        if attack in (BENIGN, IDENTICAL):
            own |= drawn_with[one.pair_id]
        if has_html(text) or has_html(other or ""):
            own["html"] = "yes"
        second = None if other is None else shown(other)
        place = (one.source, one.pair.line)
        return AttackItem(kind, shown(text), second, one.pair_id, *place, own)

    every = [(attack, one) for attack, pairs in drawn.items() for one in pairs]
    for one in first.values():
        yield item(TITLE, BENIGN, one, one.pair.benign, None)
    for attack, one in every:
        yield item(TITLE, attack, one, one.pair.attacked, None)
    for attack, one in every:
        yield item(PAIR, attack, one, one.pair.benign, one.pair.attacked)
    for one in first.values():
        yield item(PAIR, IDENTICAL, one, one.pair.benign, one.pair.benign)

"""What may be said of a link of the record, and how often it was said."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

State = Literal["VERIFIED", "RECORDED", "INFERRED", "ASSERTED", "MISSING", "MISMATCH"]
MEANINGS: dict[State, str] = {
    "VERIFIED": "recomputed, and the same",
    "RECORDED": "the digest on record matches",
    "INFERRED": "rests on a link that was inferred",
    "ASSERTED": "only declared: nothing here can check it",
    "MISSING": "not there",
    "MISMATCH": "another than recorded",
}
BROKEN: frozenset[State] = frozenset({"MISSING", "MISMATCH"})


@dataclass(frozen=True)
class Link:
    """One link of the record: the file it belongs to, what it joins, and its state.

    `detail` says what was found instead, or what the state rests on. `checked` is false for
    what is only on record and can't be looked at here (a download that did not travel along).
    """

    file: str
    what: str
    state: State
    detail: str = ""
    checked: bool = True

    @property
    def broken(self) -> bool:
        """Whether the chain ends here."""
        return self.state in BROKEN


def count_states(links: Iterable[Link]) -> dict[str, int]:
    """How many links are in each state, in the order of MEANINGS; unchecked ones apart."""
    found = Counter(link.state if link.checked else "not checked" for link in links)
    return {name: found[name] for name in (*MEANINGS, "not checked") if found[name]}


def summary(links: Iterable[Link]) -> str:
    """One line of counts by state, and whether any link is broken."""
    listed = list(links)
    counts = ", ".join(f"{number} {name}" for name, number in count_states(listed).items())
    broken = sum(link.broken for link in listed)
    return f"{len(listed)} links: {counts or 'none'}; {broken} broken"

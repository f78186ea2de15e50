"""The options of the textattack reader."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from retrial.errors import RetrialError


@dataclass(frozen=True)
class Settings:
    """What is read, and how many pairs of each attack are drawn.

    `attacks` names the attacks, blanks between them. In the archive a log lies in
    `<strength>/<corpus>/<victim>/<attack>/`. `html: restored` puts the characters of HTML
    remnants back; `kept` shows the texts that the attacked classifier read.
    """

    attacks: str = "textfooler pwws bae"
    pairs: int = 100
    seed: int = 1
    strength: str = "original"
    corpus: str = "ag-news"
    victim: str = "bert"
    html: str = "kept"

    @property
    def names(self) -> tuple[str, ...]:
        """The attacks, in order."""
        return tuple(self.attacks.split())


def settings_of(options: Mapping[str, Any]) -> Settings:
    """The options, checked. Raises RetrialError naming the one that is wrong."""
    known = {field.name: type(field.default) for field in fields(Settings)}
    for name, value in options.items():
        if name not in known:
            raise RetrialError(
                f"textattack: unknown option {name!r}; it takes {', '.join(sorted(known))}"
            )
        if type(value) is not known[name]:
            wanted = "a whole number" if known[name] is int else "a text"
            raise RetrialError(f"textattack: option {name}: {value!r} is not {wanted}")
    found = Settings(**options)
    if not found.names or len(set(found.names)) < len(found.names):
        raise RetrialError(
            f"textattack: option attacks: {found.attacks!r}; name one attack or several, each once"
        )
    if reserved := {"benign", "identical"} & set(found.names):
        raise RetrialError(f"textattack: option attacks: {min(reserved)} is no attack")
    if found.pairs < 1:
        raise RetrialError(f"textattack: option pairs is {found.pairs}; give at least 1")
    if found.html not in ("kept", "restored"):
        raise RetrialError(f"textattack: option html: {found.html!r}; give kept or restored")
    return found

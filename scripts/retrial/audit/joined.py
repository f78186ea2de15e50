"""The links that a cell joins through: inferred together, so checked together."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pyarrow as pa

from retrial.audit.compare import differences
from retrial.audit.sidecars import digest, load_sidecar
from retrial.audit.states import Link
from retrial.record import ANSWERS, ITEMS, LINKS, PROMPTS, read, sidecar_path

SHOWN = 5


def link_states(root: Path, file: str) -> Iterator[Link]:
    """Whether the links are those that their inputs give; each that is not is named.

    One story's place depends on the answers to all, so that no link stands alone.
    """
    sidecar = load_sidecar(root, sidecar_path(root / file))
    if sidecar.fault:
        yield Link(file, "links", "MISMATCH", sidecar.fault)
        return
    inputs = tuple((place, digest(root / place)) for place in sidecar.inputs)
    wrong = list(differences(read(root / file, LINKS), _inferred(root, inputs), LINKS))
    if not wrong:
        yield Link(file, "links", "VERIFIED", "inferred again from the same answers and stories")
    for difference in wrong[:SHOWN]:
        yield Link(file, f"link of {difference.name}", "MISMATCH", difference.detail)


@cache
def _inferred(root: Path, inputs: tuple[tuple[str, str], ...]) -> pa.Table:
    """The links that these files give; kept, since many cells of a table use them."""
    from retrial.links.story_order import recover_order

    def of(folder: str) -> list[str]:
        return [place for place, _ in inputs if place.startswith(f"{folder}/")]

    answers = pa.concat_tables([read(root / place, ANSWERS) for place in of("answers")])
    items = [read(root / place, ITEMS) for place in of("items")]
    return recover_order(items[0], read(root / of("prompts")[0], PROMPTS), answers, items[-1])

"""Taking the sources' texts out of results files, so that the rest may be passed on.

Of items and prompts the texts go, of answers the prompt as the model read it. Ids, splits,
strata, labels, what the judge answered and every digest stay, so that ratings and tables are
still recomputed by whoever gets them. Tables that quote an item are left out whole.
"""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from retrial.audit.sidecars import Folder
from retrial.record import ANSWERS, CELLS, ITEMS, PROMPTS, Contract, read, to_parquet

TEXTS: dict[str, tuple[Contract, tuple[str, ...]]] = {
    "items": (ITEMS, ("turns", "text", "context", "text_b")),
    "prompts": (PROMPTS, ("turns", "text", "context", "text_b", "examples.turns")),
    "answers": (ANSWERS, ("prompt_text",)),
}
"""By folder: the contract of its files, and the columns that hold a source's text."""

QUOTING = ("report", "stories", "forms")
"""Folders whose files quote items and are left out whole."""


def dataset_of(place: str) -> str | None:
    """The dataset of a results file that may hold a source's texts, or None."""
    parts = place.removesuffix(".parquet").split("/")
    if not place.endswith(".parquet") or parts[0] not in TEXTS:
        return None
    index = 2 if parts[0] == "answers" else 1
    return parts[index] if len(parts) > index else None


def without_texts(root: Path, place: str) -> tuple[bytes, tuple[str, ...]] | None:
    """The file without its texts, and the columns emptied; None where it holds no text.

    Raises ContractError for a file that can't be read.
    """
    contract, names = TEXTS[place.split("/", 1)[0]]
    table = read(root / place, contract)
    emptied = []
    for name in names:
        column, _, part = name.partition(".")
        kept = _without_turns(table[column]) if part else pa.nulls(len(table), table[column].type)
        if not table[column].equals(_chunked(kept)):
            emptied.append(name)
            table = table.set_column(
                table.schema.get_field_index(column), table.schema.field(column), kept
            )
    return (to_parquet(table), tuple(emptied)) if emptied else None


def _chunked(column: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])


def _without_turns(examples: pa.ChunkedArray) -> pa.ChunkedArray:
    """In-context examples with their ids and labels, but no turns."""
    rows = [[{**one, "turns": []} for one in kept] for kept in examples.to_pylist()]
    return pa.chunked_array([pa.array(rows, examples.type)])


def item_texts(root: Path, places: Iterable[str]) -> set[str]:
    """Every text of the items files among `places`, a dialogue's turns one by one."""
    found: set[str] = set()
    for place in places:
        if place.startswith("items/"):
            table = read(root / place, ITEMS)
            for name in ("text", "context", "text_b"):
                found.update(text for text in table[name].to_pylist() if text)
            for turns in table["turns"].to_pylist():
                found.update(turn["text"] for turn in turns or [] if turn["text"])
    return found


def quoting_tables(folder: Folder, texts: set[str]) -> list[str]:
    """The tables, and their renderings, in which some cell is one of these texts."""
    quoting = set()
    for sidecar in folder.sidecars:
        if sidecar.place.startswith("tables/") and sidecar.place.endswith(".parquet"):
            values = read(folder.root / sidecar.place, CELLS, ["value_text"])["value_text"]
            if texts.intersection(values.unique().to_pylist()):
                quoting.add(sidecar.place)
    made = (s.place for s in folder.sidecars if quoting.intersection(s.inputs_in("tables")))
    return sorted(quoting | {place for place in made if place.startswith("tables/")})

"""The in-context examples of prompts: which were chosen, what they show, and their labels."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from retrial.audit.sidecars import Sidecar
from retrial.record import EXAMPLE_CHOICES, ITEMS, RATINGS, Contract, read

Place = tuple[str, str, int]
"""Selector, item and replicate."""


def example_faults(
    root: Path, prompts: Iterable[Mapping[str, Any]], sidecar: Sidecar
) -> Iterator[str]:
    """What is wrong with the examples that prompts show, by record.

    Against the choices, the items and people's ratings that the prompts' sidecar names. Nothing
    of prompts without examples.
    """
    asked = [p for p in prompts if _selector(sidecar, p["condition"])]
    if not asked:
        return
    chosen, repeated = _choices(root, sidecar, {p["item_id"] for p in asked})
    shown = {e["item_id"]: e for p in asked for e in p["examples"]}
    for prompt in asked:
        selector = _selector(sidecar, prompt["condition"])
        key = (selector, prompt["item_id"], prompt["replicate"])
        wanted = chosen.get(key, {})
        if [e["item_id"] for e in prompt["examples"]] != [wanted[r] for r in sorted(wanted)]:
            yield f"prompt {prompt['prompt_id']} shows other examples than were {_chosen(key)}"
        if key in repeated:
            yield f"an example {_chosen(key)} stands twice"
    yield from _content_faults(root, sidecar, shown)


def _selector(sidecar: Sidecar, condition: str) -> str:
    conditions = sidecar.parameters.get("conditions") or {}
    return str((conditions.get(condition) or {}).get("selector") or "")


def _chosen(place: Place) -> str:
    return f"chosen by {place[0]} for item {place[1]}, replicate {place[2]}"


def _choices(
    root: Path, sidecar: Sidecar, items: set[str]
) -> tuple[dict[Place, dict[int, str]], set[Place]]:
    """The chosen examples by rank, and the places of which a rank stands twice."""
    found: dict[Place, dict[int, str]] = {}
    repeated = set()
    for file in sidecar.inputs_in("examples"):
        for row in _rows(root, file, EXAMPLE_CHOICES, "item_id", items):
            place = (row["selector"], row["item_id"], row["replicate"])
            ranks = found.setdefault(place, {})
            if row["rank"] in ranks:
                repeated.add(place)
            ranks[row["rank"]] = row["example_id"]
    return found, repeated


def _content_faults(
    root: Path, sidecar: Sidecar, shown: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    """Turns against the items, labels against people's ratings."""
    from retrial.examples.labels import example_labels

    items = sidecar.inputs_in("items")[0]
    known = {row["item_id"]: row for row in _rows(root, items, ITEMS, "item_id", set(shown))}
    human = read(root / sidecar.inputs_in("ratings/human")[0], RATINGS, ["item_id", "score"])
    labels = example_labels(human)
    for item_id, example in sorted(shown.items()):
        if item_id not in known:
            yield f"example {item_id} is lacking in {items}"
        elif example["turns"] != known[item_id]["turns"]:
            yield f"example {item_id} shows another dialogue than {items}"
        if example["label"] != labels.get(item_id):
            yield f"example {item_id} has the label {example['label']}, not {labels.get(item_id)}"


def _rows(
    root: Path, file: str, contract: Contract, key: str, ids: set[str]
) -> list[dict[str, Any]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    table = read(root / file, contract, [field.name for field in contract.fields])
    wanted = pa.array(sorted(ids), pa.string())
    found: list[dict[str, Any]] = table.filter(pc.is_in(table[key], value_set=wanted)).to_pylist()
    return found

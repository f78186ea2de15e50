"""From items and chosen examples to prompts: structured, not yet rendered.

One prompt is one question about one item under one condition and one draw of examples.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from retrial.digest import content_id
from retrial.errors import RetrialError
from retrial.judging.templates import Template
from retrial.record import PROMPTS, from_rows

NO_EXAMPLES: dict[int, list[str]] = {0: []}
"""The one draw of a condition without examples."""


@dataclass(frozen=True)
class Asking:
    """A condition as the prompts need it: its template and its chosen examples, if any."""

    condition: str
    template_id: str
    template: Template
    choices: pa.Table | None = None
    shared_examples: bool = False


def build_prompts(
    items: pa.Table,
    judged: Sequence[str],
    askings: Sequence[Asking],
    attributes: Sequence[str],
    example_labels: Mapping[str, str],
) -> pa.Table:
    """Prompts for the judged items under every condition, in the prompts contract.

    An item is asked about by the templates that ask about its kind. `example_labels` gives the
    label of every item that may serve as an example. Raises RetrialError for an attribute that no
    condition asks about, items of other kinds than are asked about, a judged item that no
    examples were chosen for, and an example without a label or of the test split.
    """
    asked = {asking.template.attribute for asking in askings}
    if never := [name for name in attributes if name not in asked]:
        raise RetrialError(
            f"experiment: no condition asks about {', '.join(never)}; its templates ask about "
            f"{', '.join(sorted(asked)) or 'nothing'}"
        )
    by_id = {row["item_id"]: row for row in items.to_pylist()}
    rows = [
        row
        for asking in askings
        if asking.template.attribute in attributes
        for row in _rows(by_id, _of_its_kinds(by_id, judged, asking), asking, example_labels)
    ]
    if judged and not rows:
        raise RetrialError(
            "experiment: none of its templates asks about items of kind "
            f"{by_id[judged[0]]['kind']}; see their `kinds`"
        )
    return from_rows(rows, PROMPTS)


def _of_its_kinds(
    by_id: Mapping[str, dict[str, Any]], judged: Sequence[str], asking: Asking
) -> list[str]:
    kinds = asking.template.kinds
    return [item_id for item_id in judged if not kinds or by_id[item_id]["kind"] in kinds]


def _rows(
    by_id: Mapping[str, dict[str, Any]],
    judged: Sequence[str],
    asking: Asking,
    labels: Mapping[str, str],
) -> Iterator[dict[str, Any]]:
    chosen = _chosen(asking.choices) if asking.choices is not None else None
    for item_id in judged:
        draws = NO_EXAMPLES if chosen is None else chosen.get(item_id)
        if not draws:
            raise RetrialError(
                f"condition {asking.condition}: no examples were chosen for item {item_id}; "
                "run choose_examples for the same items"
            )
        for replicate, example_ids in draws.items():
            examples = [_example(by_id, labels, example_id) for example_id in example_ids]
            yield _row(by_id[item_id], asking, replicate, examples)


def _chosen(choices: pa.Table) -> dict[str, dict[int, list[str]]]:
    found: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    ordered = choices.sort_by(
        [("item_id", "ascending"), ("replicate", "ascending"), ("rank", "ascending")]
    )
    columns = [ordered[c].to_pylist() for c in ("item_id", "replicate", "example_id")]
    for item_id, replicate, example_id in zip(*columns, strict=True):
        found[item_id][replicate].append(example_id)
    return found


def _example(
    by_id: Mapping[str, dict[str, Any]], labels: Mapping[str, str], example_id: str
) -> dict[str, Any]:
    item = by_id.get(example_id)
    if item is None or example_id not in labels:
        raise RetrialError(f"example {example_id}: not among the items with a label of its dataset")
    if item["split"] == "test":
        raise RetrialError(f"example {example_id}: belongs to the test split, never an example")
    return {"item_id": example_id, "label": labels[example_id], "turns": item["turns"]}


def _row(
    item: dict[str, Any], asking: Asking, replicate: int, examples: list[dict[str, Any]]
) -> dict[str, Any]:
    content = {
        "item_id": item["item_id"],
        "attribute": asking.template.attribute,
        "condition": asking.condition,
        "replicate": replicate,
        "template": asking.template_id,
        "template_sha256": asking.template.sha256,
        "examples": examples,
        "shared_examples": asking.shared_examples,
        "conversation_id": None,
        "turn": 0,
    }
    shown = {name: item[name] for name in ("turns", "text", "context", "text_b")}
    return {"prompt_id": content_id(content), "dataset": item["dataset"], **content, **shown}

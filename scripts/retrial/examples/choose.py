"""Choosing in-context examples for judged items (jia2024, Section 3.1, Table 2).

Examples come from the training split of the item's own dataset, never from the test split,
and never are a copy of the item, compared after folding case and space. What is chosen
depends on the items alone, not on the order of their rows.
"""

import difflib
import importlib
import pkgutil
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from retrial.errors import RetrialError
from retrial.examples import methods
from retrial.examples.base import Choices, Documents, Method, SelectorSpec, documents
from retrial.record import EXAMPLE_CHOICES, check

COLUMNS = ("item_id", "dataset", "split", "turns", "text")


def choose_examples(items: pa.Table, selector: SelectorSpec, judged_ids: Sequence[str]) -> pa.Table:
    """`selector.count` examples for each judged item, in the contract of example choices.

    `items` is the items table of one dataset that is split; `judged_ids` are test items of it.
    Rows are ordered by item (as in `judged_ids`), replicate and rank.
    Raises RetrialError for judged items that are unknown or not in the test split, an empty
    training split, or too few training items to choose from.
    """
    rows = items.select(COLUMNS).to_pylist()
    dataset = _dataset(items)
    queries = documents(_judged(rows, judged_ids, dataset), dataset)
    pool = documents([row for row in rows if row["split"] == "train"], dataset)
    _check_sizes(pool, selector)
    choices = get_method(selector.method)(pool, queries, selector)
    return _table(choices, pool, queries, selector, judged_ids)


def method_names() -> list[str]:
    """The names of all methods, sorted."""
    return sorted(m.name.replace("_", "-") for m in pkgutil.iter_modules(methods.__path__))


def get_method(name: str) -> Method:
    """The method of that name, and only its module imported; RetrialError where there is none."""
    names = method_names()
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"
        raise RetrialError(f"selector: there is no method {name!r}; {hint}")
    module = importlib.import_module(f"{methods.__name__}.{name.replace('-', '_')}")
    return cast(Method, module.choose)


def _dataset(items: pa.Table) -> str:
    names = pc.unique(items["dataset"]).to_pylist()
    if len(names) != 1:
        raise RetrialError(f"examples: the items are of {len(names)} datasets; give those of one")
    return str(names[0])


def _judged(
    rows: Sequence[dict[str, Any]], judged_ids: Sequence[str], dataset: str
) -> list[dict[str, Any]]:
    by_id = {row["item_id"]: row for row in rows}
    if len(set(judged_ids)) < len(judged_ids):
        raise RetrialError(f"examples: dataset {dataset}: a judged item is listed twice")
    for item_id in judged_ids:
        if item_id not in by_id:
            raise RetrialError(f"examples: dataset {dataset} has no item {item_id}")
        if (split := by_id[item_id]["split"]) != "test":
            raise RetrialError(
                f"examples: item {item_id} is judged and its split is {split!r}; "
                "only test items are judged with examples"
            )
    return [by_id[item_id] for item_id in judged_ids]


def _check_sizes(pool: Documents, selector: SelectorSpec) -> None:
    if not pool.ids:
        raise RetrialError(
            f"examples: dataset {pool.dataset} has no training items; give it a `split`"
        )
    if selector.count < 1 or selector.replicates < 1:
        raise RetrialError(f"examples: selector {selector.id}: count and replicates start at 1")


def _table(
    choices: Choices,
    pool: Documents,
    queries: Documents,
    selector: SelectorSpec,
    judged_ids: Sequence[str],
) -> pa.Table:
    """The choices as rows: items as in `judged_ids`, then replicates, then ranks."""
    place = {item_id: i for i, item_id in enumerate(queries.ids)}
    order = np.array([place[item_id] for item_id in judged_ids], dtype=np.int64)

    def rows(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        flat: npt.NDArray[Any] = values.swapaxes(0, 1)[order].reshape(-1)
        return flat

    replicates, _, count = choices.indices.shape
    size = choices.indices.size
    scores, cut = choices.scores, choices.truncated
    columns = {
        "item_id": pa.array([key for key in judged_ids for _ in range(replicates * count)]),
        "dataset": pa.repeat(pool.dataset, size),
        "selector": pa.repeat(selector.id, size),
        "replicate": pa.array(np.tile(np.repeat(np.arange(replicates), count), len(judged_ids))),
        "rank": pa.array(np.tile(np.arange(count), len(judged_ids) * replicates)),
        "example_id": pa.array([pool.ids[i] for i in rows(choices.indices)]),
        "score": pa.nulls(size, pa.float64()) if scores is None else pa.array(rows(scores)),
        "truncated": pa.repeat(False, size) if cut is None else pa.array(rows(cut)),
    }
    return check(pa.table(columns), EXAMPLE_CHOICES, f"examples of {selector.id}")

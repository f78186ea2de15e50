"""Training sets: items of the training split with people's labels (jia2024, section 4.1).

The study's smaller set has a rating distribution near the test set's. To draw such a set one
has to look at test labels (at how often each rating occurs, not at which item has it); every
row of the set says so. Copies of test items are never drawn.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from retrial.config import TrainingSet
from retrial.errors import RetrialError
from retrial.examples.base import documents
from retrial.examples.choose import COLUMNS
from retrial.record import TRAINING_SETS, from_rows
from retrial.tuning.draw import distance, draw_items
from retrial.tuning.labels import Label, item_labels


@dataclass(frozen=True)
class LabelRule:
    """How ratings become binary labels: a defect has a label of at most the threshold."""

    label_rule: str = "mean"
    human_threshold: float = 3.0


@dataclass(frozen=True)
class Drawn:
    """A training set in its contract, and what is to be known about the draw."""

    table: pa.Table
    facts: dict[str, Any]


def draw_training_set(
    name: str,
    spec: TrainingSet,
    items: Sequence[pa.Table],
    human: Sequence[pa.Table],
    rule: LabelRule,
) -> Drawn:
    """The training set `name`, in the order of its draw.

    `items` and `human` are the items and human ratings of `spec.datasets`, in that order. Items
    that nobody rated and copies of test items are passed over and counted. Raises RetrialError
    for unrated datasets, ratings off the scale, an id in two datasets, and too few items.
    """
    pool: dict[str, tuple[str, Label]] = {}
    test: Counter[int] = Counter()
    passed_over: Counter[str] = Counter(unrated=0, copies_of_test_items=0)
    for dataset, rows, ratings in zip(spec.datasets, items, human, strict=True):
        labels = item_labels(ratings, dataset, rule.label_rule, rule.human_threshold)
        split = _Split(rows, dataset)
        test.update(labels[i].likert for i in split.test if i in labels)
        passed_over.update(copies_of_test_items=len(split.copies))
        for item_id in split.train:
            if item_id in pool:
                first = pool[item_id][0]
                raise RetrialError(
                    f"training set {name}: item {item_id} is in {first} and in {dataset}; "
                    "name datasets that share no items"
                )
            if item_id in labels:
                pool[item_id] = (dataset, labels[item_id])
            else:
                passed_over.update(unrated=1)
    likert = {item_id: label.likert for item_id, (_, label) in pool.items()}
    chosen = draw_items(likert, test, spec.draw, spec.items, spec.seed)
    ours = Counter(likert[item_id] for item_id in chosen)
    facts = {
        "items": len(chosen),
        "looked_at_test_labels": spec.draw == "near-test",
        "labels": {str(label): ours[label] for label in sorted(ours)},
        "distance_to_test": distance(ours, test) if test else None,
        "passed_over": dict(passed_over),
    }
    return Drawn(_table(name, spec.draw, chosen, pool), facts)


class _Split:
    """The ids of a dataset's training and test items, without copies of test items."""

    def __init__(self, items: pa.Table, dataset: str) -> None:
        rows = items.select(COLUMNS).to_pylist()
        train, test = (
            documents([r for r in rows if r["split"] == split], dataset)
            for split in ("train", "test")
        )
        if not train.ids:
            raise RetrialError(
                f"training set: dataset {dataset} has no training items; give it a `split`"
            )
        twice = [i for i, n in Counter([*train.ids, *test.ids]).items() if n > 1]
        if twice:
            raise RetrialError(f"training set: dataset {dataset}: item {twice[0]} stands twice")
        copied = set(test.folded)
        pairs = list(zip(train.ids, train.folded, strict=True))
        self.test = test.ids
        self.train = [item_id for item_id, folded in pairs if folded not in copied]
        self.copies = [item_id for item_id, folded in pairs if folded in copied]


def _table(
    name: str, draw: str, chosen: Sequence[str], pool: dict[str, tuple[str, Label]]
) -> pa.Table:
    return from_rows(
        (
            {
                "set": name,
                "item_id": item_id,
                "dataset": pool[item_id][0],
                "label": pool[item_id][1].mean,
                "likert": pool[item_id][1].likert,
                "binary": pool[item_id][1].binary,
                "order": place,
                "draw": draw,
            }
            for place, item_id in enumerate(chosen)
        ),
        TRAINING_SETS,
    )

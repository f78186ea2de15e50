"""What a judge reads and what it should answer: zero-shot prompts with their rating tokens.

The prompts are rendered, cut and tokenised by the backend that asks the judge, so that what
is learned is what is asked. The answer is the rating as the backend reads it, in its first
spelling; an item whose prompt fits no context is left out, as it could not be asked either.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

import pyarrow as pa

from retrial.config import Tuning
from retrial.digest import content_id
from retrial.errors import RetrialError
from retrial.items.split import shuffled
from retrial.judging.backends.base import Request
from retrial.judging.backends.transformers import TransformersBackend
from retrial.judging.prompts import Asking, build_prompts
from retrial.judging.rating_tokens import Tokens
from retrial.judging.templates import Template

CONDITION = "zero-shot"

log = logging.getLogger("retrial")


@dataclass(frozen=True)
class LearningItem:
    """A prompt as tokens, and the tokens of its rating.

    `lead` is what an encoder-decoder model's decoder reads before the rating.
    """

    item_id: str
    prompt: Tokens
    rating: Tokens
    lead: Tokens = ()

    @property
    def tokens(self) -> int:
        """How many tokens the model reads."""
        return len(self.prompt) + len(self.lead) + len(self.rating) - 1


@dataclass(frozen=True)
class LearningItems:
    """The items to learn from, and those that are held out."""

    train: tuple[LearningItem, ...]
    held_out: tuple[LearningItem, ...]

    @property
    def digest(self) -> str:
        """Names all that the model reads and should answer, in order."""
        return content_id(
            [
                [[i.item_id, i.prompt, i.lead, i.rating] for i in part]
                for part in (self.train, self.held_out)
            ]
        )


def learning_items(
    spec: Tuning,
    training_set: pa.Table,
    items: Sequence[pa.Table],
    template: Template,
    backend: TransformersBackend,
) -> LearningItems:
    """The training set as tokens, in its order, parted into training and held-out items.

    `items` are the tables of all datasets of the set. Raises RetrialError for an item that is
    not there or not of the training split, a label that the template does not ask for, and
    when nothing is left to learn from.
    """
    rows = training_set.sort_by("order").to_pylist()
    wanted = {row["item_id"]: str(row[spec.labels]) for row in rows}
    _check_labels(wanted, spec, template)
    requests = _requests(_chosen(items, wanted), list(wanted), spec.template, template, backend)
    fitting = {i: r for i, r in requests.items() if r.answered is None}
    if left_out := len(requests) - len(fitting):
        log.warning("%d items fit no context of %d tokens; left out", left_out, backend.limit)
    held = held_out(list(fitting), spec.held_out, spec.seed)
    made = {i: _learning_item(i, r, wanted[i]) for i, r in fitting.items()}
    train = tuple(item for i, item in made.items() if i not in held)
    if not train:
        raise RetrialError(
            f"tuning: {len(requests)} items in the training set, {left_out} too long, {len(held)} "
            "held out: none is left to learn from; draw more, or hold out fewer"
        )
    return LearningItems(train, tuple(made[i] for i in made if i in held))


def held_out(ids: Sequence[str], share: float, seed: int) -> set[str]:
    """The ids that are held out: `share` of them, rounded half up, and one at least."""
    if not share:
        return set()
    count = floor(Fraction(str(share)) * len(ids) + Fraction(1, 2))
    return set(shuffled(ids, "held-out", seed)[: max(1, count)])


def _check_labels(wanted: Mapping[str, str], spec: Tuning, template: Template) -> None:
    for item_id, label in wanted.items():
        if label not in template.ratings:
            raise RetrialError(
                f"tuning: item {item_id} has the {spec.labels} label {label}, and template "
                f"{spec.template} asks for {', '.join(template.ratings)}; choose a template with "
                f"{spec.labels} ratings, or other `labels`"
            )


def _chosen(items: Sequence[pa.Table], wanted: Mapping[str, str]) -> pa.Table:
    """The rows of the wanted items."""
    table = pa.concat_tables(items)
    where = {item_id: i for i, item_id in enumerate(table["item_id"].to_pylist())}
    if missing := sorted(wanted.keys() - where.keys()):
        raise RetrialError(
            f"tuning: item {missing[0]} of the training set is in none of its datasets' items; "
            "draw the training set again"
        )
    chosen = table.take([where[item_id] for item_id in wanted])
    for item_id, split in zip(wanted, chosen["split"].to_pylist(), strict=True):
        if split == "test":
            raise RetrialError(
                f"tuning: item {item_id} is of the test split, never to be learned from; draw the "
                "training set again"
            )
    return chosen


def _requests(
    items: pa.Table,
    ids: Sequence[str],
    template_id: str,
    template: Template,
    backend: TransformersBackend,
) -> dict[str, Request]:
    asking = Asking(CONDITION, template_id, template)
    prompts: list[dict[str, Any]] = build_prompts(
        items, ids, [asking], [template.attribute], {}
    ).to_pylist()
    requests = backend.render(prompts, {template_id: template})
    return {p["item_id"]: r for p, r in zip(prompts, requests, strict=True)}


def _learning_item(item_id: str, request: Request, label: str) -> LearningItem:
    tokens = request.payload
    return LearningItem(item_id, tuple(request.place), tokens.sequences[label][0], tokens.lead)

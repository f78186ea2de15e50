"""A rating form: the prompts that a judge gets about some items, as blocks to read and answer.

chiang2023 (section 3.2) shows people and judges the same instruction, text and questions. So a
form is made from prompts, by the code that makes them for judges.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pyarrow as pa

from retrial.errors import RetrialError
from retrial.items.export_file import FORM, form_digest
from retrial.items.exports import asks_about
from retrial.items.split import shuffled
from retrial.judging.context import PromptParts
from retrial.judging.parts import parts_of
from retrial.judging.prompts import Asking, build_prompts
from retrial.judging.templates import Template


@dataclass(frozen=True)
class Question:
    """One question about an item: the words after the item, and the ratings to choose from."""

    attribute: str
    tail: str
    cue: str
    ratings: tuple[str, ...]


@dataclass(frozen=True)
class Block:
    """An instruction and an item, shown once for all questions that begin with them."""

    instruction: str
    head: str
    turns: tuple[str, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Page:
    """All that is asked about one item."""

    item_id: str
    blocks: tuple[Block, ...]

    @property
    def attributes(self) -> list[str]:
        """What is asked about the item, in order."""
        return [question.attribute for block in self.blocks for question in block.questions]


@dataclass(frozen=True)
class RatingForm:
    """One file of a form. `about` is what its digest commits to, and what an export repeats."""

    label: str
    about: Mapping[str, Any]
    pages: tuple[Page, ...]

    @property
    def sha256(self) -> str:
        """Digest of form, dataset, questions (by their templates' digests) and items."""
        return form_digest(self.about)


def askable(items: pa.Table, ids: Sequence[str], templates: Mapping[str, Template]) -> list[str]:
    """Those of the ids whose items some template asks about: an item of its kind, or any."""
    kinds = dict(zip(items["item_id"].to_pylist(), items["kind"].to_pylist(), strict=True))
    return [i for i in ids if any(asks_about(t, kinds[i]) for t in templates.values())]


def drawn_items(ids: Sequence[str], items: int, number: int, seed: int) -> list[str]:
    """The items of file `number` (from 1) in the order in which they are shown.

    All items are shuffled with the seed and dealt in turn, so writers and subsets are mixed and
    no item stands in two files. Raises RetrialError when none is left for this file.
    """
    dealt = shuffled(ids, FORM, seed)[(number - 1) * items : number * items]
    if not dealt:
        raise RetrialError(
            f"form file {number}: {len(ids)} items do not reach for it with {items} a file; "
            "lower `files` or `items`"
        )
    return dealt


def make_form(
    items: pa.Table, ids: Sequence[str], templates: Mapping[str, Template], *,
    form: str, number: int, label: str,
) -> RatingForm:  # fmt: skip
    """The form about these items of one dataset, with the questions in the templates' order.

    An item gets the questions of its kind. Raises RetrialError where two templates ask about one
    attribute, or an item is of a kind that none asks about (see `askable`).
    """
    attributes = [template.attribute for template in templates.values()]
    if twice := next((name for name in attributes if attributes.count(name) > 1), None):
        raise RetrialError(f"form {form}: two templates ask about {twice}; keep one of them")
    askings = [Asking(FORM, name, template) for name, template in templates.items()]
    prompts = build_prompts(items, ids, askings, attributes, {}).to_pylist()
    asked = {(row["item_id"], row["template"]): row for row in prompts}
    pages = tuple(
        Page(item_id, tuple(_blocks(_asked_of(item_id, templates, asked)))) for item_id in ids
    )
    if empty := next((page.item_id for page in pages if not page.blocks), None):
        raise RetrialError(f"form {form}: no template asks about items like {empty}")
    about = {
        "form": form,
        "number": number,
        "dataset": prompts[0]["dataset"],
        "questions": [_question_facts(name, template) for name, template in templates.items()],
        "items": list(ids),
        "asked": len(prompts),
    }
    return RatingForm(label, about, pages)


def _question_facts(name: str, template: Template) -> dict[str, Any]:
    return {
        "attribute": template.attribute,
        "template": name,
        "template_sha256": template.sha256,
        "ratings": list(template.ratings),
    }


def _asked_of(
    item_id: str,
    templates: Mapping[str, Template],
    asked: Mapping[tuple[str, str], Mapping[str, Any]],
) -> list[tuple[Template, Mapping[str, Any]]]:
    """The templates that ask about an item, in order, each with its prompt."""
    return [(t, asked[item_id, n]) for n, t in templates.items() if (item_id, n) in asked]


def _blocks(asked: Sequence[tuple[Template, Mapping[str, Any]]]) -> Iterator[Block]:
    """Questions that follow each other and begin with the same words share a block."""
    parts = [(template, parts_of(row, template)) for template, row in asked]
    for begin, group in groupby(parts, key=lambda pair: _beginning(pair[1])):
        questions = (
            Question(template.attribute, part.item_tail, part.cue, template.ratings)
            for template, part in group
        )
        yield Block(*begin, tuple(questions))


def _beginning(parts: PromptParts) -> tuple[str, str, tuple[str, ...]]:
    return parts.instruction, parts.item_head, parts.item_turns

"""Prompt templates: the wording of each question, kept apart from how it is asked."""

from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

import jinja2
import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from retrial.digest import canonical_json, sha256_text
from retrial.errors import RetrialError


class Part(BaseModel):
    """What stands before and after the turns of an example or of the item."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    head: str
    tail: str


class Template(BaseModel):
    """The wording of one question. Texts are Jinja templates; undefined names are errors.

    `ratings` are numbers, the lowest first. `order` says where an answer that gives reasons
    has its rating; it decides how the answer is read, not what is asked. `kinds` are the kinds
    of items that it asks about, if not all: dialogue, story, title, pair.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    note: str = ""
    attribute: str
    instruction: str
    turn: str
    example: Part
    item: Part
    cue: str
    ratings: tuple[str, ...]
    order: Literal["rating-first", "analysis-first"] | None = None
    kinds: tuple[str, ...] = ()

    @cached_property
    def sha256(self) -> str:
        """Digest of all that can reach a prompt; title, note, order and kinds can't."""
        unseen = {"title", "note", "order", "kinds"}
        return sha256_text(canonical_json(self.model_dump(exclude=unseen)))

    @property
    def form(self) -> dict[str, Any]:
        """What scoring needs to know to read the answers: scale, order, and the cue."""
        scale = f"{self.ratings[0]}-{self.ratings[-1]}"
        return {"scale": scale, "order": self.order, "cue": self.cue}


ENVIRONMENT = jinja2.Environment(
    undefined=jinja2.StrictUndefined, keep_trailing_newline=True, autoescape=False
)


def fill(text: str, /, **values: str) -> str:
    """The template text with its values. Raises RetrialError for a name it has no value for."""
    try:
        return _compiled(text).render(**values)
    except jinja2.TemplateError as error:
        raise RetrialError(f"prompt template {text!r}: {error}") from error


@cache
def _compiled(text: str) -> jinja2.Template:
    return ENVIRONMENT.from_string(text)


def load_template(folder: Path, name: str) -> Template:
    """The template `<folder>/<name>.yaml`. Raises RetrialError naming the file and the key."""
    path = folder / f"{name}.yaml"
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        return Template.model_validate(data)
    except FileNotFoundError as error:
        known = ", ".join(sorted(p.stem for p in folder.glob("*.yaml")))
        raise RetrialError(f"no prompt template {path}; there are: {known}") from error
    except (yaml.YAMLError, UnicodeDecodeError, ValidationError) as error:
        raise RetrialError(f"prompt template {path}: {error}") from error

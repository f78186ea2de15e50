"""Prompt templates: the wording of each question, kept apart from how it is asked."""

from functools import cache, cached_property
from pathlib import Path

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
    """The wording of one question. Texts are Jinja templates; undefined names are errors."""

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

    @cached_property
    def sha256(self) -> str:
        """Digest of all that can reach a prompt; the title and the note can't."""
        return sha256_text(canonical_json(self.model_dump(exclude={"title", "note"})))


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

"""The export of a rating form, as the file says it: structure and types, nothing else."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from retrial.digest import canonical_json, sha256_text
from retrial.errors import RetrialError

FORM = "form"
"""The condition of ratings that people gave in a form."""
FORMAT = "retrial-ratings/1"
"""The format of the exports, raised when it changes."""

Word = Annotated[str, StringConstraints(min_length=1)]
TemplateId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Rater = Annotated[str, StringConstraints(min_length=1, max_length=80, strip_whitespace=True)]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class QuestionFacts(_Part):
    """What was asked, by which template, and the ratings to choose from."""

    attribute: Word
    template: TemplateId
    template_sha256: Digest
    ratings: list[Word]


class FormFacts(_Part):
    """What the form was about; its digest is the form's. `asked` counts ratings of all items."""

    form: Word
    number: Annotated[int, Field(ge=1)]
    dataset: Word
    questions: Annotated[list[QuestionFacts], Field(min_length=1)]
    items: Annotated[list[Word], Field(min_length=1)]
    asked: Annotated[int, Field(ge=1)]


class Rated(_Part):
    """One rating of one item, and when it was given (UTC, ISO 8601)."""

    item_id: Word
    attribute: Word
    rating: float
    at: Word


class Comment(_Part):
    """What a rater wrote about an item. It stays in the file."""

    item_id: Word
    text: Word


class Export(_Part):
    """The whole file."""

    format: Literal["retrial-ratings/1"]
    form: FormFacts
    form_sha256: Digest
    rater: Rater
    started: Word
    exported: Word
    ratings: Annotated[list[Rated], Field(min_length=1)]
    comments: list[Comment]


def form_digest(about: Mapping[str, Any]) -> str:
    """The digest of a form, from what it is about (the fields of FormFacts)."""
    return sha256_text(canonical_json(dict(about)))


def load_export(path: Path) -> Export:
    """The export in a file. Raises RetrialError for a file that is missing, cut off, or none."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise RetrialError(f"{path}: no such file; put the export there, or name it") from error
    except OSError as error:
        raise RetrialError(f"{path}: can't be read: {error.strerror}") from error
    except ValueError as error:
        raise RetrialError(
            f"{path}: is not whole JSON ({error}); copy the export again as it was downloaded"
        ) from error
    if not isinstance(data, dict) or not str(data.get("format", "")).startswith("retrial-ratings/"):
        raise RetrialError(f"{path}: is not an export of a rating form: it names no such `format`")
    if data["format"] != FORMAT:
        raise RetrialError(f"{path}: has the format {data['format']}, wanted {FORMAT}")
    try:
        return Export.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        raise RetrialError(f"{path}: {_place(first['loc'])}: {first['msg']}") from error


def _place(steps: tuple[Any, ...]) -> str:
    """Such as ratings[3].rating."""
    return "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in steps).lstrip(".")

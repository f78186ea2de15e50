"""The stories that the teachers of chiang2023's mixed design rated (appendix C.1).

One JSON file: an object of 400 entries, half human-written and half by GPT-2, each with its
prompt, its text and three teachers' ratings of four attributes. The file has no rater ids: a
teacher is known only by the place in the list of three. The study had the same three teachers
rate every story, so a place is read as one person throughout, `teacher-1` to `teacher-3`, and
the dataset's raters are `persons`. The file cannot prove it, but the places differ steadily in
how strictly they rate (mean likability 4.3, 3.2 and 3.7 for the human-written stories).

These are not the teachers of the study's Table 1, and the authors collected some of these
ratings again; compare with Table 5.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retrial.errors import RetrialError
from retrial.items.base import HumanRating
from retrial.items.chiang2023 import (
    ATTRIBUTES,
    GPT2,
    HUMAN_WRITTEN,
    escape,
    fault,
    load_json,
)

RATERS = "persons"
"""What the rater column stands for: per-teacher statistics are allowed."""

FIELD_OF = dict(zip(ATTRIBUTES, ("grammar", "cohesive", "enjoy", "relevant"), strict=True))
WRITER_OF = {1: HUMAN_WRITTEN, 0: GPT2}
TEACHERS = 3
LOWEST, HIGHEST = 1, 5
DAMAGED_PROMPTS = frozenset({"#NAME?"})
"""What a spreadsheet shows for a cell that it took for a formula: the true prompt is lost."""


@dataclass(frozen=True)
class Story:
    """A story and the prompt that it answers, both verbatim."""

    text: str
    context: str
    source: str
    source_line: int
    strata: Mapping[str, str] = field(default_factory=dict)
    ratings: tuple[HumanRating, ...] = ()

    def content(self) -> dict[str, Any]:
        """The kind, the text and the prompt."""
        return {"kind": "story", "text": self.text, "context": self.context}


def read(
    paths: Sequence[Path],
    *,
    source: str,
    strata: Mapping[str, str],
    options: Mapping[str, str | int | float | bool],
) -> list[Story]:
    """The stories of all files in order, each with 12 ratings from 1 to 5. There are no options.

    Strata: `writer` (human-written or gpt2), `key` (the entry's key in the file) and, where the
    prompt is a spreadsheet's error text, `prompt_damaged`: `yes`. `source_line` is the entry's
    ordinal from 1. Raises RetrialError, with file and JSON pointer, for any other structure.
    """
    if options:
        unknown = ", ".join(sorted(options))
        raise RetrialError(f"chiang2023-stories: unknown option {unknown}; it takes none")
    if not paths:
        raise RetrialError("chiang2023-stories: no files to read; list them under `files`")
    return [
        _story(key, entry, f"{source}/{path.name}", ordinal, strata)
        for path in paths
        for ordinal, (key, entry) in enumerate(_entries(path), start=1)
    ]


def _story(
    key: str, entry: Mapping[str, Any], source: str, ordinal: int, strata: Mapping[str, str]
) -> Story:
    own = {"writer": WRITER_OF[entry["human_written"]], "key": key}
    if entry["prompt"] in DAMAGED_PROMPTS:
        own["prompt_damaged"] = "yes"
    ratings = tuple(
        HumanRating(attribute, f"teacher-{place}", float(score), ordinal)
        for attribute, name in FIELD_OF.items()
        for place, score in enumerate(entry[name], start=1)
    )
    return Story(entry["story"], entry["prompt"], source, ordinal, {**strata, **own}, ratings)


def _entries(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    data = load_json(path)
    if not isinstance(data, dict) or not data:
        raise fault(path, "", "wanted an object of stories by key")
    for key, entry in data.items():
        _check(path, f"/{escape(key)}", entry)
        yield key, entry


def _check(path: Path, pointer: str, entry: Any) -> None:
    wanted = {"prompt", "story", "human_written", *FIELD_OF.values()}
    if not isinstance(entry, dict) or set(entry) != wanted:
        raise fault(path, pointer, f"wanted a story with the keys {', '.join(sorted(wanted))}")
    for name in ("prompt", "story"):
        if not isinstance(entry[name], str) or not entry[name].strip():
            raise fault(path, f"{pointer}/{name}", "wanted a text that is not empty")
    if type(entry["human_written"]) is not int or entry["human_written"] not in WRITER_OF:
        raise fault(path, f"{pointer}/human_written", f"{entry['human_written']!r} is not 0 or 1")
    for name in FIELD_OF.values():
        _check_ratings(path, f"{pointer}/{name}", entry[name])


def _check_ratings(path: Path, pointer: str, ratings: Any) -> None:
    if not isinstance(ratings, list) or len(ratings) != TEACHERS:
        raise fault(path, pointer, f"wanted a list of {TEACHERS} ratings, one per teacher")
    for place, rating in enumerate(ratings):
        if type(rating) is not int or not LOWEST <= rating <= HIGHEST:
            what = f"{rating!r} is not a whole number from {LOWEST} to {HIGHEST}"
            raise fault(path, f"{pointer}/{place}", what)

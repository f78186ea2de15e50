"""Rating forms about a few made-up stories, and exports as a browser writes them."""

import json
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyarrow as pa

from retrial.config import Dataset
from retrial.forms.form import RatingForm, make_form
from retrial.items.build import build_items
from retrial.judging.templates import Template, load_template

PROMPTS = Path(__file__).parents[2] / "data" / "prompts"
ATTRIBUTES = ("grammaticality", "cohesiveness", "likability", "relevance")
NAMES = tuple(f"story-{attribute}" for attribute in ATTRIBUTES)
TEMPLATES = [PROMPTS / f"{name}.yaml" for name in NAMES]
DATASET = "chiang2023-stories"
SPEC = Dataset(
    reader="chiang2023-stories", label="released stories", source="llm-evaluation",
    files=["human_eval_result.json"], raters="persons",
)  # fmt: skip
HOSTILE = "</textarea></div><script>window.owned = 1</script> & <b>bold</b> \"quoted\" 'so'"


def stories() -> dict[str, Any]:
    """Six stories as the released file has them, with hostile and odd texts among them."""
    texts = [
        HOSTILE,
        "Two lines.\nOf text.",
        "  Spaces   kept  ",
        "A\rreturn.\r\n",
        "{{ text }}",
        "é",
    ]
    rated = {"grammar": [5, 4, 3], "cohesive": [1, 2, 3], "enjoy": [2, 2, 2], "relevant": [4, 5, 1]}
    return {
        str(n): {"prompt": f"Prompt {n} <i>", "story": text, "human_written": n % 2, **rated}
        for n, text in enumerate(texts)
    }


def write_stories(folder: Path) -> Path:
    """The stories as a file of the source."""
    path = folder / "human_eval_result.json"
    path.write_text(json.dumps(stories()), "utf-8")
    return path


def read_stories(folder: Path, *more: Path) -> tuple[pa.Table, pa.Table]:
    """Items and human ratings, with those of the exports among `more`."""
    return build_items(DATASET, SPEC, [write_stories(folder), *more])


def templates(names: Sequence[str] = NAMES) -> dict[str, Template]:
    """The project's own templates by id."""
    return {name: load_template(PROMPTS, name) for name in names}


def form_of(items: pa.Table, **changes: Any) -> RatingForm:
    """A form about all of the items, with the four questions."""
    settings = {"form": "chiang2023_figures2to5", "number": 1, "label": "Stories <to> rate"}
    chosen = changes.pop("templates", templates())
    return make_form(items, items["item_id"].to_pylist(), chosen, **{**settings, **changes})


def export_of(form: RatingForm, rater: str = "anna", **changes: Any) -> dict[str, Any]:
    """An export in which everything is rated: 1, 2, 3, 4 for the four questions."""
    at = "2024-05-01T10:00:00.000Z"
    return {
        "format": "retrial-ratings/1",
        "form": dict(form.about),
        "form_sha256": form.sha256,
        "rater": rater,
        "started": at,
        "exported": at,
        "ratings": [
            {"item_id": item, "attribute": attribute, "rating": place, "at": at}
            for item in form.about["items"]
            for place, attribute in enumerate(ATTRIBUTES, start=1)
        ],
        "comments": [],
        **changes,
    }


def write_export(folder: Path, export: Any, name: str = "one") -> Path:
    """An export on disk; a text is written as it is."""
    path = folder / f"{name}.ratings.json"
    path.write_text(export if isinstance(export, str) else json.dumps(export), "utf-8")
    return path


class Words(HTMLParser):
    """The parts of a form's words, read by another parser: (item, part, attribute, text)."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[list[str]] = []
        self.scales: dict[tuple[str, str], list[str]] = {}
        self._item = self._attribute = ""
        self._open = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self._item = found.get("data-item", self._item)
        if tag == "fieldset":
            self._attribute = found["data-attribute"]
        if "data-part" in found:
            attribute = self._attribute if found["data-part"] in ("tail", "cue") else ""
            self.parts.append([self._item, found["data-part"], attribute, ""])
            self._open = True
        if found.get("type") == "radio":
            self.scales.setdefault((self._item, self._attribute), []).append(found["value"])

    def handle_endtag(self, tag: str) -> None:
        if tag in ("div", "span"):
            self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            self.parts[-1][3] += data

    def prompt(self, item: str, attribute: str) -> str:
        """What a reader of the form reads for one question, in order."""
        begin = ""
        for place, part, asked, text in self.parts:
            if place != item:
                continue
            if part == "instruction":
                begin = ""
            if asked == "":
                begin += text
            elif asked == attribute:
                begin += text
                found = begin
        return found

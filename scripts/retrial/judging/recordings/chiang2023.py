"""Reads chiang2023's released answers of the two InstructGPT models (section 3.2).

An answer file holds `targets` (human-written stories) and `predictions` (GPT-2's), each a list
of four attributes, each a list of stories, each a list of three sampled answers:
``/targets/1/17/2`` is the third answer on the cohesiveness of the eighteenth human-written
story. The files name no attribute and no story:

* Attributes come in the order grammaticality, cohesiveness, likability, relevance. The wording
  of the davinci answers shows it; the curie answers are bare numbers, so there it is taken over
  by analogy.
* Stories become items of their own, one per writer and position, without text. The davinci
  files (plain, persona, explain) list their stories in one common order, so they share one
  family of items; nothing in the curie file shows its order, so it needs a family of its own.
  `retrial.links.story_order` infers which released story an item of the davinci family is.

Prompts and requests of a recording are asserted, not observed: their ids digest what the
authors state was asked, and nothing that came back. The wording of the prompts is not in the
source. Temperature 1 and top-p 0.9 are in the names of the files.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from retrial.digest import canonical_json, content_id, sha256_text
from retrial.errors import RetrialError
from retrial.items.chiang2023 import ATTRIBUTES, GPT2, HUMAN_WRITTEN, STUDY, fault, load_json
from retrial.judging.request import request_id
from retrial.record import ANSWERS, ITEMS, PROMPTS, from_rows

WRITERS = {HUMAN_WRITTEN: "targets", GPT2: "predictions"}
STORIES, SAMPLES = 200, 3
SAMPLING = {"temperature": 1.0, "top_p": 0.9}
ASKED_AT = "2023-01"
"""Month of the queries, as the authors' readme gives it."""
ASKED_BY = "d223302/LLM-Evaluation@bcf03aecd619bbae5f2ab8d7f074502e98640cf5"
TEMPLATE, METHOD = "recorded", "recording"


class Recording(NamedTuple):
    """An answer file as tables by contract, and where in the file every answer stands."""

    items: pa.Table
    prompts: pa.Table
    answers: pa.Table
    pointers: dict[str, str]
    """request_id to JSON pointer (RFC 6901)."""


def read_answers(
    path: Path, *, judge: str, condition: str, family: str, model: str, source: str
) -> Recording:
    """The 400 items, 1,600 prompts and 4,800 answers of one file.

    Items: kind `story`, dataset `family`, no text, strata `writer` and `position` (from 0),
    `source_line` the position from 1. All files of a family give the same items but for
    `source`: keep those of one file. Prompts: template `recorded` of empty content. Answers:
    text verbatim, method `recording`, tokens -1 and `finish_reason` empty for unknown; `model`
    is what the authors name and enters the request ids, `judge` does not.
    Raises RetrialError, with file and JSON pointer, unless the file has exactly this structure.
    """
    data = load_json(path)
    _check_file(path, data)
    items, prompts, answers, pointers = [], [], [], {}
    for writer in WRITERS:
        for index in range(STORIES):
            item = _item(family, writer, index, f"{source}/{path.name}")
            items.append(item)
            for place, attribute in enumerate(ATTRIBUTES):
                prompt = _prompt(item, attribute, condition)
                prompts.append(prompt)
                texts = data[WRITERS[writer]][place][index]
                for answer in _answers(prompt, texts, judge, model):
                    answers.append(answer)
                    where = pointer(writer, attribute, index, answer["sample"])
                    pointers[answer["request_id"]] = where
    tables = from_rows(items, ITEMS), from_rows(prompts, PROMPTS), from_rows(answers, ANSWERS)
    return Recording(*tables, pointers)


def pointer(writer: str, attribute: str, index: int, sample: int) -> str:
    """Where an answer stands in its file, such as ``/targets/1/17/2``; indices from 0.

    Raises RetrialError for a writer, attribute, index or sample that the files don't hold.
    """
    known = writer in WRITERS and attribute in ATTRIBUTES
    if not known or index not in range(STORIES) or sample not in range(SAMPLES):
        place = f"{writer}, {attribute}, story {index}, sample {sample}"
        raise RetrialError(
            f"chiang2023 answers: there is no answer at {place}; writers are "
            f"{', '.join(WRITERS)}, attributes {', '.join(ATTRIBUTES)}, "
            f"stories 0-{STORIES - 1}, samples 0-{SAMPLES - 1}"
        )
    return f"/{WRITERS[writer]}/{ATTRIBUTES.index(attribute)}/{index}/{sample}"


def recorded_item_id(family: str, writer: str, index: int) -> str:
    """The id of the story that a family of files holds at `index` (from 0) for a writer."""
    return content_id({"recording": family, "writer": writer, "index": index})


def _item(family: str, writer: str, index: int, source: str) -> dict[str, Any]:
    return {
        "item_id": recorded_item_id(family, writer, index),
        "dataset": family,
        "split": "all",
        "kind": "story",
        "strata": [("position", str(index)), ("writer", writer)],
        "source": source,
        "source_line": index + 1,
    }


def _prompt(item: Mapping[str, Any], attribute: str, condition: str) -> dict[str, Any]:
    content = {
        "item_id": item["item_id"],
        "attribute": attribute,
        "condition": condition,
        "replicate": 0,
        "template": TEMPLATE,
        "template_sha256": sha256_text(""),
        "examples": [],
        "shared_examples": False,
        "conversation_id": None,
        "turn": 0,
    }
    asserted = {**content, "study": STUDY}
    return {"prompt_id": content_id(asserted), "dataset": item["dataset"], **content}


def _answers(
    prompt: Mapping[str, Any], texts: Sequence[str], judge: str, model: str
) -> Iterator[dict[str, Any]]:
    for sample, text in enumerate(texts):
        came_back = {"text": text, "rating_logprobs": None, "finish_reason": ""}
        asked = canonical_json(
            {
                "prompt_id": prompt["prompt_id"],
                "model": model,
                "method": METHOD,
                "sampling": SAMPLING,
                "sample": sample,
            }
        )
        yield {
            "request_id": request_id(None, asked),
            "asked": asked,
            "prompt_id": prompt["prompt_id"],
            "judge": judge,
            "sample": sample,
            "method": METHOD,
            "text": text,
            "finish_reason": came_back["finish_reason"],
            "prompt_tokens": -1,
            "answer_tokens": -1,
            "examples_kept": 0,
            "turns_dropped": 0,
            "item_turns_dropped": 0,
            "answer_sha256": content_id(came_back),
            "asked_at": ASKED_AT,
            "asked_by": ASKED_BY,
            "engine": METHOD,
            "device": "",
        }


def _check_file(path: Path, data: Any) -> None:
    if not isinstance(data, dict) or set(data) != set(WRITERS.values()):
        raise fault(path, "", f"wanted an object with the keys {', '.join(WRITERS.values())}")
    for key in WRITERS.values():
        _check_list(path, f"/{key}", data[key], len(ATTRIBUTES), "attributes")
        for place, stories in enumerate(data[key]):
            _check_list(path, f"/{key}/{place}", stories, STORIES, "stories")
            for index, texts in enumerate(stories):
                _check_texts(path, f"/{key}/{place}/{index}", texts)


def _check_list(path: Path, where: str, value: Any, length: int, what: str) -> None:
    if not isinstance(value, list):
        raise fault(path, where, f"wanted a list of {length} {what}")
    if len(value) != length:
        raise fault(path, where, f"{len(value)} {what}, wanted {length}")


def _check_texts(path: Path, where: str, texts: Any) -> None:
    _check_list(path, where, texts, SAMPLES, "answers")
    for sample, text in enumerate(texts):
        if not isinstance(text, str):
            raise fault(path, f"{where}/{sample}", f"{text!r} is not a text")

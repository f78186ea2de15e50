"""The ratings of a judge, from its answers and the prompts that they answer."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from retrial.record import RATINGS, ContractError, from_rows
from retrial.scoring.forms import AnswerForm
from retrial.scoring.logits import READINGS
from retrial.scoring.parsers.base import Parser

PROMPT_FIELDS = ("item_id", "dataset", "attribute", "condition", "replicate")
NOTHING_KNOWN: Mapping[str, AnswerForm] = {}
TASKS = {"overall": "dialogue", "fluency": "attack", "meaning": "attack"}
"""What kind of question a parser reads the answer to; every other attribute is a story's."""


def rate_answers(
    prompts: pa.Table,
    answers: pa.Table,
    *,
    top_k: int,
    low_mass: float,
    parsers: Mapping[str, Parser],
    forms: Mapping[str, AnswerForm] = NOTHING_KNOWN,
) -> pa.Table:
    """Every reading of every answer, in the ratings contract.

    Logits answers give the readings `expectation` and `log-literal`, text answers one reading
    for each parser. `forms` says by template on which scale its answers are and where their
    rating stands; a template that it does not name asks for 1 to 5. Raises ContractError when
    an answer belongs to no prompt, or a prompt has no answer.
    """
    columns = prompts.select(["prompt_id", "template", *PROMPT_FIELDS])
    by_prompt = {p["prompt_id"]: p for p in columns.to_pylist()}
    answered = set(answers["prompt_id"].to_pylist())
    if strangers := answered - by_prompt.keys():
        raise ContractError(
            f"{len(strangers)} answers belong to no prompt, such as {min(strangers)}"
        )
    if unanswered := by_prompt.keys() - answered:
        raise ContractError(f"{len(unanswered)} prompts have no answer, such as {min(unanswered)}")

    def read(answer: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        if answer["finish_reason"] == "too_long":
            return _too_long(READINGS if answer["method"] == "logits" else parsers)
        if answer["method"] == "logits":
            return _logits_readings(answer, top_k, low_mass)
        prompt = by_prompt[answer["prompt_id"]]
        task = TASKS.get(prompt["attribute"], "story")
        return _text_readings(answer, parsers, task, _form(forms, prompt))

    return from_rows(_rows(by_prompt, answers, forms, read), RATINGS)


def _form(forms: Mapping[str, AnswerForm], prompt: Mapping[str, Any]) -> AnswerForm:
    return forms.get(prompt["template"], AnswerForm())


def _rows(
    by_prompt: Mapping[str, dict[str, Any]],
    answers: pa.Table,
    forms: Mapping[str, AnswerForm],
    read: Callable[[Mapping[str, Any]], Iterator[dict[str, Any]]],
) -> Iterator[dict[str, Any]]:
    for answer in answers.to_pylist():
        prompt = by_prompt[answer["prompt_id"]]
        common = {
            **{name: prompt[name] for name in PROMPT_FIELDS},
            "judge": answer["judge"],
            "sample": answer["sample"],
            "rater": "",
            "scale": _form(forms, prompt).scale,
            "request_id": answer["request_id"],
        }
        for reading in read(answer):
            yield {**common, **reading}


def _too_long(readings: Iterable[str]) -> Iterator[dict[str, Any]]:
    for name in readings:
        yield {"reading": name, "status": "too_long", "reason": "no cut fits the context"}


def _logits_readings(
    answer: Mapping[str, Any], top_k: int, low_mass: float
) -> Iterator[dict[str, Any]]:
    logprobs = dict(answer["rating_logprobs"] or [])
    for name, take in READINGS.items():
        reading = take(logprobs, top_k, low_mass)
        yield {
            "reading": name,
            "score": reading.score,
            "status": reading.status,
            "reason": reading.reason,
            "rating_mass": reading.mass,
        }


def _text_readings(
    answer: Mapping[str, Any], parsers: Mapping[str, Parser], task: str, form: AnswerForm
) -> Iterator[dict[str, Any]]:
    for name, parse in parsers.items():
        reason = answer["finish_reason"] or None
        parsed = form.read(parse, answer["text"], task=task, finish_reason=reason)
        start, end = parsed.span or (None, None)
        yield {
            "reading": name,
            "score": parsed.value,
            "status": parsed.status,
            "reason": parsed.reason or None,
            "span_start": start,
            "span_end": end,
        }

"""Prompts and answers: ids from content, what was asked, and recordings read again."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from retrial.audit.compare import SHOWN, differences, told
from retrial.audit.digests import NOT_HERE
from retrial.audit.sidecars import Sidecar
from retrial.audit.stage import Stage
from retrial.audit.states import Link
from retrial.digest import content_id
from retrial.items.chiang2023 import STUDY
from retrial.judging.recordings.chiang2023 import TEMPLATE, recorded_item_id
from retrial.judging.request import request_id
from retrial.record import ANSWERS, ITEMS, PROMPTS

ASKED = ("item_id", "attribute", "condition", "replicate", "template", "template_sha256",
         "examples", "shared_examples", "conversation_id", "turn")  # fmt: skip
SHOWN_TEXT = ("turns", "text", "context", "text_b")
MODEL_FACTS = {"model": "model", "revision": "revision", "digest": "files_digest"}
SPEC_FACTS = ("backend", "dtype", "quantisation")
"""What of a judge's configuration is part of every request, where the configuration states it."""


def prompt_fault(prompt: Mapping[str, Any], item: Mapping[str, Any] | None) -> str:
    """Why a prompt is not the one of its id and its item; empty when it is."""
    content = {name: prompt[name] for name in ASKED}
    if prompt["template"] == TEMPLATE:
        content["study"] = STUDY
    if content_id(content) != prompt["prompt_id"]:
        return "its id is not that of its content"
    if item is None:
        return f"there is no item {prompt['item_id']}"
    if prompt["template"] != TEMPLATE:
        other = [name for name in SHOWN_TEXT if prompt[name] != item[name]]
        if other:
            return f"shows another {other[0]} than its item"
    return ""


def answer_fault(answer: Mapping[str, Any], prompt: Mapping[str, Any] | None) -> str:
    """Why an answer is not the one of its ids and its prompt; empty when it is."""
    if request_id(answer["prompt_text"], answer["asked"]) != answer["request_id"]:
        return "its id is not that of what was asked"
    logprobs = answer["rating_logprobs"]
    came_back = {
        "text": answer["text"],
        "rating_logprobs": logprobs,
        "finish_reason": answer["finish_reason"],
    }
    if content_id(came_back) != answer["answer_sha256"]:
        return "its digest is not that of what came back"
    asked = json.loads(answer["asked"])
    for name in ("method", "sample", "prompt_id"):
        if name in asked and asked[name] != answer[name]:
            return f"{name} is {answer[name]}, asked was {asked[name]}"
    if prompt is None:
        return f"there is no prompt {answer['prompt_id']}"
    return _shown_fault(answer, prompt)


def _shown_fault(answer: Mapping[str, Any], prompt: Mapping[str, Any]) -> str:
    """Whether the prompt as read holds the item as far as it was not cut."""
    read = answer["prompt_text"]
    if read is None or answer["finish_reason"] == "too_long":
        return ""
    turns = (prompt["turns"] or [])[answer["item_turns_dropped"] :]
    texts = [turn["text"] for turn in turns]
    if not turns:
        texts = [prompt[name] for name in ("text", "text_b") if prompt[name]]
    missing = next((text for text in texts if text.strip() not in read), None)
    return "" if missing is None else f"its prompt text does not show {missing[:60]!r}"


def recompute_prompts(stage: Stage) -> Iterator[Link]:
    """Ids and texts of prompts, against their items."""
    yield from _prompts(stage, stage.output(PROMPTS), stage.first(ITEMS, "items"))


def _prompts(stage: Stage, prompts: pa.Table, items: pa.Table) -> Iterator[Link]:
    known = {row["item_id"]: row for row in items.to_pylist()}
    faults = {p["prompt_id"]: prompt_fault(p, known.get(p["item_id"])) for p in prompts.to_pylist()}
    yield from _faults(stage, "prompt", "prompt ids and texts", faults)


def _item_places(stage: Stage, items: pa.Table) -> Iterator[Link]:
    """The ids of a recording's items: each is a place in its files."""
    family, faults = stage.job["spec"]["family"], {}
    for item in items.to_pylist():
        strata = dict(item["strata"])
        right = recorded_item_id(family, strata["writer"], int(strata["position"]))
        own = right == item["item_id"]
        faults[item["item_id"]] = "" if own else "its id is not that of its place"
    yield from _faults(stage, "item", "item ids", faults)


def recompute_answers(stage: Stage) -> Iterator[Link]:
    """What was asked and what came back, against the ids; the model against the sidecar."""
    prompts = {p["prompt_id"]: p for p in stage.first(PROMPTS, "prompts").to_pylist()}
    yield from _answers(stage, prompts)
    faults = list(asking_faults(stage.output(ANSWERS).to_pylist(), prompts, stage.sidecar))
    facts = stage.sidecar.record.get("facts") or {}
    if not faults:
        yield stage.link("model", "VERIFIED", f"{facts.get('model')} at {facts.get('revision')}")
    yield from (stage.link("model", "MISMATCH", fault) for fault in faults[:SHOWN])


def asking_faults(
    answers: Iterable[Mapping[str, Any]],
    prompts: Mapping[str, Mapping[str, Any]],
    sidecar: Sidecar,
) -> Iterator[str]:
    """What answers were asked of, or asked with, that is not what the job's sidecar states.

    Judge, model, revision, files, precision; method and sampling by condition. Each fault once.
    """
    job, facts = sidecar.parameters, sidecar.record.get("facts") or {}
    stated = {name: facts[n] for n, name in MODEL_FACTS.items() if n in facts}
    stated |= {name: job["spec"][name] for name in SPEC_FACTS if name in job.get("spec", {})}
    stated = stated if sidecar.rule == "ask_judge" else {}
    seen: set[tuple[Any, ...]] = set()
    for answer in answers:
        prompt = prompts.get(answer["prompt_id"]) or {}
        asked_as = answer["asked"] if stated else ""
        kind = (answer["judge"], asked_as, answer["method"], prompt.get("condition"))
        if kind in seen:
            continue
        seen.add(kind)
        asked = json.loads(answer["asked"])
        if answer["judge"] != job.get("judge"):
            yield f"answer {answer['request_id']}: judge is {answer['judge']}"
        for name, value in stated.items():
            if asked.get(name) != value:
                yield f"the sidecar names another {name}: {value}, asked was {asked.get(name)}"
        condition = (job.get("conditions") or {}).get(prompt.get("condition"))
        if condition and condition.get("method") != answer["method"]:
            yield f"the sidecar names another method of {prompt.get('condition')}"


def _answers(stage: Stage, prompts: Mapping[str, Mapping[str, Any]]) -> Iterator[Link]:
    judge = stage.job["judge"]
    faults = {}
    for answer in stage.output(ANSWERS).to_pylist():
        fault = answer_fault(answer, prompts.get(answer["prompt_id"]))
        if answer["judge"] != judge:
            fault = f"judge is {answer['judge']}, the job's was {judge}"
        faults[answer["request_id"]] = fault
        if fault:
            stage.damage.add(("request", answer["request_id"]))
    yield from _faults(stage, "answer", "request ids and answer digests", faults)


def recompute_recording(stage: Stage) -> Iterator[Link]:
    """A recording's items, prompts and answers: ids, and all again from the released files."""
    kind = stage.place.split("/", 1)[0]
    contract = {"items": ITEMS, "prompts": PROMPTS, "answers": ANSWERS}[kind]
    recorded = stage.output(contract)
    if kind == "items":
        yield from _item_places(stage, recorded)
    elif kind == "prompts":
        items = stage.table(f"items/{stage.job['spec']['family']}.parquet", ITEMS)
        yield from _prompts(stage, recorded, items)
    else:
        family = stage.job["spec"]["family"]
        prompts = stage.table(f"prompts/{family}/recorded.parquet", PROMPTS)
        yield from _answers(stage, {p["prompt_id"]: p for p in prompts.to_pylist()})
        yield stage.link("model and prompts", "ASSERTED", "as the authors state them")
    if stage.outside is None:
        detail = f"the released answers are {NOT_HERE}"
        yield stage.link("recording read again", "RECORDED", detail, checked=False)
        return
    rebuilt = stage.once(("recording", stage.job["judge"]), lambda: _read_again(stage))
    found = list(differences(recorded, rebuilt[kind], contract))
    if kind != "prompts":
        key, name = {"answers": ("request", "request_id"), "items": ("item", "item_id")}[kind]
        stage.damage.update((key, difference.key[name]) for difference in found)
    yield from told(stage.place, "recording read again", found, recorded.num_rows)


def _read_again(stage: Stage) -> dict[str, pa.Table]:
    from retrial.config import RecordingJudge
    from retrial.judging.backends.recording import read_recording

    spec = RecordingJudge.model_validate({"label": "", **stage.job["spec"]})
    tables = read_recording(stage.job["judge"], spec, stage.outside or [])
    return dict(zip(("items", "prompts", "answers"), tables, strict=True))


def _faults(stage: Stage, one: str, all_of: str, faults: Mapping[str, str]) -> Iterator[Link]:
    broken = [(name, fault) for name, fault in faults.items() if fault]
    if not broken:
        yield stage.link(all_of, "VERIFIED", f"{len(faults):,} records")
    for name, fault in broken[:SHOWN]:
        yield stage.link(f"{one} {name}", "MISMATCH", fault)
    if len(broken) > SHOWN:
        yield stage.link(all_of, "MISMATCH", f"and {len(broken) - SHOWN:,} records more")

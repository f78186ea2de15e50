"""One judging job: take what the store has, ask the rest in chunks, build the output.

Chunks are planned from the whole list of prompts in the order of their tokens, and each is
written to the store when it is finished. A resumed job therefore repeats the arithmetic of
an undisturbed one, and a killed job loses one chunk at most.
"""

import logging
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any
from uuid import uuid4

import pyarrow as pa

from retrial.digest import content_id
from retrial.errors import RetrialError
from retrial.judging.backends.base import Advance, Backend, Request
from retrial.judging.store import AnswerStore
from retrial.judging.templates import Template
from retrial.progress import progress
from retrial.record import ANSWERS, from_rows, now

log = logging.getLogger("retrial")


def answer_prompts(
    judge: str,
    backend: Backend,
    prompts: pa.Table,
    templates: Mapping[str, Template],
    store: AnswerStore,
    chunk_size: int,
) -> pa.Table:
    """The answers to all prompts, in the answers contract, sorted by prompt and sample.

    Raises RetrialError when a template is no longer the one that the prompts were made with.
    """
    rows = prompts.to_pylist()
    _check_templates(rows, templates)
    requests = backend.render(rows, templates)
    ids = [request.request_id for request in requests]
    known = set(store.find(ids)["request_id"].to_pylist())
    log.info("%s: %d prompts, %d already answered", judge, len(requests), len(known))
    run_id = f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:12]}"
    missing = len(set(ids) - known)
    with progress(f"judge {judge}", missing, "prompts") as advance:
        for chunk in plan_chunks(requests, chunk_size):
            unanswered = [r for r in chunk if r.request_id not in known]
            if unanswered:
                _ask_chunk(judge, backend, unanswered, store, run_id, advance)
    return _by_prompt(requests, store.find(ids))


def _ask_chunk(
    judge: str,
    backend: Backend,
    chunk: Sequence[Request],
    store: AnswerStore,
    run_id: str,
    advance: Advance,
) -> None:
    """Asks a chunk and stores its answers at once.

    After a fault, answers that came before it are kept where each stands for itself.
    """
    rows: list[dict[str, Any]] = []
    try:
        for request, answer in _paired(chunk, backend.ask(chunk, advance)):
            rows.append(_row(judge, request, answer, run_id, backend))
    except Exception:
        if backend.independent and rows:
            store.add(rows)
        raise
    store.add(rows)


def _check_templates(
    prompts: Sequence[Mapping[str, Any]], templates: Mapping[str, Template]
) -> None:
    made_with = {(prompt["template"], prompt["template_sha256"]) for prompt in prompts}
    for name, digest in sorted(made_with):
        if templates[name].sha256 != digest:
            raise RetrialError(
                f"template {name} was changed after the prompts were made; make the prompts again"
            )


def _by_prompt(requests: Sequence[Request], stored: pa.Table) -> pa.Table:
    """One row for each prompt: two prompts that read the same share one stored answer."""
    answers = {row["request_id"]: row for row in stored.to_pylist()}
    rows = ({**answers[r.request_id], "prompt_id": r.prompt_id, **r.about} for r in requests)
    return from_rows(rows, ANSWERS).sort_by([("prompt_id", "ascending"), ("sample", "ascending")])


def plan_chunks(requests: Sequence[Request], size: int) -> Iterator[list[Request]]:
    """Each distinct request once, in the order of their tokens, in chunks of at most `size`.

    The samples of a prompt are never parted, even where they alone are more than `size`.
    """
    distinct = {r.request_id: r for r in requests}
    ordered = sorted(
        distinct.values(), key=lambda r: (r.place, r.group or r.request_id, r.sample, r.request_id)
    )
    chunk: list[Request] = []
    for _, samples in groupby(ordered, key=lambda r: r.group or r.request_id):
        together = list(samples)
        if chunk and len(chunk) + len(together) > size:
            yield chunk
            chunk = []
        chunk = [*chunk, *together]
    if chunk:
        yield chunk


def _paired(
    requests: Sequence[Request], answers: Iterator[Mapping[str, Any]]
) -> Iterator[tuple[Request, Mapping[str, Any]]]:
    """Each answer beside its request, by id: backends may answer in another order."""
    by_id = {r.request_id: r for r in requests}
    for answer in answers:
        yield by_id.pop(answer["request_id"]), answer
    if by_id:
        raise RuntimeError(f"the backend left {len(by_id)} requests of a chunk unanswered")


def _row(
    judge: str, request: Request, answer: Mapping[str, Any], run_id: str, backend: Backend
) -> dict[str, Any]:
    came_back = {k: answer.get(k) for k in ("text", "rating_logprobs", "finish_reason")}
    return {
        "request_id": request.request_id,
        "prompt_id": request.prompt_id,
        "judge": judge,
        "sample": request.sample,
        "method": request.method,
        **request.about,
        **{k: v for k, v in answer.items() if k != "request_id"},
        "answer_sha256": content_id(came_back),
        "asked_at": now(),
        "asked_by": run_id,
        "engine": backend.engine,
    }

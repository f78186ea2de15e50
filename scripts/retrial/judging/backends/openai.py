"""The openai backend: a judge behind any OpenAI-compatible server.

The server has the model and its tokenizer, so prompts are cut by an estimate of their tokens,
and what model answered is what the server says. Requests of a chunk are sent several at a time.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cached_property
from pathlib import Path
from typing import Any

from retrial.config import OpenAIJudge
from retrial.errors import RetrialError
from retrial.judging.api.client import Client, ContextError
from retrial.judging.api.shapes import Completion, rating_logprobs, read_completion
from retrial.judging.backends.base import Advance, Request
from retrial.judging.context import Fitted, TooLong, fit_prompt
from retrial.judging.methods import LOGITS, Method, methods_of
from retrial.judging.parts import parts_of
from retrial.judging.request import asked_fields, request_id
from retrial.judging.templates import Template
from retrial.sources.retry import RetryPolicy

RATING_TOKENS = 3
"""Tokens asked for where a rating is read: a blank and the rating, with one to spare."""

Conditions = Mapping[str, Mapping[str, Any]]


def open_backend(
    spec: Mapping[str, Any],
    files: object,
    threads: int,
    adapter: Path | None = None,
    conditions: Conditions | None = None,
) -> "OpenAIBackend":
    """The backend of a judge's configuration. It has no files, and takes no adapter."""
    if adapter is not None:
        raise RetrialError("an adapter can't be given to a server; serve the tuned model itself")
    judge = OpenAIJudge.model_validate({"label": "", **spec})
    return OpenAIBackend(judge, conditions)


class OpenAIBackend:
    """Asks one judge over HTTP, in the answers contract's terms."""

    independent = True

    def __init__(self, judge: OpenAIJudge, conditions: Conditions | None = None) -> None:
        """Without `conditions`, all are asked for the probabilities of the ratings."""
        self.judge = judge
        self.methods = None if conditions is None else methods_of(conditions)
        self.engine = f"openai protocol / {judge.model}"

    @cached_property
    def client(self) -> Client:
        """Made at the first question: a job with nothing to ask needs no key and no server."""
        policy = RetryPolicy(attempts=self.judge.attempts)
        timeout = self.judge.timeout_seconds
        return Client(self.judge.url, self.judge.key_variable, timeout=timeout, policy=policy)

    def render(
        self, prompts: Sequence[Mapping[str, Any]], templates: Mapping[str, Template]
    ) -> list[Request]:
        """The requests, one for each sample of each prompt, cut to the estimated context."""
        return [r for p in prompts for r in self._requests(p, templates[p["template"]])]

    def ask(self, chunk: Sequence[Request], advance: Advance) -> Iterator[Mapping[str, Any]]:
        """Answers as they come; after a lasting fault, those that still come, then the fault."""
        fault: Exception | None = None
        with ThreadPoolExecutor(self.judge.concurrency) as pool:
            waiting = {pool.submit(self._ask_one, r): r for r in chunk if r.answered is None}
            for request in (r for r in chunk if r.answered is not None):
                advance(1)
                yield {"request_id": request.request_id, **(request.answered or {})}
            for done in as_completed(waiting):
                if done.cancelled():
                    continue
                if error := done.exception():
                    fault = fault or (error if isinstance(error, Exception) else None)
                    for other in waiting:
                        other.cancel()
                    continue
                advance(1)
                yield done.result()
        if fault is not None:
            raise fault

    def _ask_one(self, request: Request) -> dict[str, Any]:
        path, body = request.payload["path"], request.payload["body"]
        try:
            completion = read_completion(self.client.post(path, body))
        except ContextError:
            return {"request_id": request.request_id, **_answer(None, None, "too_long", None)}
        tokens = completion.answer_tokens
        if request.method == "logits":
            answer = _read(completion, request.payload["ratings"], tokens)
        else:
            answer = _answer(completion.text, None, completion.finish_reason, tokens)
        if completion.prompt_tokens is not None:
            answer["prompt_tokens"] = completion.prompt_tokens
        return {"request_id": request.request_id, **answer, "device": completion.model}

    def _requests(self, prompt: Mapping[str, Any], template: Template) -> Iterator[Request]:
        method = LOGITS if self.methods is None else self.methods[prompt["condition"]]
        parts = parts_of(prompt, template)
        room = method.sampling.answer_tokens if method.sampling else RATING_TOKENS
        limit = self.judge.context_tokens - room
        shared = bool(prompt["shared_examples"])
        budget = int(limit * self.judge.examples_share) if shared else None
        fitted = fit_prompt(
            parts, self._estimate, limit, examples_limit=budget, shared_examples=shared
        )
        text = (fitted.parts if isinstance(fitted, Fitted) else parts).text
        unasked = _answer(None, None, "too_long", 0) if isinstance(fitted, TooLong) else None
        group = ""
        for sample in range(method.samples):
            asked = self._asked(template, method, sample)
            identity = request_id(text, asked)
            group = group or identity
            yield Request(
                request_id=identity,
                prompt_id=prompt["prompt_id"],
                sample=sample,
                method=method.name,
                place=tuple(text.encode()),
                payload=self._payload(text, template, method, identity),
                about={**_about(fitted, self._estimate(text)), "prompt_text": text, "asked": asked},
                answered=unasked,
                group=group,
            )

    def _estimate(self, text: str) -> int:
        return int(len(text) / self.judge.characters_per_token) + 1

    def _payload(
        self, text: str, template: Template, method: Method, identity: str
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.judge.model}
        chat = self.judge.prompt_format == "chat"
        body |= {"messages": [{"role": "user", "content": text}]} if chat else {"prompt": text}
        if method.sampling is None:
            body |= {"max_tokens": RATING_TOKENS, "temperature": 0}
            top = self.judge.top_logprobs
            body |= {"logprobs": True, "top_logprobs": top} if chat else {"logprobs": top}
        else:
            sampling = method.sampling
            body |= {"max_tokens": sampling.answer_tokens, "temperature": sampling.temperature,
                     "top_p": sampling.top_p, "seed": int(identity[:7], 16)}  # fmt: skip
            if sampling.stop:
                body["stop"] = list(sampling.stop)
        path = "chat/completions" if chat else "completions"
        return {"path": path, "body": body, "ratings": list(template.ratings)}

    def _asked(self, template: Template, method: Method, sample: int) -> str:
        """What decides an answer. The address does not: a server may move."""
        shape = {"prompt_format": self.judge.prompt_format, "top_logprobs": self.judge.top_logprobs}
        return asked_fields(
            method=method.name,
            ratings=template.ratings,
            model=self.judge.model,
            revision=self.judge.revision,
            files_digest="",
            adapter_digest=None,
            backend="openai",
            dtype="unknown",
            quantisation=None,
            sampling={**(method.asked or {}), **shape},
            sample=sample,
        )


def _read(completion: Completion, ratings: Sequence[str], tokens: int | None) -> dict[str, Any]:
    """A rating read from probabilities; where the server gives none, the answer says so."""
    if completion.positions is None:
        return _answer(completion.text, None, "no_logprobs", tokens)
    found = rating_logprobs(completion.positions, ratings)
    return _answer(completion.text, sorted((found or {}).items()), "", tokens)


def _answer(
    text: str | None, logprobs: list[tuple[str, float]] | None, finish: str, tokens: int | None
) -> dict[str, Any]:
    return {
        "text": text,
        "rating_logprobs": logprobs,
        "finish_reason": finish,
        "answer_tokens": tokens or 0,
        "device": "",
    }


def _about(fitted: Fitted | TooLong, tokens: int) -> dict[str, int]:
    names = ("examples_kept", "turns_dropped", "item_turns_dropped")
    return {"prompt_tokens": tokens, **{name: getattr(fitted, name, 0) for name in names}}

"""The transformers backend: a live model in this process, by rating tokens or by free text.

Rendering needs the tokenizer only; the model is loaded at the first question, so a job with
nothing to ask never loads it.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from retrial.config import TransformersJudge
from retrial.errors import RetrialError
from retrial.judging.adapters import adapter_digest, check_adapter
from retrial.judging.backends.base import Advance, Request
from retrial.judging.context import Fitted, TooLong, cached_count, fit_prompt
from retrial.judging.encode import PromptEncoder
from retrial.judging.fitted import cuts, too_long_answer
from retrial.judging.generation import Question, generate_answers
from retrial.judging.logits import score_ratings
from retrial.judging.methods import LOGITS, Method, methods_of
from retrial.judging.model_files import ModelFiles
from retrial.judging.models import (
    Architecture,
    LoadedJudge,
    context_tokens,
    engine_name,
    load_config,
    load_judge,
    load_tokenizer,
)
from retrial.judging.parts import parts_of
from retrial.judging.rating_tokens import (
    RatingTokenFinder,
    RatingTokens,
    Tokens,
    find_decoder_tokens,
)
from retrial.judging.request import asked_fields, request_id
from retrial.judging.templates import Template
from retrial.judging.token_requests import TokenRequest

ANSWER_TOKENS = 8
"""Room left for a rating that is read, in as many tokens as any tokenizer needs for it."""

Conditions = Mapping[str, Mapping[str, Any]]


def open_backend(
    spec: Mapping[str, Any],
    files: ModelFiles,
    threads: int,
    adapter: Path | None = None,
    conditions: Conditions | None = None,
) -> "TransformersBackend":
    """The backend of a judge's configuration."""
    judge = TransformersJudge.model_validate({"label": "", **spec})
    return TransformersBackend(judge, files, threads, adapter, conditions)


class TransformersBackend:
    """Asks one judge, in the answers contract's terms."""

    independent = False

    def __init__(
        self,
        judge: TransformersJudge,
        files: ModelFiles,
        threads: int,
        adapter: Path | None = None,
        conditions: Conditions | None = None,
    ) -> None:
        """Without `conditions`, all are asked by logits. A wrong adapter is a RetrialError."""
        self.judge, self.files, self.threads, self.adapter = judge, files, threads, adapter
        self.adapter_digest: str | None = None
        if adapter is not None:
            check_adapter(adapter, files)
            self.adapter_digest = adapter_digest(adapter)
        self.methods = None if conditions is None else methods_of(conditions)
        self.config = config = load_config(files)
        self.tokenizer = load_tokenizer(files)
        self.encode = PromptEncoder(self.tokenizer, keep_end=config.is_encoder_decoder)
        self.limit = context_tokens(config, judge.context_tokens) - ANSWER_TOKENS
        self.seq2seq = bool(config.is_encoder_decoder)
        self.finder = RatingTokenFinder(self.encode)
        self._count = cached_count(self.encode.count)

    @cached_property
    def engine(self) -> str:
        """Library, version, number format and strategy."""
        kind: Architecture = "seq2seq" if self.config.is_encoder_decoder else "causal"
        named = engine_name(self.judge.strategy, architecture=kind)
        return f"{named} / {self.judge.dtype}"

    @cached_property
    def loaded(self) -> LoadedJudge:
        """The model, loaded once."""
        return load_judge(
            self.files,
            dtype=self.judge.dtype,
            adapter=self.adapter,
            context=self.judge.context_tokens,
            threads=self.threads,
        )

    def render(
        self, prompts: Sequence[Mapping[str, Any]], templates: Mapping[str, Template]
    ) -> list[Request]:
        """Fitted, tokenised requests, one for each sample of each prompt.

        A prompt that no cut fits is answered `too_long`.
        """
        return [r for p in prompts for r in self._requests(p, templates[p["template"]])]

    def ask(self, chunk: Sequence[Request], advance: Advance) -> Iterator[Mapping[str, Any]]:
        """Rating log-probabilities or a text for each request of the chunk."""
        for request in chunk:
            if request.answered is not None:
                advance(1)
                yield {"request_id": request.request_id, **request.answered}
        waiting = [r for r in chunk if r.answered is None]
        for answer in self._read([r for r in waiting if r.method == "logits"]):
            advance(1)
            yield answer
        for answer in self._draw([r for r in waiting if r.method == "generation"]):
            advance(1)
            yield answer

    def text(self, prompt: str, cue: str) -> str:
        """The prompt as the judge reads it: plain, or a chat whose answer begins with the cue."""
        if self.judge.prompt_format == "plain":
            return prompt
        message = [{"role": "user", "content": prompt.removesuffix(cue).rstrip()}]
        opened: str = self.tokenizer.apply_chat_template(
            message, tokenize=False, add_generation_prompt=True
        )
        return opened + cue

    def _read(self, requests: Sequence[Request]) -> Iterator[dict[str, Any]]:
        if not requests:
            return
        tokens = [TokenRequest(r.request_id, r.place, r.payload) for r in requests]
        strategy = self.loaded.strategy(self.judge.strategy)
        for scored in score_ratings(
            self.loaded, tokens, strategy=strategy, batch_tokens=self.judge.batch_tokens
        ):
            yield {
                "request_id": scored.request_id,
                "text": None,
                "rating_logprobs": sorted(scored.rating_logprobs.items()),
                "finish_reason": "",
                "answer_tokens": 0,
                "device": self.loaded.device,
            }

    def _draw(self, requests: Sequence[Request]) -> Iterator[dict[str, Any]]:
        if not requests:
            return
        questions = [
            Question(samples[0].place, tuple(r.request_id for r in samples), samples[0].payload)
            for samples in (list(s) for _, s in groupby(requests, key=lambda r: r.group))
        ]
        for answer in generate_answers(
            self.loaded,
            questions,
            strategy=self.judge.strategy,
            batch_tokens=self.judge.batch_tokens,
        ):
            yield {
                "request_id": answer.request_id,
                "text": answer.text,
                "rating_logprobs": None,
                "finish_reason": answer.finish_reason,
                "answer_tokens": answer.tokens,
                "device": self.loaded.device,
            }

    def _requests(self, prompt: Mapping[str, Any], template: Template) -> Iterator[Request]:
        method = self._method(prompt["condition"])
        limit = method.prompt_limit(self.limit, ANSWER_TOKENS, seq2seq=self.seq2seq)
        parts = parts_of(prompt, template)
        fitted = self._fit(parts, template, bool(prompt["shared_examples"]), limit)
        too_long = isinstance(fitted, TooLong)
        text = self.text(fitted.parts.text if isinstance(fitted, Fitted) else parts.text,
                         template.cue)  # fmt: skip
        place, payload = self._locate(text, template, method)
        group = ""
        for sample in range(method.samples):
            asked = self._asked(template, method, limit if too_long else None, sample)
            identity = request_id(text, asked)
            group = group or identity
            yield Request(
                request_id=identity,
                prompt_id=prompt["prompt_id"],
                sample=sample,
                method=method.name,
                place=place,
                payload=payload,
                about={**cuts(fitted, len(place)), "prompt_text": text, "asked": asked},
                answered=too_long_answer() if too_long else None,
                group=group,
            )

    def _method(self, condition: str) -> Method:
        if self.methods is None:
            return LOGITS
        if condition not in self.methods:
            raise RetrialError(
                f"condition {condition}: the prompts have it, but the job says nothing of how it "
                f"is asked (it knows {', '.join(sorted(self.methods))}); make the prompts again"
            )
        return self.methods[condition]

    def _locate(
        self, text: str, template: Template, method: Method
    ) -> tuple[Tokens, RatingTokens | Any]:
        """The tokens to feed, and the rating tokens to read or the way to draw the answer."""
        if method.sampling is not None:
            return self.encode(text), method.drawing
        if self.seq2seq:
            return self.encode(text), find_decoder_tokens(self.encode, template.ratings)
        return self.finder.locate(text, template.ratings)

    def _fit(self, parts: Any, template: Template, shared: bool, limit: int) -> Fitted | TooLong:
        def count(text: str) -> int:
            return self._count(self.text(text, template.cue))

        budget = int(limit * self.judge.examples_share) if shared else None
        return fit_prompt(parts, count, limit, examples_limit=budget, shared_examples=shared)

    def _asked(
        self, template: Template, method: Method, too_long_for: int | None, sample: int
    ) -> str:
        """A prompt that is too long is too long for a limit: another limit is another request."""
        sampling = method.asked
        if too_long_for is not None:
            sampling = {**(sampling or {}), "too_long_for": too_long_for}
        return asked_fields(
            method=method.name,
            ratings=template.ratings,
            model=self.files.model,
            revision=self.files.revision,
            files_digest=self.files.asked_digest,
            adapter_digest=self.adapter_digest,
            backend="transformers",
            dtype=self.judge.dtype,
            quantisation=None,
            sampling=sampling,
            sample=sample,
        )

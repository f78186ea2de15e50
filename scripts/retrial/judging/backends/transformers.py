"""The transformers backend: a live model in this process, asked by the logits method.

Rendering needs the tokenizer only; the model is loaded at the first question, so a job with
nothing to ask never loads it.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from retrial.config import TransformersJudge
from retrial.judging.backends.base import Advance, Request
from retrial.judging.context import Fitted, TooLong, cached_count, fit_prompt
from retrial.judging.encode import PromptEncoder
from retrial.judging.logits import score_ratings
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
"""Room left for the answer: the rating, in as many tokens as any tokenizer needs for it."""


def open_backend(spec: Mapping[str, Any], files: ModelFiles, threads: int) -> "TransformersBackend":
    """The backend of a judge's configuration."""
    judge = TransformersJudge.model_validate({"label": "", **spec})
    return TransformersBackend(judge, files, threads)


class TransformersBackend:
    """Asks one judge, in the answers contract's terms."""

    def __init__(self, judge: TransformersJudge, files: ModelFiles, threads: int) -> None:
        self.judge, self.files, self.threads = judge, files, threads
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
            context=self.judge.context_tokens,
            threads=self.threads,
        )

    def render(
        self, prompts: Sequence[Mapping[str, Any]], templates: Mapping[str, Template]
    ) -> list[Request]:
        """Fitted, tokenised requests; a prompt that no cut fits is answered `too_long`."""
        return [self._request(prompt, templates[prompt["template"]]) for prompt in prompts]

    def ask(self, chunk: Sequence[Request], advance: Advance) -> Iterator[Mapping[str, Any]]:
        """Rating log-probabilities for each request of the chunk."""
        for request in chunk:
            if request.answered is not None:
                advance(1)
                yield {"request_id": request.request_id, **request.answered}
        waiting = [r for r in chunk if r.answered is None]
        if not waiting:
            return
        tokens = [TokenRequest(r.request_id, r.place, r.payload) for r in waiting]
        strategy = self.loaded.strategy(self.judge.strategy)
        for scored in score_ratings(
            self.loaded, tokens, strategy=strategy, batch_tokens=self.judge.batch_tokens
        ):
            advance(1)
            yield {
                "request_id": scored.request_id,
                "text": None,
                "rating_logprobs": sorted(scored.rating_logprobs.items()),
                "finish_reason": "",
                "answer_tokens": 0,
                "device": self.loaded.device,
            }

    def text(self, prompt: str, cue: str) -> str:
        """The prompt as the judge reads it: plain, or a chat whose answer begins with the cue."""
        if self.judge.prompt_format == "plain":
            return prompt
        message = [{"role": "user", "content": prompt.removesuffix(cue).rstrip()}]
        opened: str = self.tokenizer.apply_chat_template(
            message, tokenize=False, add_generation_prompt=True
        )
        return opened + cue

    def _request(self, prompt: Mapping[str, Any], template: Template) -> Request:
        parts = parts_of(prompt, template)
        fitted = self._fit(parts, template, bool(prompt["shared_examples"]))
        kept = fitted.parts if isinstance(fitted, Fitted) else parts
        text = self.text(kept.text, template.cue)
        place, rating_tokens = self._locate(text, template)
        too_long = isinstance(fitted, TooLong)
        asked = self._asked(template, too_long)
        return Request(
            request_id=request_id(text, asked),
            prompt_id=prompt["prompt_id"],
            sample=0,
            method="logits",
            place=place,
            payload=rating_tokens,
            about={**_about(fitted, len(place)), "prompt_text": text, "asked": asked},
            answered=_unasked() if too_long else None,
        )

    def _locate(self, text: str, template: Template) -> tuple[Tokens, RatingTokens]:
        """The tokens to feed, and the rating tokens behind them or in the decoder."""
        if self.seq2seq:
            return self.encode(text), find_decoder_tokens(self.encode, template.ratings)
        return self.finder.locate(text, template.ratings)

    def _fit(self, parts: Any, template: Template, shared: bool) -> Fitted | TooLong:
        def count(text: str) -> int:
            return self._count(self.text(text, template.cue))

        budget = int(self.limit * self.judge.examples_share) if shared else None
        return fit_prompt(parts, count, self.limit, examples_limit=budget, shared_examples=shared)

    def _asked(self, template: Template, too_long: bool) -> str:
        """A prompt that is too long is too long for a limit: another limit is another request."""
        return asked_fields(
            method="logits",
            ratings=template.ratings,
            model=self.files.model,
            revision=self.files.revision,
            files_digest=self.files.asked_digest,
            adapter_digest=None,
            backend="transformers",
            dtype=self.judge.dtype,
            quantisation=None,
            sampling={"too_long_for": self.limit} if too_long else None,
            sample=0,
        )


def _about(fitted: Fitted | TooLong, tokens: int) -> dict[str, int]:
    if isinstance(fitted, TooLong):
        return {"prompt_tokens": tokens, "examples_kept": 0, "turns_dropped": 0,
                "item_turns_dropped": 0}  # fmt: skip
    return {
        "prompt_tokens": tokens,
        "examples_kept": fitted.examples_kept,
        "turns_dropped": fitted.turns_dropped,
        "item_turns_dropped": fitted.item_turns_dropped,
    }


def _unasked() -> dict[str, Any]:
    return {
        "text": None,
        "rating_logprobs": None,
        "finish_reason": "too_long",
        "answer_tokens": 0,
        "device": "",
    }

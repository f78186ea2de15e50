"""The model calls behind generation: rows that grow by one token a step.

A prompt is read once, however many answers are drawn to it: its cache is copied for each.
"""

import copy
from collections.abc import Sequence
from typing import Any, Protocol

import torch

from retrial.judging import forward
from retrial.judging.models import LoadedJudge
from retrial.judging.rating_tokens import Tokens


class Rows(Protocol):
    """Answers in the making, one row each."""

    def step(self, tokens: Sequence[int]) -> torch.Tensor:
        """Takes a token for each row; the logits of the next, of shape (rows, vocabulary)."""
        ...

    def keep(self, rows: Sequence[int]) -> None:
        """Goes on with these rows only."""
        ...


Started = tuple[Rows, torch.Tensor]
"""Rows whose prompts were read, and the logits of each row's first token."""


def start_one(
    judge: LoadedJudge, prefix: forward.SharedPrefix, prompt: Tokens, copies: int
) -> Started:
    """`copies` rows of one prompt, of which what `prefix` holds already is not read again."""
    logits = prefix.read(prompt)
    cache = copy.copy(prefix.cache)
    cache.layers = [copy.copy(layer) for layer in cache.layers]  # selecting makes new tensors
    rows = [0] * copies
    cache.batch_select_indices(torch.tensor(rows, device=logits.device))
    return _CachedRows(judge, cache), logits[rows]


def start_batch(judge: LoadedJudge, prompts: Sequence[Tokens], copies: Sequence[int]) -> Started:
    """Prompts in one batch padded on the left, each as many times as `copies` says."""
    from transformers import DynamicCache

    inputs = forward.padded(judge, prompts)
    name = forward.cache_argument(judge.model) or "cache"
    cache = DynamicCache(config=judge.model.config)
    logits = forward.last(judge.model, use_cache=True, **{name: cache}, **inputs)
    rows = [i for i, count in enumerate(copies) for _ in range(count)]
    cache.batch_select_indices(torch.tensor(rows, device=logits.device))
    return _CachedRows(judge, cache, inputs["attention_mask"][rows]), logits[rows]


def start_decoder(judge: LoadedJudge, prompt: Tokens, copies: int) -> Started:
    """For an encoder-decoder model: the prompt is encoded once for all its answers."""
    from transformers import DynamicCache, EncoderDecoderCache

    config = judge.model.config
    encoded = forward.encode(judge.model, forward.ids(judge, [prompt]))
    cache = EncoderDecoderCache(DynamicCache(config=config), DynamicCache(config=config))
    started = _DecoderRows(judge, cache, encoded)
    logits = started.step([config.decoder_start_token_id])
    started.keep([0] * copies)
    return started, logits[[0] * copies]


def start_again(judge: LoadedJudge, prompt: Tokens, copies: int) -> Started:
    """Without a cache, for models whose cache can't be copied: each step reads all again."""
    logits = forward.last(judge.model, input_ids=forward.ids(judge, [prompt]), use_cache=False)
    return _RereadRows(judge, [prompt] * copies), logits[[0] * copies]


class _CachedRows:
    """Rows of a causal model with a cache; `mask` is needed where prompts were padded."""

    def __init__(self, judge: LoadedJudge, cache: Any, mask: torch.Tensor | None = None) -> None:
        self._judge, self._cache = judge, cache
        self._mask = None if mask is None or bool(mask.all()) else mask
        self._name = forward.cache_argument(judge.model) or "cache"

    def step(self, tokens: Sequence[int]) -> torch.Tensor:
        inputs: dict[str, Any] = {"input_ids": forward.ids(self._judge, [(t,) for t in tokens])}
        if self._mask is not None:
            self._mask = torch.nn.functional.pad(self._mask, (0, 1), value=1)
            inputs["attention_mask"] = self._mask
            if forward.takes(self._judge.model, "position_ids"):
                inputs["position_ids"] = self._mask.sum(dim=1, keepdim=True) - 1
        inputs[self._name] = self._cache
        return forward.last(self._judge.model, use_cache=True, **inputs)

    def keep(self, rows: Sequence[int]) -> None:
        chosen = torch.tensor(list(rows), device=self._judge.model.device)
        self._cache.batch_select_indices(chosen)
        if self._mask is not None:
            self._mask = self._mask[chosen]


class _DecoderRows:
    """Rows of the decoder of an encoder-decoder model."""

    def __init__(self, judge: LoadedJudge, cache: Any, encoded: Any) -> None:
        self._judge, self._cache, self._encoded = judge, cache, encoded
        self._name = forward.cache_argument(judge.model) or "cache"

    def step(self, tokens: Sequence[int]) -> torch.Tensor:
        return forward.last(
            self._judge.model,
            encoder_outputs=self._encoded,
            decoder_input_ids=forward.ids(self._judge, [(t,) for t in tokens]),
            use_cache=True,
            **{self._name: self._cache},
        )

    def keep(self, rows: Sequence[int]) -> None:
        chosen = torch.tensor(list(rows), device=self._judge.model.device)
        self._cache.batch_select_indices(chosen)
        self._encoded = type(self._encoded)(self._encoded.last_hidden_state[chosen])


class _RereadRows:
    """Rows of one prompt and equal length that are read from the start at every step."""

    def __init__(self, judge: LoadedJudge, rows: list[Tokens]) -> None:
        self._judge, self._rows = judge, rows

    def step(self, tokens: Sequence[int]) -> torch.Tensor:
        self._rows = [(*row, token) for row, token in zip(self._rows, tokens, strict=True)]
        ids = forward.ids(self._judge, self._rows)
        return forward.last(self._judge.model, input_ids=ids, use_cache=False)

    def keep(self, rows: Sequence[int]) -> None:
        self._rows = [self._rows[i] for i in rows]

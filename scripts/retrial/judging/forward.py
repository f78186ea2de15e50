"""The model calls behind the logits method: for each context, the logits of the next token.

Three ways that agree: one context at a time (`plain`), one cache that is cut back to what two
neighbouring contexts share (`shared_prefix`), and padded batches (`batched`).
"""

import inspect
import logging
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from retrial.errors import RetrialError
from retrial.judging.models import LoadedJudge
from retrial.judging.rating_tokens import Tokens

log = logging.getLogger("retrial")

Read = tuple[Tokens, torch.Tensor]
"""A context and the next token's logits, of shape (vocabulary,)."""

LENGTH_DEPENDENT = ("dynamic", "longrope")
"""Position encodings that change with the length of the input: neither cache nor padding."""


def effective_strategy(judge: LoadedJudge, strategy: str, longest: int) -> str:
    """`plain` instead of a strategy that would be wrong for this model.

    A cache can only be cut back while every layer still holds all of it: not with recurrent
    layers, and not once the context reaches the window of a sliding layer.
    """
    if strategy == "plain":
        return strategy
    rope = getattr(judge.model.config.get_text_config(), "rope_parameters", None) or {}
    why = None
    if rope.get("rope_type") in LENGTH_DEPENDENT:
        why = "its position encoding depends on the length of the input"
    elif strategy == "shared-prefix" and not _can_cut(judge.model, longest):
        why = f"its cache can't be cut back at {longest} tokens"
    elif strategy == "batched" and _is_recurrent(judge.model):
        why = "padding would reach its recurrent layers"
    if why is None:
        return strategy
    log.warning("%s is not used for this model: %s; asking one by one", strategy, why)
    return "plain"


def plain(judge: LoadedJudge, contexts: Sequence[Tokens]) -> Iterator[Read]:
    """Each context alone, without a cache."""
    for context in contexts:
        yield context, last(judge.model, input_ids=ids(judge, [context]), use_cache=False)[0]


def shared_prefix(judge: LoadedJudge, contexts: Sequence[Tokens]) -> Iterator[Read]:
    """Contexts in the order of their tokens; what one shares with the last is not recomputed."""
    prefix = SharedPrefix(judge)
    for context in sorted(contexts):
        yield context, prefix.read(context)[0]


class SharedPrefix:
    """One cache that is cut back to what the next context shares with the last.

    At least one token of each context is computed, since its logits are what is wanted. A
    short common beginning is computed again where that is cheaper: behind a cache, attention
    needs a mask and costs twice as much as from the start of a text.
    """

    def __init__(self, judge: LoadedJudge) -> None:
        self._judge = judge
        self._name = cache_argument(judge.model) or "cache"
        self._toll = _attention_toll(judge.model)
        self._held: Tokens = ()
        self.cache: Any = None

    def read(self, context: Tokens) -> torch.Tensor:
        """The next token's logits, shape (1, vocabulary); `cache` then holds the context."""
        from transformers import DynamicCache

        model, held = self._judge.model, self._held
        keep = min(shared_length(held, context), len(context) - 1)
        if keep <= len(context) * self._toll * (len(context) - keep):
            keep, self.cache = 0, DynamicCache(config=model.config)
        elif keep < len(held):
            self.cache.crop(keep - len(held))
        self._held = context
        inputs = {self._name: self.cache, "input_ids": ids(self._judge, [context[keep:]])}
        return last(model, use_cache=True, **inputs)


def batched(judge: LoadedJudge, contexts: Sequence[Tokens], batch_tokens: int) -> Iterator[Read]:
    """Batches of similar length, padded on the left to at most `batch_tokens` tokens.

    The longest come first, so that a lack of memory shows at once; a batch that does not fit
    the GPU's memory is halved, and the budget with it.
    """
    waiting = sorted(contexts, key=lambda c: (-len(c), c))
    budget = batch_tokens
    while waiting:
        size = max(1, budget // len(waiting[0]))
        batch = waiting[:size]
        try:
            logits = last(judge.model, **padded(judge, batch))
        except torch.cuda.OutOfMemoryError as error:
            if len(batch) == 1:
                raise RetrialError(
                    f"the GPU has no room for one prompt of {len(batch[0])} tokens: use a larger "
                    "GPU, or a smaller context_tokens or a 16-bit dtype for this judge"
                ) from error
            budget = len(batch) * len(batch[0]) // 2
            torch.cuda.empty_cache()
            log.warning("out of GPU memory: going on with batches of %d tokens", budget)
            continue
        yield from zip(batch, logits, strict=True)
        waiting = waiting[size:]


def decoder(judge: LoadedJudge, prompt: Tokens, beginnings: Sequence[Tokens]) -> Iterator[Read]:
    """For an encoder-decoder model: the prompt is encoded once for all answer beginnings."""
    encoded = encode(judge.model, ids(judge, [prompt]))
    start = judge.model.config.decoder_start_token_id
    for beginning in sorted(beginnings):
        logits = last(
            judge.model,
            encoder_outputs=encoded,
            decoder_input_ids=ids(judge, [(start, *beginning)]),
            use_cache=False,
        )
        yield beginning, logits[0]


def shared_length(a: Tokens, b: Tokens) -> int:
    """How many tokens two sequences have in common at their beginnings."""
    for i, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return i
    return min(len(a), len(b))


def takes(model: Any, name: str) -> bool:
    """Whether the model's call has an argument of this name."""
    return name in inspect.signature(model.forward).parameters


def cache_argument(model: Any) -> str | None:
    """The name under which the model takes a cache; it changed between library versions."""
    names = inspect.signature(model.forward).parameters
    return next((n for n in ("cache", "past_key_values") if n in names), None)


def can_copy_cache(model: Any) -> bool:
    """Whether rows may go on from a copied cache: not with recurrent layers or such positions."""
    rope = getattr(model.config.get_text_config(), "rope_parameters", None) or {}
    return not _is_recurrent(model) and rope.get("rope_type") not in LENGTH_DEPENDENT


def _can_cut(model: Any, longest: int) -> bool:
    from transformers import DynamicCache
    from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

    if cache_argument(model) is None or _is_recurrent(model):
        return False
    return all(
        type(layer) is DynamicLayer
        or (type(layer) is DynamicSlidingWindowLayer and layer.sliding_window > longest)
        for layer in DynamicCache(config=model.config).layers
    )


def _is_recurrent(model: Any) -> bool:
    """Whether any layer carries a state instead of looking back at all tokens."""
    kinds = getattr(model.config.get_text_config(), "layer_types", None) or ()
    stateful = any("attention" not in kind or "linear" in kind for kind in kinds)
    return stateful or cache_argument(model) is None


def _attention_toll(model: Any) -> float:
    """What a cache costs: extra attention per token and context token, in tokens of a pass.

    A token of a pass takes two operations per parameter; attention behind a mask takes two
    more per hidden unit, layer and token looked back at.
    """
    config = model.config.get_text_config()
    return float(config.hidden_size * config.num_hidden_layers / model.num_parameters())


def padded(judge: LoadedJudge, batch: Sequence[Tokens]) -> dict[str, torch.Tensor]:
    """Inputs of a batch padded on the left: tokens, attention mask, and positions if taken."""
    width = max(map(len, batch))
    pad = judge.tokenizer.pad_token_id or 0
    rows = ids(judge, [(pad,) * (width - len(c)) + c for c in batch])
    lengths = torch.tensor([len(c) for c in batch], device=rows.device)
    places = torch.arange(width, device=rows.device) - (width - lengths)[:, None]
    inputs = {"input_ids": rows, "attention_mask": (places >= 0).long()}
    if takes(judge.model, "position_ids"):
        inputs["position_ids"] = places.clamp(min=0)
    return inputs


def ids(judge: LoadedJudge, rows: Sequence[Tokens]) -> torch.Tensor:
    """Rows of equal length as a tensor where the model is."""
    return torch.tensor([list(row) for row in rows], device=judge.model.device)


@torch.inference_mode()
def encode(model: Any, input_ids: torch.Tensor) -> Any:
    """What the encoder of an encoder-decoder model makes of a prompt."""
    return model.get_encoder()(input_ids=input_ids)


@torch.inference_mode()
def last(model: Any, **inputs: Any) -> torch.Tensor:
    """The logits at the last position of each row, shape (rows, vocabulary)."""
    if takes(model, "logits_to_keep"):
        inputs["logits_to_keep"] = 1
    logits: torch.Tensor = model(**inputs).logits[:, -1]
    if not logits.isfinite().any(dim=-1).all():
        raise RetrialError(
            "the model gave no finite logits: number formats of 16 bits overflow in some models "
            "(T0 and T5 in float16); set dtype to bfloat16 or float32 for this judge"
        )
    return logits

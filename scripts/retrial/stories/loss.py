"""The loss of a generator on story tokens, and its perplexity on a set of stories."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from retrial.stories.encode import Examples, in_batches, padded


def computing(device: str, precision: str) -> AbstractContextManager[Any]:
    """Computes in this number format; the weights stay in theirs."""
    if precision == "float32":
        return nullcontext()
    kind = device.split(":", maxsplit=1)[0]
    return torch.autocast(kind, dtype=getattr(torch, precision))


def story_loss(model: Any, batch: Mapping[str, Any], precision: str) -> tuple[torch.Tensor, int]:
    """The summed negative log-likelihood (nats) of the batch's story tokens, and their number.

    The prompt is read and not predicted. Only the logits that predict a story token are turned
    to float32: those of the whole batch would be the largest thing in memory.
    """
    device = str(model.device)
    ids, mask = batch["input_ids"].to(device), batch["attention_mask"].to(device)
    wanted = batch["story"][:, 1:].to(device)
    with computing(device, precision):
        logits = model(input_ids=ids, attention_mask=mask, use_cache=False).logits
    chosen = logits[:, :-1][wanted].float()
    total = torch.nn.functional.cross_entropy(chosen, ids[:, 1:][wanted], reduction="sum")
    return total, int(wanted.sum())


@torch.no_grad()
def mean_loss(
    model: Any, examples: Examples, pad: int, *, batch: int, precision: str = "float32"
) -> tuple[float, int]:
    """The mean loss (nats) of a story token over all examples, and the number of tokens.

    The model is put in evaluation mode, and back in the mode in which it was.
    """
    training = model.training
    model.eval()
    total, tokens = 0.0, 0
    for rows in in_batches(range(len(examples)), batch):
        loss, count = story_loss(model, padded(examples, rows, pad), precision)
        total, tokens = total + float(loss), tokens + count
    model.train(training)
    return total / tokens, tokens

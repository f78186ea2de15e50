"""The loss of a judge on rating tokens, from the last hidden states that predict them.

Prompts are padded on the left, so that the ratings of all rows end at the last position: the
model is asked for the logits of the last few positions only. Logits of every position and the
whole vocabulary would be by far the largest thing in memory.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from retrial.judging.forward import padded, takes
from retrial.judging.models import LoadedJudge
from retrial.judging.rating_tokens import Tokens
from retrial.tuning.learning_items import LearningItem

IGNORED = -100
"""Target of a position that predicts nothing of the rating."""


def rating_logits(judge: LoadedJudge, batch: Sequence[LearningItem]) -> torch.Tensor:
    """The logits that predict the ratings, (rows, longest rating, vocabulary), in float32.

    The last positions of each row are those of its rating; a shorter rating has others before.
    """
    width = max(len(item.rating) for item in batch)
    if judge.architecture == "seq2seq":
        return _decoder_logits(judge, batch)[:, -width:].float()
    rows = [item.prompt + item.rating[:-1] for item in batch]
    inputs: dict[str, Any] = {**padded(judge, rows), "use_cache": False}
    if takes(judge.model, "logits_to_keep"):
        inputs["logits_to_keep"] = width
    logits: torch.Tensor = judge.model(**inputs).logits
    return logits[:, -width:].float()


def rating_loss(judge: LoadedJudge, batch: Sequence[LearningItem]) -> tuple[torch.Tensor, int]:
    """The summed negative log-likelihood (nats) of the ratings' tokens, and their number."""
    logits = rating_logits(judge, batch)
    targets = torch.full(logits.shape[:2], IGNORED, dtype=torch.long)
    for row, item in enumerate(batch):
        targets[row, -len(item.rating) :] = torch.tensor(item.rating)
    total = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), targets.flatten().to(logits.device), ignore_index=IGNORED,
        reduction="sum",
    )  # fmt: skip
    return total, sum(len(item.rating) for item in batch)


def micro_batches(items: Sequence[LearningItem], size: int) -> Iterator[list[LearningItem]]:
    """The items by length, the longest first, in groups of `size`: little is padded."""
    ordered = sorted(items, key=lambda item: (-item.tokens, item.item_id))
    return (ordered[i : i + size] for i in range(0, len(ordered), size))


@torch.no_grad()
def mean_loss(
    judge: LoadedJudge,
    items: Sequence[LearningItem],
    size: int,
    advance: Callable[[int], None] | None = None,
) -> float:
    """The mean loss (nats) of a rating token over all items, in evaluation mode.

    The model is put back in the mode in which it was.
    """
    training = judge.model.training
    judge.model.eval()
    total, tokens = 0.0, 0
    for batch in micro_batches(items, size):
        loss, count = rating_loss(judge, batch)
        total, tokens = total + float(loss), tokens + count
        if advance is not None:
            advance(len(batch))
    judge.model.train(training)
    return total / tokens


def _decoder_logits(judge: LoadedJudge, batch: Sequence[LearningItem]) -> torch.Tensor:
    """Of an encoder-decoder model, for all positions of the few that its decoder reads."""
    start = judge.model.config.decoder_start_token_id
    answers = [(start, *item.lead, *item.rating[:-1]) for item in batch]
    width, pad = max(map(len, answers)), judge.tokenizer.pad_token_id or 0
    # Ratings of unequal length are padded behind, where no earlier position sees it; the rows
    # are then moved so that all ratings end at the last position.
    decoder = [(*answer, *((pad,) * (width - len(answer)))) for answer in answers]
    prompts = padded(judge, [item.prompt for item in batch])
    logits = judge.model(
        input_ids=prompts["input_ids"],
        attention_mask=prompts["attention_mask"],
        decoder_input_ids=_tensor(judge, decoder),
        use_cache=False,
    ).logits
    moved = [row.roll(width - len(a), 0) for row, a in zip(logits, answers, strict=True)]
    return torch.stack(moved)


def _tensor(judge: LoadedJudge, rows: Sequence[Tokens]) -> torch.Tensor:
    return torch.tensor([list(row) for row in rows], device=judge.model.device)

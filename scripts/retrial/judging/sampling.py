"""Draws the next token of an answer: temperature, nucleus (top-p), and chance from its own seed.

Nothing else shapes the distribution: a model's own generation settings (top-k, penalties) are
not applied, so that what is asked is what the configuration says.
"""

import random
from collections.abc import Sequence

import torch


def chance(request_id: str) -> random.Random:
    """The random numbers of one answer: they depend on its request alone."""
    return random.Random(int(request_id, 16))


def probabilities(logits: torch.Tensor, temperature: float, top_p: float) -> torch.Tensor:
    """What a token is drawn with: shape (rows, vocabulary), double precision, rows add up to 1.

    Logits are divided by `temperature` (above 0). With `top_p` below 1 only the likeliest
    tokens stay, as many as it takes to reach that probability, and at least one.
    """
    wide = logits.double()
    weights = torch.softmax((wide - wide.amax(dim=-1, keepdim=True)) / temperature, dim=-1)
    if top_p < 1.0:
        ordered, places = weights.sort(dim=-1, descending=True, stable=True)
        reached = ordered.cumsum(dim=-1) - ordered
        kept = ordered.where(reached < top_p, 0.0)
        weights = torch.zeros_like(weights).scatter(-1, places, kept)
    return weights / weights.sum(dim=-1, keepdim=True)


def draw_tokens(
    logits: torch.Tensor, uniforms: Sequence[float], temperature: float, top_p: float
) -> list[int]:
    """One token for each row, by inversion: `uniforms` holds a number in [0, 1) for each.

    Temperature 0 takes the likeliest token. Tokens lie in the order of their ids on the
    line that is inverted, so that logits that differ in the last digit draw the same token.
    """
    if temperature == 0.0:
        chosen: list[int] = logits.argmax(dim=-1).tolist()
        return chosen
    line = probabilities(logits, temperature, top_p).cumsum(dim=-1)
    total = line[:, -1:]
    points = torch.tensor(uniforms, dtype=torch.float64, device=line.device)[:, None] * total
    points = torch.minimum(points, torch.nextafter(total, torch.zeros_like(total)))
    drawn: list[int] = torch.searchsorted(line, points, right=True)[:, 0].tolist()
    return drawn

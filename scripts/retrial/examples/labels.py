"""The label that an in-context example shows: its mean rating, rounded half up.

The study does not say what its examples show; a whole number is what the judge is asked for.
"""

from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal

import pyarrow as pa


def example_labels(human: pa.Table) -> dict[str, str]:
    """The label of every rated item ("1" to "5"), from the human ratings table."""
    scores: dict[str, list[float]] = defaultdict(list)
    for item_id, score in zip(
        human["item_id"].to_pylist(), human["score"].to_pylist(), strict=True
    ):
        if score is not None:
            scores[item_id].append(score)
    return {item_id: _rounded(values) for item_id, values in scores.items()}


def _rounded(values: list[float]) -> str:
    """Half is half to nine decimals: ratings mapped from another scale are not exact."""
    mean = round(sum(map(Decimal, values), Decimal(0)) / len(values), 9)
    return str(mean.quantize(Decimal(1), rounding=ROUND_HALF_UP))

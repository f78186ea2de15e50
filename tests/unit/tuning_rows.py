"""Sample rows of the tuning stage's contracts."""

from typing import Any

TUNING_ROWS: dict[str, dict[str, Any]] = {
    "training_sets": {"set": "s", "item_id": "i", "dataset": "d", "label": 3.5, "likert": 4,
                      "binary": 1, "order": 0, "draw": "random"},
    "training_log": {"tuning": "t", "step": 0, "epoch": 0.0, "split": "held-out", "loss": 1.6,
                     "rate": 0.0, "tokens": 100, "seconds": 0.5, "tokens_per_second": 200.0},
}  # fmt: skip
"""One valid row of each contract, by its name."""

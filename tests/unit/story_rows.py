"""One valid row of each contract of the stories stage."""

from typing import Any

STORY_ROWS: dict[str, dict[str, Any]] = {
    "story_pairs": {"split": "train", "prompt": "p", "story": "s", "source": "x/y",
                    "source_line": 1},
    "stories": {"story_id": "s", "generator": "g", "prompt_id": "p", "writer": "generated",
                "prompt": "p", "text_raw": "a .", "text_cleaned": "a.", "text": "a.", "words": 1,
                "flags": [], "edits": "[]", "prompt_edits": "[]", "source": "x/y",
                "source_line": 1, "model_digest": "m", "seed": "1", "tries": 1,
                "rejected": [("empty", 1)], "tokens": 2, "finish_reason": "stop"},
    "generator_log": {"generator": "g", "step": 0, "epoch": 0.0, "split": "valid", "loss": 1.0,
                      "perplexity": 2.7, "rate": 0.0, "tokens": 5, "seconds": 0.1},
}  # fmt: skip

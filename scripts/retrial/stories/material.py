"""What a generator learns from, as tokens."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrial.config.stories import Learning
from retrial.errors import RetrialError
from retrial.judging.model_files import ModelFiles
from retrial.judging.models import context_tokens, load_config, load_tokenizer
from retrial.stories.encode import Examples, StoryEncoder
from retrial.stories.pairs import read_pairs


@dataclass(frozen=True)
class Material:
    """The base model's tokenizer and its end of text, and the encoded stories of two splits."""

    tokenizer: Any
    end: int
    train: Examples
    valid: Examples


def encode_material(base: ModelFiles, learning: Learning, pairs: Path) -> Material:
    """The stories of a story pairs file. Raises RetrialError when a split that is needed is empty.

    Lengths are limited by the configuration and by the model's positions.
    """
    tokenizer = load_tokenizer(base)
    encoder = StoryEncoder(tokenizer, learning, context_tokens(load_config(base), None))
    train = encoder.examples(read_pairs(pairs, "train"))
    valid = encoder.examples(read_pairs(pairs, "valid"))
    if not len(train) or not len(valid):
        raise RetrialError(
            f"{pairs}: {len(train)} stories to learn from and {len(valid)} to validate on; both "
            "are needed"
        )
    return Material(tokenizer, encoder.end, train, valid)

"""A tiny generator on disk, and story pairs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tiny_models import FAST, tiny_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from tokenizers.trainers import BpeTrainer

from retrial.judging.model_files import ModelFiles, describe_folder
from retrial.record import STORY_PAIRS, write_batches
from retrial.stories.pairs import Pair, batches


def ascii_tokenizer() -> Any:
    """Byte-level BPE without bytes beyond ASCII: whatever is drawn is whole characters."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    end = "<|endoftext|>"
    letters = "".join(map(chr, range(32, 127))) + "\n"
    trainer = BpeTrainer(vocab_size=160, special_tokens=[end])
    tokenizer.train_from_iterator([letters, "Number one, and yes no. Prompt." * 5], trainer)
    return FAST(tokenizer_object=tokenizer, bos_token=end, eos_token=end)


def tiny_files(folder: Path) -> ModelFiles:
    """A GPT-2 of two layers with random weights, saved with its tokenizer."""
    tokenizer = ascii_tokenizer()
    model = tiny_model("gpt2", len(tokenizer))
    model.config.eos_token_id = model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return describe_folder(folder, model="tiny", revision="1")


def pairs(count: int, split: str = "train") -> list[Pair]:
    """Pairs whose stories differ in words and length."""
    return [
        Pair(
            split, f"[ WP ] Prompt {i} .", f"Number {i} , and {'yes ' * (i % 3)}no .", "s/f", i + 1
        )
        for i in range(count)
    ]


def pairs_file(path: Path, rows: Sequence[Pair]) -> Path:
    """A file of the story pairs contract."""
    write_batches(path, batches(rows), STORY_PAIRS)
    return path

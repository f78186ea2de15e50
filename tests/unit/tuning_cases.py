"""A tiny base judge on disk, and made-up dialogues with labels to tune it on."""

from pathlib import Path
from typing import Any

import pyarrow as pa
from core_rows import TEMPLATE, item, turns
from tiny_models import gpt2_like, llama_like, t5_like, tiny_model
from tuning_rows import TUNING_ROWS

from retrial.config import TransformersJudge, Tuning
from retrial.judging.model_files import ModelFiles, describe_folder
from retrial.judging.templates import Template
from retrial.record import ITEMS, TRAINING_SETS, from_rows
from retrial.tuning.task import Task

SHORT = TEMPLATE.model_copy(update={"instruction": "rate\n"})
"""A template short enough for models of a few hundred positions."""

WORDS = ("no", "bad", "so so", "yes", "good yes")
SPEC: dict[str, Any] = {
    "judge": "small", "training_set": "s", "template": "t", "rank": 2, "alpha": 4, "epochs": 2,
    "rate": 5e-3, "batch": 4, "micro_batch": 2, "checkpoint_steps": 2, "held_out": 0.2,
    "dropout": 0.1, "seed": 3,
}  # fmt: skip


def spec(**changes: Any) -> Tuning:
    """A tuning of seconds, with dropout, so that random numbers count."""
    return Tuning.model_validate({**SPEC, **changes})


def tiny_base(folder: Path, kind: str = "llama") -> ModelFiles:
    """A model of two layers with random weights, saved with its tokenizer."""
    makers = {"gpt2": gpt2_like, "t5": lambda: t5_like("▁rate", "▁yes")}
    tokenizer = makers.get(kind, llama_like)()
    model = tiny_model(kind, len(tokenizer))
    if kind != "t5":
        model.config.pad_token_id = None
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return describe_folder(folder, model=f"tiny/{kind}", revision="r1")


def dialogues(count: int, split: str = "train") -> pa.Table:
    """Dialogues whose words say their label, 1 to 5 in turn; of different lengths."""
    return from_rows(
        (
            item(f"i{n}", split, turns=turns("hi", *([WORDS[n % 5]] * (1 + n % 3))))
            for n in range(count)
        ),
        ITEMS,
    )


def training_set(count: int, **changes: Any) -> pa.Table:
    """The labels of `dialogues`; order is that of the ids, backwards."""
    return from_rows(
        (
            {**TUNING_ROWS["training_sets"], "item_id": f"i{n}", "label": 1.0 + n % 5,
             "likert": 1 + n % 5, "binary": int(n % 5 > 2), "order": count - 1 - n, **changes}
            for n in range(count)
        ),
        TRAINING_SETS,
    )  # fmt: skip


def task(base: ModelFiles, count: int = 15, template: Template = SHORT, **changes: Any) -> Task:
    """A tuning of `base` on `count` dialogues."""
    judge = TransformersJudge.model_validate(
        {"backend": "transformers", "label": "", "source": {"package": "tiny"},
         "context_tokens": 128}
    )  # fmt: skip
    made = spec(**changes)
    rows, items = training_set(count), [dialogues(count)]
    return Task("tiny", made, judge, base, template, rows, items)

"""Sections of tuning: which dialogues a judge learns from, and how (jia2024 section 4.3)."""

from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from retrial.config.section import Id, Section


class TrainingSet(Section):
    """Items of the training split, pooled over datasets, with people's labels."""

    datasets: list[Id] = Field(min_length=1)
    label: str = Field(description="how figures name it")
    items: PositiveInt | None = Field(None, description="default: the whole training split")
    draw: Literal["all", "random", "near-test"] = Field(
        "random", description="near-test looks at test labels: the rating distribution is theirs"
    )
    seed: int = 1


class Tuning(Section):
    """LoRA on people's labels. The paper states no settings: all of these are choices."""

    judge: Id = Field(description="the base judge")
    training_set: Id
    template: str = "dialogue-overall"
    labels: Literal["likert", "binary"] = "likert"
    held_out: float = Field(0.1, ge=0, lt=1, description="share kept for a validation loss")
    rank: PositiveInt = 8
    alpha: PositiveInt = 16
    dropout: float = Field(0.05, ge=0, lt=1)
    targets: list[str] = Field(
        [], description="names of modules, or a pattern; default: every linear layer"
    )
    epochs: PositiveInt = 3
    rate: float = Field(1e-4, gt=0)
    warmup: float = Field(0.05, ge=0, lt=1, description="share of the steps")
    batch: PositiveInt = Field(16, description="items of an optimiser step")
    micro_batch: PositiveInt = Field(1, description="items in memory at once")
    context_tokens: PositiveInt | None = Field(None, description="default: the base judge's")
    gradient_checkpointing: bool = False
    checkpoint_steps: PositiveInt = 20
    dtype: Literal["float32", "bfloat16"] = "float32"
    seed: int = 1
    gpus: NonNegativeInt = 0
    minutes: PositiveInt = 240

"""Sections of the stories stage: sets of prompts and stories, and generators (chiang2023, 3.1)."""

from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from retrial.config.judges import HubModel, PackagedModel, Resources
from retrial.config.section import Id, Section


class StorySet(Section):
    """Prompts with people's stories: what a generator learns from, and its test prompts."""

    reader: Literal["writing-prompts", "hanna"]
    label: str = ""
    source: Id | None = Field(None, description="id in data/sources.yaml")
    files: list[str] = []
    paths: list[str] = Field([], description="your own files, in place of a source's")
    train: PositiveInt | None = Field(None, description="pairs drawn; default: all of the split")
    valid: PositiveInt | None = None
    test: PositiveInt | None = None
    seed: int = 1


class Learning(Section):
    """How a generator is fine-tuned. The paper states no settings: all of these are choices."""

    clean: bool = Field(True, description="learn from cleaned texts, so that no artefact tells")
    separator: str = Field("\n\n", min_length=1, description="stands between prompt and story")
    max_tokens: PositiveInt = Field(512, description="of prompt and story; the rest is cut")
    prompt_tokens: PositiveInt = Field(128, description="most tokens of a prompt")
    epochs: PositiveInt = 3
    rate: float = Field(5e-5, gt=0)
    warmup: float = Field(0.05, ge=0, lt=1, description="share of the steps")
    weight_decay: float = Field(0.01, ge=0)
    batch: PositiveInt = Field(32, description="stories of an optimiser step")
    micro_batch: PositiveInt = Field(8, description="stories in memory at once")
    precision: Literal["float32", "bfloat16"] = Field("float32", description="of the computation")
    gradient_checkpointing: bool = False
    checkpoint_steps: PositiveInt = 500
    log_steps: PositiveInt = 50
    seed: int = 1


class Drawing(Section):
    """How a generator's stories are drawn and trimmed (chiang2023, appendix B.2 and B.3)."""

    prompts: PositiveInt = Field(200, description="test prompts, drawn at random")
    top_p: float = Field(0.9, gt=0, le=1)
    temperature: float = Field(1.0, gt=0)
    story_tokens: PositiveInt = Field(320, description="most tokens; 150 words need fewer")
    batch: PositiveInt = Field(16, description="stories drawn at once")
    tries: PositiveInt = Field(20, description="draws for one prompt, until one is kept")
    words: PositiveInt = Field(150, description="limit of the trimming")
    count: Literal["strict", "paper"] = Field(
        "strict", description="strict: under the limit; paper: the limit is allowed"
    )
    minimum_words: NonNegativeInt = Field(0, description="a shorter trimmed story is drawn again")
    precision: Literal["float32", "bfloat16"] = "float32"
    seed: int = 1


class Generator(Section):
    """A language model that learns to write stories, and the stories that it writes."""

    label: str = Field(description="how tables name it")
    source: PackagedModel | HubModel
    story_set: Id
    learning: Learning = Learning()
    drawing: Drawing = Drawing()
    resources: Resources = Resources()

"""Sections of how judges are asked: conditions, sampling, experiments, scoring."""

from typing import Literal

from pydantic import Field, PositiveInt, model_validator

from retrial.config.section import Id, Section


class Sampling(Section):
    """How free-text answers are drawn (jia2024 section 3: temperature 0.7)."""

    temperature: float = Field(0.7, ge=0, description="0 takes the likeliest token, once")
    top_p: float = Field(1.0, gt=0, le=1)
    samples: PositiveInt = 1
    answer_tokens: PositiveInt = Field(256, description="most tokens of an answer")
    stop: list[str] = []
    seed: int = 1


class Condition(Section):
    """How a judge is asked."""

    label: str = Field(description="how tables name it")
    template: str = Field(description="id of a template in the prompts folder")
    method: Literal["logits", "generation", "recording"] = "logits"
    selector: Id | None = None
    sampling: Sampling | None = Field(None, description="of generated answers only")

    @model_validator(mode="after")
    def _sampling_goes_with_generation(self) -> "Condition":
        if (self.method == "generation") != (self.sampling is not None):
            raise ValueError(
                f"condition {self.label!r}: `sampling` is for `method: generation`, and only for it"
            )
        return self


class Experiment(Section):
    """Conditions that are asked together, because one table needs them all."""

    attributes: list[Id]
    conditions: list[Id]


class Scoring(Section):
    """Choices between an answer and its rating, and between ratings and a label."""

    top_k: PositiveInt = Field(5, description="K of Eq. 2: how many of the likeliest ratings count")
    low_mass: float = Field(0.05, ge=0, le=1, description="below it, an answer is marked low-mass")
    parser: Id = "robust"

"""Sections of the judges: live models, their adapters, and recordings."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from retrial.config.section import Id, Section


class PackagedModel(Section):
    """A model that a pip package ships."""

    package: str


class HubModel(Section):
    """A model on the Hugging Face hub, at a pinned revision."""

    model: str
    revision: str


class Resources(Section):
    """What a job that loads the judge asks of the machine."""

    gpus: NonNegativeInt = 0
    memory_gb: PositiveInt = 8
    minutes: PositiveInt = 60


class TunedAdapter(Section):
    """The adapter that one of the configured tunings makes."""

    tuning: Id


class AdapterFolder(Section):
    """An adapter made elsewhere: a folder that peft wrote."""

    folder: str


class TransformersJudge(Section):
    """A live model, run by the transformers library."""

    backend: Literal["transformers"]
    label: str
    source: PackagedModel | HubModel
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    context_tokens: PositiveInt = 2048
    prompt_format: Literal["plain", "chat"] = "plain"
    strategy: Literal["auto", "shared-prefix", "batched", "plain"] = "auto"
    batch_tokens: PositiveInt = 16384
    examples_share: float = Field(
        0.6, gt=0, lt=1, description="share of the context that shared (random) examples may fill"
    )
    adapter: TunedAdapter | AdapterFolder | None = None
    parameters_billion: float | None = None
    resources: Resources = Resources()
    note: str = ""


class OpenAIJudge(Section):
    """A live model behind an OpenAI-compatible server."""

    backend: Literal["openai"]
    label: str
    url: str = Field(description="up to and with /v1, such as http://127.0.0.1:8000/v1")
    model: str = Field(description="the name that the server knows it by")
    revision: str = Field("", description="what you know of the version; part of every request")
    key_variable: str | None = Field(None, description="environment variable that holds the key")
    prompt_format: Literal["plain", "chat"] = "chat"
    context_tokens: PositiveInt = 4096
    characters_per_token: float = Field(
        3.0, gt=0, description="how prompts are measured, since the server has the tokenizer"
    )
    examples_share: float = Field(0.6, gt=0, lt=1)
    top_logprobs: PositiveInt = Field(20, description="how many likeliest tokens are asked for")
    concurrency: PositiveInt = 4
    timeout_seconds: PositiveInt = 120
    attempts: PositiveInt = 6
    parameters_billion: float | None = None
    resources: Resources = Resources()
    note: str = ""


class RecordedFile(Section):
    """One file of recorded answers, and the condition under which they were given."""

    condition: Id
    file: str


class RecordingJudge(Section):
    """The released answers of a model that can't be asked any more."""

    backend: Literal["recording"]
    label: str
    source: Id
    family: Id = Field(description="recordings of one family share their items")
    model: str
    files: list[RecordedFile]
    released: Id | None = Field(
        None, description="dataset of the stories that the recording's order is inferred against"
    )
    note: str = ""


Judge = Annotated[TransformersJudge | OpenAIJudge | RecordingJudge, Field(discriminator="backend")]

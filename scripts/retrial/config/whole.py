"""The whole configuration: one model, from which the JSON schema is generated.

Every section is a catalogue of ids (judges, datasets, conditions ...) or a list of ids that
says what a table uses. Unknown keys, wrong types and ids that nobody defines are refused
before any job starts, with the key and the nearest valid one.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field, PositiveInt, ValidationError, model_validator

from retrial.config.asking import Condition, Experiment, Scoring
from retrial.config.data import Dataset, Encoder, Selector
from retrial.config.errors import explain, report
from retrial.config.forms import Form
from retrial.config.judges import Judge
from retrial.config.references import faults, references
from retrial.config.section import Id, Section, TableId
from retrial.config.stories import Generator, StorySet
from retrial.config.tables import Figure, Statistics, Table
from retrial.config.training import TrainingSet, Tuning
from retrial.errors import RetrialError


class Config(Section):
    """The whole configuration."""

    results: str = "results"
    store: str | None = Field(None, description="folder of the answer store; default below results")
    models: str = Field(".cache/models", description="folder of prepared models")
    raw: str = Field("data/raw", description="folder of downloads")
    sources: str = "data/sources.yaml"
    prompts: str = "data/prompts"
    published: str = "data/published"
    chunk: PositiveInt = Field(32, description="prompts asked between two checkpoints")
    threads: PositiveInt = Field(2, description="CPU threads of a judging job")
    datasets: dict[Id, Dataset] = {}
    judges: dict[Id, Judge] = {}
    encoders: dict[Id, Encoder] = {}
    selectors: dict[Id, Selector] = {}
    conditions: dict[Id, Condition] = {}
    experiments: dict[Id, Experiment] = {}
    training_sets: dict[Id, TrainingSet] = {}
    tunings: dict[Id, Tuning] = {}
    story_sets: dict[Id, StorySet] = {}
    generators: dict[Id, Generator] = {}
    scoring: Scoring = Scoring()
    statistics: Statistics = Statistics()
    tables: dict[TableId, Table] = {}
    figures: dict[TableId, Figure] = {}
    forms: dict[TableId, Form] = {}
    draw: list[TableId] = Field([], description="the figures that `snakemake` makes by default")
    make: list[TableId] = Field([], description="the tables that `snakemake` makes by default")

    @model_validator(mode="after")
    def _ids_are_defined(self) -> "Config":
        for where, ids, catalogue, kind in references(self):
            for name in ids:
                if name not in catalogue:
                    raise ValueError(explain(where, name, catalogue, kind))
        for fault in faults(self):
            raise ValueError(fault)
        return self


def load_config(raw: Mapping[str, Any]) -> Config:
    """The configuration from plain data, or a RetrialError that names each faulty key."""
    try:
        return Config.model_validate(dict(raw))
    except ValidationError as error:
        raise RetrialError("config: " + "\n".join(report(error, Config))) from error

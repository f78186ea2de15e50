"""The typed configuration. One module a kind of section; `whole` puts them together."""

from retrial.config.asking import Condition, Experiment, Sampling, Scoring
from retrial.config.data import Dataset, Draw, Encoder, Selector, Split
from retrial.config.forms import Form
from retrial.config.judges import (
    AdapterFolder,
    HubModel,
    Judge,
    OpenAIJudge,
    PackagedModel,
    RecordedFile,
    RecordingJudge,
    Resources,
    TransformersJudge,
    TunedAdapter,
)
from retrial.config.section import ID_PATTERN, TABLE_PATTERN, Section
from retrial.config.stories import Generator, StorySet
from retrial.config.tables import Figure, Statistics, Table
from retrial.config.training import TrainingSet, Tuning
from retrial.config.whole import Config, load_config

__all__ = [
    "ID_PATTERN",
    "TABLE_PATTERN",
    "AdapterFolder",
    "Condition",
    "Config",
    "Dataset",
    "Draw",
    "Encoder",
    "Experiment",
    "Figure",
    "Form",
    "Generator",
    "HubModel",
    "Judge",
    "OpenAIJudge",
    "PackagedModel",
    "RecordedFile",
    "RecordingJudge",
    "Resources",
    "Sampling",
    "Scoring",
    "Section",
    "Selector",
    "Split",
    "Statistics",
    "StorySet",
    "Table",
    "TrainingSet",
    "TransformersJudge",
    "TunedAdapter",
    "Tuning",
    "load_config",
]

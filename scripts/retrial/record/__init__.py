"""The record: Parquet contracts, atomic writes and sidecars. Only this package writes results."""

from retrial.record.contracts import (
    ANSWERS,
    CELLS,
    CONTRACTS,
    EMBEDDINGS,
    EXAMPLE_CHOICES,
    FIGURE_POINTS,
    ITEMS,
    LINKS,
    PROMPTS,
    RATINGS,
    Contract,
)
from retrial.record.files import write_atomically
from retrial.record.sidecar import SUFFIX, Run, now, sidecar_path
from retrial.record.story_contracts import GENERATOR_LOG, STORIES, STORY_PAIRS
from retrial.record.stream import read_batches, write_batches
from retrial.record.tables import ContractError, check, from_rows, read, to_parquet
from retrial.record.tuning_contracts import TRAINING_LOG, TRAINING_SETS

__all__ = [
    "ANSWERS",
    "CELLS",
    "CONTRACTS",
    "EMBEDDINGS",
    "EXAMPLE_CHOICES",
    "FIGURE_POINTS",
    "GENERATOR_LOG",
    "ITEMS",
    "LINKS",
    "PROMPTS",
    "RATINGS",
    "STORIES",
    "STORY_PAIRS",
    "SUFFIX",
    "TRAINING_LOG",
    "TRAINING_SETS",
    "Contract",
    "ContractError",
    "Run",
    "check",
    "from_rows",
    "now",
    "read",
    "read_batches",
    "sidecar_path",
    "to_parquet",
    "write_atomically",
    "write_batches",
]

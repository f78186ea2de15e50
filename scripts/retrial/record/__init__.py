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
from retrial.record.tables import ContractError, check, from_rows, read, to_parquet

__all__ = [
    "ANSWERS",
    "CELLS",
    "CONTRACTS",
    "EMBEDDINGS",
    "EXAMPLE_CHOICES",
    "FIGURE_POINTS",
    "ITEMS",
    "LINKS",
    "PROMPTS",
    "RATINGS",
    "SUFFIX",
    "Contract",
    "ContractError",
    "Run",
    "check",
    "from_rows",
    "now",
    "read",
    "sidecar_path",
    "to_parquet",
    "write_atomically",
]

"""Tables: grids of cells, each a metric over a selection of ratings."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from retrial.tables.declare import Declaration


def declaration_of(job: Mapping[str, Any]) -> Declaration:
    """The declaration of a build_table job, from the one module that declares its table."""
    name = str(job["table"]).replace("-", "_")
    declared: Declaration = import_module(f"{__name__}.{name}").declare(job)
    return declared

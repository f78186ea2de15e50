"""Cells computed from other cells of the same table, or from the published values."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from retrial.digest import canonical_json
from retrial.metrics.multiple import holm
from retrial.published import PublishedValue
from retrial.tables.arms import Decided, Evidence
from retrial.tables.claims import decided, evidence
from retrial.tables.declare import Holm, SampleSpec

Cells = Mapping[tuple[str, str], Mapping[str, Any]]


def cell_name(table: str, row: str, column: str) -> str:
    """How a cell is named in `inputs` and on the command line."""
    return f"{table}[{row}].{column}"


def filled(
    table: str, spec: SampleSpec, cells: Cells, values: Iterable[PublishedValue]
) -> dict[str, Any]:
    """The fields of a cell that rests on other cells or on print; empty for all others."""
    if isinstance(spec, Holm):
        return corrected(table, spec, cells)
    if isinstance(spec, Decided):
        inputs = [cell_name(table, *key) for key in (spec.difference, spec.p)]
        return {**decided(spec, cells), "inputs": inputs}
    return evidence(spec, values) if isinstance(spec, Evidence) else {}


def rests_on(spec: SampleSpec) -> tuple[tuple[str, str], ...]:
    """The cells of its table that a derived cell is computed from."""
    if isinstance(spec, Holm):
        return spec.family
    return (spec.difference, spec.p) if isinstance(spec, Decided) else ()


def corrected(table: str, spec: Holm, cells: Cells) -> dict[str, Any]:
    """The fields of a Holm-corrected p value; undefined members don't count in the family."""
    known = [key for key in spec.family if cells[key]["value"] is not None]
    fields = {
        "kind": "derived",
        "inputs": [cell_name(table, *key) for key in spec.family],
        "parameters": canonical_json({"correction": "holm", "family": len(known)}),
        "n": len(known),
    }
    if spec.cell not in known:
        return {**fields, "value": None, "reason": "the uncorrected p value is undefined"}
    adjusted = holm(np.array([cells[key]["value"] for key in known]))
    return {**fields, "value": float(adjusted[known.index(spec.cell)]), "reason": None}

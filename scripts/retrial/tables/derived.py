"""Cells computed from other cells of the same table."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from retrial.digest import canonical_json
from retrial.metrics.multiple import holm
from retrial.tables.declare import Holm

Cells = Mapping[tuple[str, str], Mapping[str, Any]]


def cell_name(table: str, row: str, column: str) -> str:
    """How a cell is named in `inputs` and on the command line."""
    return f"{table}[{row}].{column}"


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

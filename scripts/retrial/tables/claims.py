"""Claims of a paper's text: what print says of them, and the verdict from our own ratings."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from retrial.consistency.grid import Grid, MissingCellError
from retrial.digest import canonical_json
from retrial.metrics import FloatArray, get
from retrial.metrics.contrast import differences, with_parameters
from retrial.published import PublishedValue
from retrial.tables.arms import Decided, Evidence, Held
from retrial.tables.jia2024_columns import is_classified
from retrial.tables.samples import Drawn, draw
from retrial.tables.select import Results

PRINTED = "printed-evidence"
"""What stands for a metric in cells that need the published values."""

SUPPORTED, CONTRADICTED = "supported", "contradicted"
NOT_DECIDABLE = "not decidable at this n"
NOT_RUN, NOT_COMPARABLE = "not run", "not comparable"

ABOVE = 1e-9
"""Differences smaller than this are ties."""

Cells = Mapping[tuple[str, str], Mapping[str, Any]]


def evidence(spec: Evidence, values: Iterable[PublishedValue]) -> dict[str, Any]:
    """The fields of a cell about the paper's own tables; a reason when they are not at hand."""
    try:
        outcome = spec.claim.check(Grid(values))
    except MissingCellError as error:
        return {"metric": PRINTED, "value_text": None, "reason": str(error)}
    text = outcome.detail if spec.part == "evidence" else outcome.verdict.replace("-", " ")
    return {"metric": PRINTED, "value_text": text, "reason": None}


def decided(spec: Decided, cells: Cells) -> dict[str, Any]:
    """The fields of a verdict, from the difference, its interval and its corrected p value."""
    difference, p = cells[spec.difference], cells[spec.p]
    return {
        "kind": "derived",
        "n": difference["n"],
        "value": None,
        "value_text": _verdict(spec, difference, p["value"]),
        "reason": difference["reason"],
    }


def _verdict(spec: Decided, cell: Mapping[str, Any], p: float | None) -> str:
    value, low, high = cell["value"], cell["ci_low"], cell["ci_high"]
    if value is None or low is None or p is None:
        return NOT_DECIDABLE
    significant = p <= spec.alpha
    if spec.margin is not None:
        if -spec.margin <= low and high <= spec.margin:
            return SUPPORTED
        apart = low > spec.margin or high < -spec.margin
        return CONTRADICTED if significant and apart else NOT_DECIDABLE
    if significant and low > 0:
        return SUPPORTED
    return CONTRADICTED if significant and high < 0 else NOT_DECIDABLE


def held(spec: Held, results: Results) -> dict[str, Any]:
    """The fields of a count such as "9 of 14": matches and metrics in which the first is above.

    Undefined differences are counted apart.
    """
    drawn = draw(spec.contrast, results)
    fields = {
        "parameters": canonical_json({"metrics": spec.metrics, **dict(spec.rules)}),
        "selections": [part.record() for part in drawn.selected],
        "excluded": sorted(drawn.excluded.items()),
        "n": len(drawn.item_ids),
    }
    if drawn.reason:
        return {**fields, "value_text": None, "reason": drawn.reason}
    found = np.concatenate([_differences(spec, name, drawn) for name in spec.metrics])
    lost = int(np.isnan(found).sum())
    text = f"{int((found > ABOVE).sum())} of {found.size - lost}"
    return {**fields, "value_text": f"{text} ({lost} undefined)" if lost else text}


def _differences(spec: Held, name: str, drawn: Drawn) -> FloatArray:
    rules = dict(spec.rules) if is_classified(name) else {}
    return differences(get(name), with_parameters(drawn.matches, rules))

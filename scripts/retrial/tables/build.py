"""From a declaration to cells: draw the sample, apply the metric, find the interval, compare."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from retrial.digest import canonical_json
from retrial.errors import RetrialError
from retrial.metrics import Estimate, Metric, get
from retrial.metrics.bootstrap import (
    Difference,
    Interval,
    interval,
    paired_difference,
    replicate_mean,
)
from retrial.metrics.contrast import contrast, with_parameters
from retrial.published import PublishedValue, block_half_units
from retrial.record import CELLS, from_rows
from retrial.tables.declare import (
    CellSpec,
    Declaration,
    Ledger,
    SampleSpec,
)
from retrial.tables.derived import filled
from retrial.tables.ledger import count
from retrial.tables.samples import Drawn, draw
from retrial.tables.select import Results
from retrial.tables.texts import Written, write
from retrial.tables.verdict import Measured, judge_cell

Beside = tuple[PublishedValue, float] | None
"""The paper's value of a cell and half a unit of its last digit, where the paper has one."""

Known = dict[tuple[str, SampleSpec, str, int], tuple[Estimate, Interval]]
"""What was measured so far, by metric, sample, parameters and least number of resamples."""


@dataclass(frozen=True)
class Bootstrap:
    """How intervals are made: resamples of items, level, seed."""

    resamples: int
    level: float
    seed: int


@dataclass(frozen=True)
class Printed:
    """A study's values by table, row and column, with half a unit of their last digit.

    Tables of one study share names of rows and columns, so a value belongs to its table only.
    """

    values: Mapping[tuple[str, str, str], tuple[PublishedValue, float]]

    @classmethod
    def of(cls, values: Iterable[PublishedValue]) -> "Printed":
        """Index the values; a dropped trailing zero ("0.5") is read with its column's digits."""
        blocks: dict[tuple[str, str], list[PublishedValue]] = defaultdict(list)
        for value in values:
            blocks[f"{value.study}_{value.table}", value.column].append(value)
        return cls(
            {
                (table, value.row, column): (value, half)
                for (table, column), block in blocks.items()
                for value, half in zip(block, block_half_units(block), strict=True)
            }
        )


def build_cells(
    declaration: Declaration, results: Results, printed: Printed, bootstrap: Bootstrap
) -> pa.Table:
    """Every cell of the declaration, in the cells contract.

    Raises RetrialError for a cell that is declared twice, as by two judges of one label.
    """
    rows = {name: i for i, name in enumerate(dict.fromkeys(c.row for c in declaration.cells))}
    columns = {name: i for i, name in enumerate(dict.fromkeys(c.column for c in declaration.cells))}
    cells: dict[tuple[str, str], dict[str, Any]] = {}
    known: Known = {}
    for spec in declaration.cells:
        if (spec.row, spec.column) in cells:
            raise RetrialError(
                f"{declaration.table}: {spec.row} / {spec.column} is declared twice; give judges, "
                "datasets and conditions labels of their own in the configuration"
            )
        beside = printed.values.get((declaration.paper_table, spec.row, spec.column))
        cells[spec.row, spec.column] = {
            "table": declaration.table,
            "row_order": rows[spec.row],
            "column_order": columns[spec.column],
            **_cell(spec, results, beside, bootstrap, known),
        }
    values = [value for value, _ in printed.values.values()]
    for spec in declaration.cells:
        late = filled(declaration.table, spec.sample, cells, values)
        cells[spec.row, spec.column].update(late)
    return from_rows(cells.values(), CELLS)


def _cell(
    spec: CellSpec, results: Results, beside: Beside, bootstrap: Bootstrap, known: Known
) -> dict[str, Any]:
    common: dict[str, Any] = {
        "row": spec.row,
        "column": spec.column,
        "block": spec.block,
        "metric": spec.metric,
        "format": spec.format,
        "inputs": [],
        "inferred": spec.inferred,
    }
    if isinstance(spec.sample, Ledger):
        return {**common, **count(spec, spec.sample, results), "verdict": ""}
    if isinstance(spec.sample, Written):
        unmeasured = Measured(math.nan, math.nan, math.nan, 0)
        fields = write(spec.sample, results)
        return {**common, **fields, **_compare(spec, unmeasured, beside, bootstrap)}
    drawn = draw(spec.sample, results)
    estimate, ends = _measured(spec, drawn, bootstrap, known)
    value = estimate.extra.get(spec.extra, math.nan) if spec.extra else estimate.value
    if spec.extra:
        ends = Interval(math.nan, math.nan, 0, ends.reason if math.isnan(value) else "")
    return {
        **common,
        "kind": "measured",
        "parameters": canonical_json({**spec.parameters, **drawn.parameters}),
        "selections": [s.record() for s in drawn.selected],
        "excluded": sorted(drawn.excluded.items()),
        "n": estimate.n,
        "value": _or_none(value),
        "ci_low": _or_none(ends.low),
        "ci_high": _or_none(ends.high),
        "reason": estimate.reason or (f"no interval: {ends.reason}" if ends.reason else None),
        **_compare(spec, Measured(value, ends.low, ends.high, estimate.n), beside, bootstrap),
    }


def _measured(
    spec: CellSpec, drawn: Drawn, bootstrap: Bootstrap, known: Known
) -> tuple[Estimate, Interval]:
    """The estimate and its interval, made once for a number and its companions."""
    key = (spec.metric, spec.sample, canonical_json(dict(spec.parameters)), spec.resamples)
    if key not in known:
        resamples = max(bootstrap.resamples, spec.resamples)
        enough = replace(bootstrap, resamples=resamples)
        known[key] = _measure(get(spec.metric), drawn, dict(spec.parameters), enough)
    return known[key]


def _measure(
    metric: Metric, drawn: Drawn, parameters: dict[str, Any], bootstrap: Bootstrap
) -> tuple[Estimate, Interval]:
    if drawn.reason:
        return Estimate(math.nan, 0, drawn.reason), Interval(math.nan, math.nan, 0)
    options: dict[str, Any] = {
        "resamples": bootstrap.resamples,
        "level": bootstrap.level,
        "seed": bootstrap.seed,
    }
    if len(drawn.samples) > 1:
        return replicate_mean(
            metric, drawn.samples, skip_undefined=drawn.random_draws, **options, **parameters
        )
    if drawn.against is not None:
        first, second = drawn.samples[0], drawn.against
        return _compared(paired_difference(metric, first, second, **options, **parameters))
    if drawn.matches:
        return _compared(contrast(metric, with_parameters(drawn.matches, parameters), **options))
    estimate = metric.compute(drawn.samples[0], **parameters)
    if not metric.has_interval:
        return estimate, Interval(math.nan, math.nan, 0)
    return estimate, interval(metric, drawn.samples[0], **options, **parameters)


def _compared(found: Difference) -> tuple[Estimate, Interval]:
    """A difference with its companions, the p value and the number of items."""
    extra = {"p": found.p, "n": float(found.estimate.n)}
    return replace(found.estimate, extra=extra), found.interval


def _compare(
    spec: CellSpec, measured: Measured, beside: Beside, bootstrap: Bootstrap
) -> dict[str, Any]:
    if beside is None or not beside[0].at_hand:
        return {"verdict": ""}
    value, half_unit = beside
    about = {"published": value.printed, "published_source": value.source}
    if spec.comparison is None:
        return {**about, "verdict": ""}
    verdict = judge_cell(spec.comparison, measured, value.value, half_unit, bootstrap.level)
    return {**about, "verdict": verdict.word, "verdict_reason": verdict.reason}


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value

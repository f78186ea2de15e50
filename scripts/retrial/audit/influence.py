"""How far one item moves a cell: the metric without it, for every item."""

from dataclasses import dataclass

import numpy as np

from retrial.audit.one_cell import OneCell
from retrial.links.join import join_items
from retrial.metrics import FloatArray, Matrix, Metric, Pairs, TwoGroups, get
from retrial.metrics.base import Sample
from retrial.tables.declare import LinkedPairs, WriterGroups


@dataclass(frozen=True)
class Influence:
    """An item, the value without it, and how far it moves the value (its value minus that)."""

    item_id: str
    without: float
    moves: float


def influences(cell: OneCell) -> list[Influence]:
    """Every item of a measured cell, strongest first; none for text and counts."""
    drawn = cell.drawn
    if drawn is None or drawn.reason or not drawn.samples:
        return []
    metric, extra = get(cell.spec.metric), cell.spec.extra
    parameters = dict(cell.spec.parameters)
    if drawn.against is not None and extra:
        return []  # companions of a difference are tests, which no single item gives
    whole = np.mean([_value(metric, s, extra, parameters) for s in drawn.samples])
    ids = _ids(cell)
    parts = [_without_each(metric, s, extra, parameters, len(ids)) for s in drawn.samples]
    without = np.mean(parts, axis=0)
    if drawn.against is not None:
        whole -= _value(metric, drawn.against, extra, parameters)
        without = without - _without_each(metric, drawn.against, extra, parameters, len(ids))
    found = [Influence(i, float(v), float(whole - v)) for i, v in zip(ids, without, strict=True)]
    known = [i for i in found if not np.isnan(i.moves)]
    return sorted(known, key=lambda i: (-abs(i.moves), i.item_id))


def _ids(cell: OneCell) -> list[str]:
    """The items of the sample, in the order of its arrays."""
    assert cell.drawn is not None
    if cell.drawn.item_ids:
        return list(cell.drawn.item_ids)
    selected, sample = cell.drawn.selected, cell.spec.sample
    if isinstance(sample, LinkedPairs):
        links = cell.results.links(sample.links) if sample.links else None
        left, right = selected[0].item_ids, selected[1].item_ids
        return [left[i] for i in join_items(left, right, links).left]
    if isinstance(sample, WriterGroups):
        return [*selected[0].item_ids, *selected[1].item_ids]
    return selected[0].item_ids


def _without_each(
    metric: Metric, sample: Sample, extra: str | None, parameters: dict[str, object], items: int
) -> FloatArray:
    values = [_value(metric, _without(sample, i), extra, parameters) for i in range(items)]
    return np.array(values)


def _value(
    metric: Metric, sample: Sample, extra: str | None, parameters: dict[str, object]
) -> float:
    estimate = metric.compute(sample, **parameters)
    return estimate.extra.get(extra, np.nan) if extra else estimate.value


def _without(sample: Sample, item: int) -> Sample:
    if isinstance(sample, Pairs):
        return Pairs(np.delete(sample.first, item), np.delete(sample.second, item))
    if isinstance(sample, Matrix):
        return Matrix(np.delete(sample.values, item, axis=1))
    first = sample.first.items
    if item < first:
        return TwoGroups(Matrix(np.delete(sample.first.values, item, axis=1)), sample.second)
    kept = np.delete(sample.second.values, item - first, axis=1)
    return TwoGroups(sample.first, Matrix(kept))

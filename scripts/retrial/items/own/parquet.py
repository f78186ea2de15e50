"""Parquet: one row a dialogue, `turns` a list of structs."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from retrial.errors import RetrialError
from retrial.items.own.faults import Place
from retrial.items.own.options import OwnOptions
from retrial.items.own.row import Row

REQUIRED = ("id", "turns")


def rows(start: Place, wanted: OwnOptions) -> Iterator[Row]:
    """The rows; `ratings` may be a struct, a map or a list. A file of other columns is a fault."""
    table = _table(start)
    names = table.column_names
    start = Place(start.faults, start.path, "row")
    before = start.faults.count
    for name in dict.fromkeys(n for n in names if names.count(n) > 1):
        start.add(name, "the column stands twice")
    for name in REQUIRED:
        if name not in names:
            start.add(name, "the column is missing")
    if start.faults.count > before:
        return
    maps = {field.name for field in table.schema if pa.types.is_map(field.type)}
    for number, fields in enumerate(table.to_pylist(), start=1):
        values = {name: _value(value, name in maps) for name, value in fields.items()}
        yield Row(start.at(number), values)


def _table(start: Place) -> pa.Table:
    try:
        with start.path.open("rb") as file:
            return pq.read_table(file)
    except (pa.ArrowException, OSError) as error:
        raise RetrialError(f"{start.path}: can't be read as Parquet: {error}") from error


def _value(value: Any, is_map: bool = False) -> Any:
    """A value as JSON would have it: maps are objects, decimals are numbers."""
    if is_map and value is not None:
        return {key: _value(item) for key, item in value}
    if isinstance(value, dict):
        return {key: _value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_value(item) for item in value]
    return float(value) if isinstance(value, Decimal) else value

"""Checking, reading and serialising tables that follow a contract."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from retrial.errors import RetrialError
from retrial.record.contracts import Contract


class ContractError(RetrialError):
    """A table that does not hold what its contract promises."""


def from_rows(rows: Iterable[Mapping[str, Any]], contract: Contract) -> pa.Table:
    """A checked table from row dictionaries; absent nullable fields become null."""
    table = pa.Table.from_pylist(list(rows), schema=_lenient(contract.schema))
    return check(table, contract, "rows")


def check(table: pa.Table, contract: Contract, where: str) -> pa.Table:
    """The table with the contract's columns in order and types, or a ContractError.

    Refused: missing and unknown columns, wrong types, nulls in required fields, a key twice.
    """
    names, wanted = set(table.column_names), [f.name for f in contract.fields]
    if missing := [n for n in wanted if n not in names]:
        raise ContractError(f"{where}: the {contract.name} contract misses {', '.join(missing)}")
    if unknown := sorted(names - set(wanted)):
        raise ContractError(f"{where}: {contract.name} has no column {', '.join(unknown)}")
    try:
        table = table.select(wanted).cast(_lenient(contract.schema))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise ContractError(f"{where}: not the {contract.name} contract: {error}") from error
    for field in contract.fields:
        if not field.nullable and table[field.name].null_count:
            raise ContractError(f"{where}: {contract.name}.{field.name} must not be null")
    _check_key(table, contract, where)
    return table.cast(contract.schema)


def _lenient(schema: pa.Schema) -> pa.Schema:
    """The schema with every field nullable: nulls are reported by our own check."""
    return pa.schema([f.with_nullable(True) for f in schema], metadata=schema.metadata)


def _check_key(table: pa.Table, contract: Contract, where: str) -> None:
    counts = (
        table.select(list(contract.key)).group_by(list(contract.key)).aggregate([([], "count_all")])
    )
    if counts.num_rows == table.num_rows:
        return
    twice = counts.filter(pc.greater(counts["count_all"], 1)).slice(0, 1).to_pylist()[0]
    key = ", ".join(f"{name}={twice[name]!r}" for name in contract.key)
    raise ContractError(
        f"{where}: the {contract.name} key stands {twice['count_all']} times: {key}"
    )


def read(path: Path, contract: Contract, columns: Sequence[str] | None = None) -> pa.Table:
    """A whole table checked against its contract, or some columns of it (types checked only).

    Raises ContractError for a file that is missing, damaged, or of another contract.
    """
    try:
        table = pq.read_table(path, columns=list(columns) if columns is not None else None)
    except FileNotFoundError as error:
        raise ContractError(f"{path}: no such file; run the rule that makes it") from error
    except (pa.ArrowInvalid, OSError) as error:
        raise ContractError(f"{path}: not readable as Parquet: {error}") from error
    label = (table.schema.metadata or {}).get(b"contract", b"").decode()
    if label != f"{contract.name}/{contract.version}":
        wanted = f"{contract.name}/{contract.version}"
        raise ContractError(f"{path}: holds {label or 'no contract'}, wanted {wanted}")
    return check(table, contract, str(path)) if columns is None else table


def to_parquet(table: pa.Table) -> bytes:
    """The table as Parquet bytes: the same table gives the same bytes."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_statistics=True)
    data: bytes = sink.getvalue().to_pybytes()
    return data

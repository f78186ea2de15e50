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
    """A checked table from row dictionaries; absent nullable fields become null.

    Raises ContractError as `check` does, and for a row with an unknown field.
    """
    listed = list(rows)
    if unknown := sorted(set().union(*listed) - {f.name for f in contract.fields}):
        raise ContractError(f"rows: {contract.name} has no column {', '.join(unknown)}")
    for name in (f.name for f in contract.fields if pa.types.is_integer(f.type)):
        if cut := next((r for r in listed if isinstance(r.get(name), float)), None):
            raise ContractError(
                f"rows: not the {contract.name} contract: {name} is {cut[name]!r}, no whole number"
            )
    try:
        table = pa.Table.from_pylist(listed, schema=_lenient(contract.schema))
    except (pa.ArrowException, UnicodeEncodeError, TypeError, ValueError) as error:
        raise ContractError(f"rows: not the {contract.name} contract: {error}") from error
    return check(table, contract, "rows")


def check(table: pa.Table, contract: Contract, where: str) -> pa.Table:
    """The table with the contract's columns in order and types, or a ContractError.

    Refused: missing and unknown columns, wrong types, nulls in required fields, numbers that
    are not finite (what is undefined is null), a key twice.
    """
    names, wanted = set(table.column_names), [f.name for f in contract.fields]
    if missing := [n for n in wanted if n not in names]:
        raise ContractError(f"{where}: the {contract.name} contract misses {', '.join(missing)}")
    if unknown := sorted(names - set(wanted)):
        raise ContractError(f"{where}: {contract.name} has no column {', '.join(unknown)}")
    if len(table.column_names) > len(wanted):
        raise ContractError(f"{where}: a column of {contract.name} stands twice")
    for field in contract.fields:
        if not _fits(table[field.name].type, field.type):
            found = table[field.name].type
            raise ContractError(
                f"{where}: {contract.name}.{field.name} is {found}, wanted {field.type}"
            )
    try:
        table = table.select(wanted).cast(_lenient(contract.schema))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise ContractError(f"{where}: not the {contract.name} contract: {error}") from error
    for field in contract.fields:
        if not field.nullable and table[field.name].null_count:
            raise ContractError(f"{where}: {contract.name}.{field.name} must not be null")
        if pa.types.is_floating(field.type) and not _finite(table[field.name]):
            raise ContractError(
                f"{where}: {contract.name}.{field.name} holds a number that is not finite"
            )
    _check_key(table, contract, where)
    return table.cast(contract.schema)


def _fits(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether a column may be cast: nested types are left to the cast, whole numbers may widen."""
    if found == wanted or pa.types.is_nested(wanted) or pa.types.is_null(found):
        return True
    if pa.types.is_integer(found):
        return bool(pa.types.is_integer(wanted) or pa.types.is_floating(wanted))
    return bool(pa.types.is_large_string(found) and pa.types.is_string(wanted))


def _finite(column: pa.ChunkedArray) -> bool:
    return bool(pc.all(pc.is_finite(column.drop_null()), min_count=0).as_py())


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
    """A whole table checked against its contract, or some columns of it (label checked only).

    Raises ContractError for a file that is missing, damaged, or of another contract.
    """
    wanted_columns = list(columns) if columns is not None else None
    try:
        table = pq.ParquetFile(path, page_checksum_verification=True).read(wanted_columns)
    except FileNotFoundError as error:
        raise ContractError(f"{path}: no such file; run the rule that makes it") from error
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise ContractError(f"{path}: not readable as Parquet: {error}") from error
    if wanted_columns is not None and (absent := set(wanted_columns) - set(table.column_names)):
        raise ContractError(f"{path}: holds no column {', '.join(sorted(absent))}")
    label = (table.schema.metadata or {}).get(b"contract", b"").decode(errors="replace")
    if label != f"{contract.name}/{contract.version}":
        wanted = f"{contract.name}/{contract.version}"
        raise ContractError(f"{path}: holds {label or 'no contract'}, wanted {wanted}")
    return check(table, contract, str(path)) if columns is None else table


def to_parquet(table: pa.Table) -> bytes:
    """The table as Parquet bytes: the same rows give the same bytes. Pages carry checksums."""
    sink = pa.BufferOutputStream()
    whole = table.combine_chunks()
    pq.write_table(whole, sink, compression="zstd", write_page_checksum=True)
    data: bytes = sink.getvalue().to_pybytes()
    return data

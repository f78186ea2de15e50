"""Tables that are too large for memory: written and read a batch at a time."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from retrial.record.contracts import Contract
from retrial.record.files import put_in_place
from retrial.record.tables import ContractError, check


def write_batches(path: Path, batches: Iterable[pa.Table], contract: Contract) -> int:
    """Writes batches that follow `contract` as one file, in place when whole; returns its rows.

    Each batch is checked by itself: that no key stands in two of them is the caller's to know.
    A failure leaves nothing behind. Raises ContractError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{uuid4().hex}.part")
    rows = 0
    try:
        with pq.ParquetWriter(
            part, contract.schema, compression="zstd", write_page_checksum=True
        ) as writer:
            for batch in batches:
                writer.write_table(check(batch, contract, str(path)).combine_chunks())
                rows += batch.num_rows
        with part.open("rb+") as file:
            os.fsync(file.fileno())
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    put_in_place(part, path)
    return rows


def read_batches(
    path: Path, contract: Contract, columns: Sequence[str] | None = None, rows: int = 4096
) -> Iterator[pa.Table]:
    """The table in batches of at most `rows`; its label is checked, not every value.

    Raises ContractError for a file that is missing, damaged, or of another contract.
    """
    wanted = f"{contract.name}/{contract.version}"
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            label = (file.schema_arrow.metadata or {}).get(b"contract", b"").decode()
            if label != wanted:
                raise ContractError(f"{path}: holds {label or 'no contract'}, wanted {wanted}")
            for batch in file.iter_batches(rows, columns=list(columns) if columns else None):
                yield pa.Table.from_batches([batch])
    except FileNotFoundError as error:
        raise ContractError(f"{path}: no such file; run the rule that makes it") from error
    except (pa.ArrowException, OSError) as error:
        raise ContractError(f"{path}: not readable as Parquet: {error}") from error

"""The answer store: every answer ever given, in immutable files, so that nothing is asked twice.

A folder of uniquely named Parquet files, one per checkpoint. There is no index and no
database: several jobs may write at once, and a killed job loses at most one checkpoint.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc

from retrial.record import ANSWERS, ContractError, from_rows, read, to_parquet, write_atomically

log = logging.getLogger("retrial")


class AnswerStore:
    """The answers of one judge, by request id."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def files(self) -> list[Path]:
        """The checkpoints, by name; hidden part files of killed writers are no checkpoints."""
        return sorted(p for p in self.folder.glob("*.parquet") if not p.name.startswith("."))

    def find(self, request_ids: Iterable[str]) -> pa.Table:
        """The stored answers to these requests, one row each, sorted by request id.

        Where two jobs answered the same request, the earlier answer is the one. A damaged
        checkpoint is named in the log and left out: its requests are asked again.
        """
        wanted = pa.array(sorted(set(request_ids)), pa.string())
        tables = [t for t in map(self._checkpoint, self.files()) if t is not None]
        if not tables:
            return ANSWERS.schema.empty_table()
        found = pa.concat_tables(tables)
        found = found.filter(pc.is_in(found["request_id"], value_set=wanted))
        order = [
            ("request_id", "ascending"),
            ("asked_at", "ascending"),
            ("answer_sha256", "ascending"),
        ]
        found = found.sort_by(order)
        return found.filter(_first_of_each(found["request_id"]))

    def _checkpoint(self, path: Path) -> pa.Table | None:
        try:
            return read(path, ANSWERS)
        except ContractError as error:
            log.warning("answer store: left out a damaged checkpoint: %s", error)
            return None

    def add(self, answers: Sequence[Mapping[str, Any]]) -> Path:
        """Write a checkpoint of answers; returns its file."""
        path = self.folder / f"{uuid4().hex}.parquet"
        write_atomically(path, to_parquet(from_rows(answers, ANSWERS)))
        return path


def _first_of_each(column: pa.ChunkedArray) -> pa.Array:
    values = column.combine_chunks()
    if len(values) == 0:
        return pa.array([], pa.bool_())
    changes = pc.not_equal(values.slice(1), values.slice(0, len(values) - 1))
    return pa.concat_arrays([pa.array([True]), changes])

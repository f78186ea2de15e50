"""The same own dialogues written as JSON Lines, Parquet and CSV."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from retrial.items.base import Dialogue
from retrial.items.readers import get_reader

Record = dict[str, Any]
TURNS = [{"speaker": "USER", "text": "hi"}, {"speaker": "SYSTEM", "text": "hello"}]


def record(own: Any, **fields: Any) -> Record:
    """A dialogue of two turns."""
    return {"id": own, "turns": TURNS, **fields}


def read(*paths: Path, strata: Mapping[str, str] | None = None, **options: Any) -> list[Dialogue]:
    """What the reader gives."""
    found = get_reader("own-dialogues")(paths, source="own", strata=strata or {}, options=options)
    return [one for one in found if isinstance(one, Dialogue)]


def jsonl(folder: Path, records: Sequence[Any]) -> Path:
    """One JSON object a line."""
    path = folder / "dialogues.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return path


def parquet(folder: Path, records: Sequence[Record]) -> Path:
    """One row a dialogue."""
    path = folder / "dialogues.parquet"
    pq.write_table(pa.Table.from_pylist(list(records)), path)
    return path


def csv_text(records: Sequence[Record], end: str = "\n") -> str:
    """One row a turn; a dialogue's other columns stand on its first row."""
    columns = list(dict.fromkeys(key for one in records for key in one if key != "turns"))
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerow(["id", "speaker", "text", *columns[1:]])
    for one in records:
        for place, turn in enumerate(one["turns"]):
            shared = [one.get(c) if place == 0 else None for c in columns[1:]]
            writer.writerow([one["id"], turn["speaker"], turn["text"], *shared])
    return buffer.getvalue()


def csv_file(folder: Path, records: Sequence[Record], end: str = "\n") -> Path:
    """A CSV file in UTF-8."""
    path = folder / "dialogues.csv"
    path.write_bytes(csv_text(records, end).encode())
    return path

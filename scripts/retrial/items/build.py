"""A dataset's items and people's ratings of them, from its configuration and files."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from retrial.config import Dataset, Draw
from retrial.items.base import to_tables
from retrial.items.readers import get_reader
from retrial.items.split import sample_test


def build_items(dataset: str, spec: Dataset, files: Sequence[Path]) -> tuple[pa.Table, pa.Table]:
    """The items and human ratings tables of a dataset. Raises RetrialError with file and line."""
    records = get_reader(spec.reader)(
        files, source=spec.source or spec.reader, strata=spec.strata, options=spec.options
    )
    if spec.split is None:
        return to_tables(records, dataset)
    return to_tables(records, dataset, spec.split.test, spec.split.seed)


def judged_ids(items: pa.Table, draw: Draw | None) -> list[str]:
    """The items that judges are asked about, sorted: the test split or a seeded draw of it.

    A dataset without a split is judged whole.
    """
    split = items["split"]
    chosen = items.filter(pc.or_(pc.equal(split, "test"), pc.equal(split, "all")))
    ids = sorted(chosen["item_id"].to_pylist())
    return ids if draw is None else sorted(sample_test(ids, draw.items, draw.seed))

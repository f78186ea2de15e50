"""A dataset's items and people's ratings of them, from its configuration and files."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from retrial.config import Dataset, Draw
from retrial.errors import RetrialError
from retrial.items.base import Record, to_tables
from retrial.items.exports import OWN, is_export, with_exports
from retrial.items.readers import get_reader
from retrial.items.split import sample_test

TEMPLATE = ".yaml"


def build_items(dataset: str, spec: Dataset, files: Sequence[Path]) -> tuple[pa.Table, pa.Table]:
    """The items and human ratings tables of a dataset. Raises RetrialError with file and line.

    The source of a dataset that names its own files is `own`. Among `files` may be exports of
    rating forms (told by their names), with the templates that those forms ask by.
    """
    exports = [path for path in files if is_export(path)]
    templates = [path for path in files if exports and path.suffix == TEMPLATE]
    sources = [path for path in files if path not in exports and path not in templates]
    items, human = _from_sources(dataset, spec, sources, bool(exports))
    if not exports:
        return items, human
    if spec.raters != "persons":
        raise RetrialError(
            f"datasets.{dataset}.raters is {spec.raters}, but {exports[0]} holds ratings of a "
            "person; say persons, or take the exports out"
        )
    return items, with_exports(human, items, dataset, exports, templates)


def _from_sources(
    dataset: str, spec: Dataset, files: Sequence[Path], exported: bool
) -> tuple[pa.Table, pa.Table]:
    source = spec.source or (OWN if spec.paths else spec.reader)
    records = get_reader(spec.reader)(
        files, source=source, strata=spec.strata, options=spec.options
    )
    if spec.paths and not exported:
        _check_raters(dataset, spec, records)
    if spec.split is None:
        return to_tables(records, dataset)
    items, human = to_tables(records, dataset, spec.split.test, spec.split.seed)
    if empty := {"train", "test"} - set(items["split"].to_pylist()):
        raise RetrialError(
            f"datasets.{dataset}.split: a test share of {spec.split.test} of {len(records)} items "
            f"leaves no item for {' and '.join(sorted(empty))}"
        )
    return items, human


def _check_raters(dataset: str, spec: Dataset, records: Sequence[Record]) -> None:
    rated = any(record.ratings for record in records)
    if rated and spec.raters == "none":
        what = "none, but the files hold ratings; say persons, positions or self"
    elif not rated and spec.raters != "none":
        what = f"{spec.raters}, but the files hold no ratings; say none"
    else:
        return
    raise RetrialError(f"datasets.{dataset}.raters is {what}")


def judged_ids(items: pa.Table, draw: Draw | None) -> list[str]:
    """The items that judges are asked about, sorted: the test split or a seeded draw of it.

    A dataset without a split is judged whole.
    """
    split = items["split"]
    chosen = items.filter(pc.or_(pc.equal(split, "test"), pc.equal(split, "all")))
    ids = sorted(chosen["item_id"].to_pylist())
    return ids if draw is None else sorted(sample_test(ids, draw.items, draw.seed))

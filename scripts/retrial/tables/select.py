"""From a declared selection to arrays, and the digest that commits to the rows used.

Every file is read once, every selection taken once, whatever number of cells use it.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from retrial.digest import canonical_json
from retrial.errors import RetrialError
from retrial.metrics import FloatArray, Matrix
from retrial.metrics.ratings import item_means
from retrial.record import ANSWERS, ITEMS, LINKS, RATINGS, TRAINING_LOG, TRAINING_SETS, read
from retrial.tables.declare import Selection

ROW = ("judge", "item_id", "attribute", "condition", "replicate", "sample", "rater", "reading")


@dataclass(frozen=True, eq=False)
class Selected:
    """The rows of one selection, used and left out."""

    selection: Selection
    rows: pa.Table
    items_of: Selection | None = None
    """Only rows on the items of this selection were kept."""

    @cached_property
    def used(self) -> pa.Table:
        """Rows that have a score."""
        return self.rows.filter(pc.is_valid(self.rows["score"]))

    @cached_property
    def excluded(self) -> dict[str, int]:
        """Rows without a score, counted by status."""
        left_out = self.rows.filter(pc.is_null(self.rows["score"]))
        return dict(sorted(Counter(left_out["status"].to_pylist()).items()))

    @cached_property
    def members_sha256(self) -> str:
        """Digest over the canonical rows (key, score and status), sorted by key."""
        names = [*ROW, "score", "status"]
        ordered = self.rows.select(names).sort_by([(name, "ascending") for name in ROW])
        total = hashlib.sha256()
        for row in zip(*(ordered[name].to_pylist() for name in names), strict=True):
            total.update(canonical_json(row).encode() + b"\n")
        return total.hexdigest()

    def record(self) -> dict[str, Any]:
        """The selection as the cells contract keeps it."""
        found = self.selection.filter()
        if self.items_of is not None:
            found["items_of"] = {"file": self.items_of.file, **self.items_of.filter()}
        return {
            "role": self.selection.role,
            "file": self.selection.file,
            "filter": canonical_json(found),
            "n": self.used.num_rows,
            "members_sha256": self.members_sha256,
        }

    def matrix(self, item_ids: Sequence[str]) -> Matrix:
        """Scores as (raters or samples) by items, in the order of `item_ids`; NaN is missing.

        Raises RetrialError when the selection holds two ratings where one can stand, such as
        two readings of one answer.
        """
        place = pa.array(list(item_ids), pa.string())
        columns = pc.index_in(self.used["item_id"], value_set=place)
        known = pc.is_valid(columns)
        rows = self.used.filter(known)
        columns = columns.filter(known).to_numpy()
        raters = _rater_numbers(rows)
        values = np.full((int(raters.max(initial=-1)) + 1 or 1, len(place)), np.nan)
        if np.unique(raters * len(place) + columns).size < raters.size:
            raise RetrialError(
                f"{self.selection.file}: the selection {self.selection.filter()} holds several "
                "ratings of one item by one rater and sample; name one reading and condition"
            )
        values[raters, columns] = rows["score"].to_numpy()
        return Matrix(values)

    def mean_scores(self, item_ids: Sequence[str]) -> FloatArray:
        """The mean score of each item over its samples and replicates; NaN without any."""
        return item_means(self.matrix(item_ids))

    def within(self, item_ids: Sequence[str]) -> "Selected":
        """The rows of these items only."""
        place = pa.array(list(item_ids), pa.string())
        rows = self.rows.filter(pc.is_in(self.rows["item_id"], value_set=place))
        return Selected(self.selection, rows, self.items_of)

    def filled(self, score: float) -> "Selected":
        """The same rows, with this score wherever an answer gave none."""
        place = self.rows.schema.get_field_index("score")
        scores = pc.fill_null(self.rows["score"], score)
        rows = self.rows.set_column(place, "score", scores)
        return Selected(self.selection, rows, self.items_of)

    def replicate(self, number: int) -> "Selected":
        """The rows of one replicate."""
        rows = self.rows.filter(pc.equal(self.rows["replicate"], number))
        return Selected(self.selection, rows, self.items_of)

    @cached_property
    def replicates(self) -> list[int]:
        """The replicates that the selection holds, in order."""
        return sorted(set(self.rows["replicate"].to_pylist()))

    @cached_property
    def item_ids(self) -> list[str]:
        """The items that were rated (or asked about), sorted."""
        return sorted(set(self.rows["item_id"].to_pylist()))


def pooled(parts: Sequence[Selected]) -> Selected:
    """The rows of several selections as one, for their arrays; each keeps its own record.

    One part is returned as it is. Raises RetrialError when two parts hold the same item: pooled,
    it would count twice.
    """
    if len(parts) == 1:
        return parts[0]
    seen: dict[str, str] = {}
    for part in parts:
        file = part.selection.file
        if twice := next((i for i in part.item_ids if i in seen), None):
            raise RetrialError(
                f"{file} and {seen[twice]} both rate item {twice}: pooled, it would count twice; "
                "list datasets that share no items"
            )
        seen |= dict.fromkeys(part.item_ids, file)
    return Selected(parts[0].selection, pa.concat_tables([part.rows for part in parts]))


def _rater_numbers(rows: pa.Table) -> np.ndarray:
    """A row number in the matrix for each rating: one for each rater, replicate and sample."""
    keys = list(
        zip(
            rows["rater"].to_pylist(),
            rows["replicate"].to_pylist(),
            rows["sample"].to_pylist(),
            strict=True,
        )
    )
    order = {key: number for number, key in enumerate(sorted(set(keys)))}
    return np.array([order[key] for key in keys], dtype=np.int64)


class Results:
    """Reads results files below one root, each once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._tables: dict[str, pa.Table] = {}
        self._selected: dict[Selection, Selected] = {}
        self._rated: dict[tuple[Selection, Selection], Selected] = {}
        self.drawn: dict[Any, Any] = {}
        """Samples drawn so far, by their declaration."""

    def select(self, selection: Selection) -> Selected:
        """The rows of a selection. Raises ContractError for a missing or damaged file."""
        if selection not in self._selected:
            rows = self._read(selection.file, RATINGS)
            for column, value in selection.where:
                rows = rows.filter(pc.equal(rows[column], value))
            if selection.items is not None:
                ids = self._item_ids(selection.items, selection.split, dict(selection.strata))
                rows = rows.filter(pc.is_in(rows["item_id"], value_set=pa.array(ids, pa.string())))
            self._selected[selection] = Selected(selection, rows)
        return self._selected[selection]

    def select_rated_by(self, selection: Selection, judge: Selection) -> Selected:
        """The rows of a selection on the items that the judge's selection rated."""
        key = (selection, judge)
        if key not in self._rated:
            kept = self.select(selection).within(self.select(judge).item_ids)
            self._rated[key] = Selected(selection, kept.rows, judge)
        return self._rated[key]

    def answers(self, file: str) -> pa.Table:
        """The answers of a file."""
        return self._read(file, ANSWERS)

    def links(self, file: str) -> pa.Table:
        """The links of a file."""
        return self._read(file, LINKS)

    def training_set(self, name: str) -> pa.Table:
        """The items of a drawn training set."""
        return self._read(f"training/{name}.parquet", TRAINING_SETS)

    def training_log(self, tuning: str) -> pa.Table:
        """The losses of a tuning, step by step."""
        return self._read(f"adapters/{tuning}/training.parquet", TRAINING_LOG)

    def items(self, file: str, strata: Mapping[str, str]) -> list[dict[str, Any]]:
        """The items of a file that belong to these strata."""
        ids = pa.array(self._item_ids(file, None, strata), pa.string())
        items = self._read(file, ITEMS)
        found: list[dict[str, Any]] = items.filter(
            pc.is_in(items["item_id"], value_set=ids)
        ).to_pylist()
        return found

    def _item_ids(self, file: str, split: str | None, strata: Mapping[str, str]) -> list[str]:
        items = self._read(file, ITEMS)
        columns = [items[name].to_pylist() for name in ("item_id", "split", "strata")]
        return [
            item_id
            for item_id, part, groups in zip(*columns, strict=True)
            if (split is None or part == split) and strata.items() <= dict(groups).items()
        ]

    def _read(self, file: str, contract: Any) -> pa.Table:
        if file not in self._tables:
            self._tables[file] = read(self.root / file, contract)
        return self._tables[file]

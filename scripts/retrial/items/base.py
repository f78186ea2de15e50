"""What every reader yields, and how it becomes the items and human ratings tables.

An item's id is a digest of its own content. So a changed byte in a source changes one item
and leaves the ids, the split and the examples of all others as they were.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa

from retrial.digest import content_id
from retrial.errors import RetrialError
from retrial.items.split import assign_split
from retrial.record import ITEMS, RATINGS, from_rows

HUMAN = "human"
"""The judge id and the reading of people's ratings."""


@dataclass(frozen=True)
class HumanRating:
    """One person's rating of one item.

    `rater` is a person or only a position (the dataset's configuration says which), `score`
    lies on `scale`, and `source_line` is where the rating stands in the source. `reason` says
    how the score came from the source's number, where it is another number.
    """

    attribute: str
    rater: str
    score: float
    source_line: int
    scale: str = "1-5"
    reason: str | None = None


@dataclass(frozen=True)
class Turn:
    """One turn of a dialogue. The text is verbatim and may be empty."""

    speaker: str
    text: str


class Record(Protocol):
    """One item as a reader yields it: content, where it was read, and its ratings."""

    @property
    def strata(self) -> Mapping[str, str]:
        """What tables group by."""
        ...

    @property
    def source(self) -> str:
        """`<source>/<file>`."""
        ...

    @property
    def source_line(self) -> int:
        """Line of its first row, or its ordinal from 1 in a JSON file."""
        ...

    @property
    def ratings(self) -> tuple[HumanRating, ...]:
        """People's ratings of it."""
        ...

    def content(self) -> dict[str, Any]:
        """`kind` and the content columns of the items contract that it fills."""
        ...


@dataclass(frozen=True)
class Dialogue:
    """A dialogue: turns in order. `split` is train or test where the source itself says so."""

    turns: tuple[Turn, ...]
    source: str
    source_line: int
    strata: Mapping[str, str] = field(default_factory=dict)
    ratings: tuple[HumanRating, ...] = ()
    split: str | None = None

    def content(self) -> dict[str, Any]:
        """The kind and the turns."""
        turns = [{"speaker": turn.speaker, "text": turn.text} for turn in self.turns]
        return {"kind": "dialogue", "turns": turns}


def item_ids(records: Iterable[Record]) -> list[str]:
    """The id of each record, in order.

    An id digests the record's content, its `subset` stratum and an ordinal among equal
    records (0 for the first), and neither the dataset's id nor the ratings.
    """
    seen: Counter[str] = Counter()
    ids = []
    for record in records:
        content = {**record.content(), "subset": record.strata.get("subset")}
        base = content_id(content)
        ids.append(content_id({**content, "ordinal": seen[base]}))
        seen[base] += 1
    return ids


def to_tables(
    records: Sequence[Record], dataset: str, test_share: float | None = None, seed: int = 1
) -> tuple[pa.Table, pa.Table]:
    """The items and the human ratings of a dataset, checked against their contracts.

    Rows keep the records' order. With `test_share` (0-1) the items are split at random into
    `train` and `test` (see `assign_split`); without it an item's split is the source's own, or
    `all`. Raises RetrialError where both the source and `test_share` split.
    """
    ids = item_ids(records)
    split = _split(records, ids, test_share, seed)
    items = (
        {
            **record.content(),
            "item_id": item_id,
            "dataset": dataset,
            "split": part,
            "strata": sorted(record.strata.items()),
            "source": record.source,
            "source_line": record.source_line,
        }
        for record, item_id, part in zip(records, ids, split, strict=True)
    )
    return from_rows(items, ITEMS), from_rows(_rating_rows(records, ids, dataset), RATINGS)


def _split(
    records: Sequence[Record], ids: Sequence[str], test_share: float | None, seed: int
) -> Sequence[str]:
    own = [getattr(record, "split", None) for record in records]
    if test_share is None:
        return [part or "all" for part in own]
    if any(own):
        raise RetrialError(
            "split: the source says which items are train and test; leave `split` out of the "
            "dataset's configuration"
        )
    return assign_split(ids, test_share, seed)


def _rating_rows(
    records: Sequence[Record], ids: Sequence[str], dataset: str
) -> Iterator[dict[str, Any]]:
    for record, item_id in zip(records, ids, strict=True):
        for rating in record.ratings:
            yield {
                "judge": HUMAN,
                "item_id": item_id,
                "dataset": dataset,
                "attribute": rating.attribute,
                "condition": "",
                "replicate": 0,
                "sample": 0,
                "rater": rating.rater,
                "reading": HUMAN,
                "score": rating.score,
                "status": "ok",
                "reason": rating.reason,
                "scale": rating.scale,
                "source": record.source,
                "source_line": rating.source_line,
            }

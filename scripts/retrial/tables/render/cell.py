"""One cell as printed: every text that a rendering shows, and where a link may point."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from retrial.tables.format import UNDEFINED, print_value

MARKS = {
    "reproduced": "\N{CHECK MARK}",
    "differs": "\N{NOT EQUAL TO}",
    "not comparable": "\N{WHITE CIRCLE}",
}
OTHER_MARK = "\N{BULLET}"
INFERRED_MARK = "\N{DAGGER}"


@dataclass(frozen=True)
class CellView:
    """One cell as printed. Empty text means that there is nothing of the kind.

    `note` numbers the footnote that says why a value is undefined.
    """

    anchor: str
    text: str
    is_text: bool
    interval: str
    published: str
    published_source: str
    verdict: str
    verdict_reason: str
    reason: str
    note: int | None
    n: int
    excluded: str
    kind: str
    best: bool
    inferred: bool

    @property
    def undefined(self) -> bool:
        """Whether there is neither number nor text."""
        return self.text == UNDEFINED

    @property
    def mark(self) -> str:
        """The verdict's symbol; empty without a verdict."""
        return MARKS.get(self.verdict, OTHER_MARK) if self.verdict else ""


def anchors(keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The HTML id of each (row, column): `<row slug>--<column>`, numbered where two would meet."""
    found: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for row, column in keys:
        stem = anchor = f"{_slug(row.lower())}--{_slug(column)}"
        number = 2
        while anchor in taken:
            anchor, number = f"{stem}-{number}", number + 1
        taken.add(anchor)
        found[row, column] = anchor
    return found


def _slug(text: str) -> str:
    return re.sub(r"[^\w.]+", "-", text).strip("-")


def view_of(record: Mapping[str, Any], anchor: str, note: int | None, best: bool) -> CellView:
    """The view of one record of the cells contract; `note` is the number of its footnote."""
    form = record["format"]
    is_text = record["value"] is None and bool(record["value_text"])
    low, high = record["ci_low"], record["ci_high"]
    bounds = [print_value(end, form) for end in (low, high)]
    excluded = sorted(record["excluded"])
    return CellView(
        anchor=anchor,
        text=record["value_text"] if is_text else print_value(record["value"], form),
        is_text=is_text,
        interval="" if bounds == [UNDEFINED] * 2 else f"[{bounds[0]}, {bounds[1]}]",
        published=record["published"] or "",
        published_source=record["published_source"] or "",
        verdict=record["verdict"],
        verdict_reason=record["verdict_reason"] or "",
        reason=record["reason"] or "",
        note=note,
        n=record["n"],
        excluded=", ".join(f"{status} {count}" for status, count in excluded if count),
        kind=record["kind"],
        best=best,
        inferred=record["inferred"],
    )

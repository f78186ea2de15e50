"""The papers' numbers as printed: one CSV per table, parsed without losing the printed digits."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from retrial.errors import RetrialError

FIELDS = ("study", "table", "row", "column", "printed", "source")
_NUMBER = re.compile(r"[+\-\N{MINUS SIGN}]?(?:\d+(?:\.\d+)?|\.\d+)%?")


class PublishedError(RetrialError):
    """A file of published values that cannot be read; the message names file and line."""


@dataclass(frozen=True)
class PublishedValue:
    """One printed cell. `printed` is the text on the page; an empty one is not at hand."""

    study: str
    table: str
    row: str
    column: str
    printed: str
    source: str

    @property
    def at_hand(self) -> bool:
        """Whether a number was read for this cell."""
        return self.printed != ""

    @property
    def value(self) -> float:
        """The number, per cent signs resolved ("62%" is 0.62); NaN when not at hand."""
        return float(self._decimal()) / self._divisor if self.at_hand else math.nan

    @property
    def decimals(self) -> int:
        """Digits printed after the point ("0.50" has 2, "62%" has 0); 0 when not at hand."""
        return len(self.printed.rstrip("%").partition(".")[2])

    @property
    def half_unit(self) -> float:
        """Half a unit of the last printed digit ("62%" is 0.005); NaN when not at hand."""
        return self.half_unit_at(self.decimals) if self.at_hand else math.nan

    def half_unit_at(self, decimals: int) -> float:
        """Half a unit of the digit `decimals` places after the point, per cent resolved."""
        return 0.5 * 10.0**-decimals / self._divisor

    @property
    def _divisor(self) -> int:
        return 100 if self.printed.endswith("%") else 1

    def _decimal(self) -> Decimal:
        return Decimal(self.printed.rstrip("%").replace("\N{MINUS SIGN}", "-"))


def load_published(path: str | Path) -> list[PublishedValue]:
    """Read one file of published values, in file order.

    The header must be `study,table,row,column,printed,source`. An empty `printed` is allowed
    and means that the value is not at hand.

    Raises PublishedError, naming file and line, for an unreadable or empty file, another header,
    a wrong number of fields, an empty key, text that is not a number, or a repeated cell.
    """
    path = Path(path)
    seen: dict[tuple[str, str, str, str], int] = {}
    values: list[PublishedValue] = []
    for line, fields in _records(path):
        value = _parse(path, line, fields)
        key = (value.study, value.table, value.row, value.column)
        if key in seen:
            raise PublishedError(
                f"{path}, line {line}: {' / '.join(key)} was already given in line {seen[key]}; "
                "keep one of the two"
            )
        seen[key] = line
        values.append(value)
    if not values:
        raise PublishedError(f"{path}: no values below the header; add one line per printed cell")
    return values


def block_half_units(block: Sequence[PublishedValue]) -> list[float]:
    """Half a unit of the last digit of each cell of a block of like columns.

    Some tables drop trailing zeros ("0.5" beside "0.42"). A cell with fewer digits than most
    cells of its block is read with the block's usual number of digits; a cell with more keeps
    its own. NaN where the cell is not at hand.
    """
    counts = Counter(v.decimals for v in block if v.at_hand and not v.printed.endswith("%"))
    usual = max(counts, key=lambda d: (counts[d], d)) if counts else 0
    return [
        math.nan
        if not v.at_hand
        else v.half_unit
        if v.printed.endswith("%")
        else v.half_unit_at(max(usual, v.decimals))
        for v in block
    ]


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields) below the checked header, blank lines left out."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise PublishedError(f"{path}: cannot be read as UTF-8 text ({error})") from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
        if tuple(header) != FIELDS:
            raise PublishedError(
                f"{path}, line 1: the header is {','.join(header)!r}; it must be "
                f"{','.join(FIELDS)!r}"
            )
        for fields in reader:
            if fields:
                yield reader.line_num, fields
    except csv.Error as error:
        raise PublishedError(f"{path}, line {reader.line_num}: not valid CSV ({error})") from error


def _parse(path: Path, line: int, fields: list[str]) -> PublishedValue:
    if len(fields) != len(FIELDS):
        raise PublishedError(
            f"{path}, line {line}: {len(fields)} fields where {len(FIELDS)} are needed "
            f"({','.join(FIELDS)}); quote a field that holds a comma"
        )
    cleaned = [field.strip() for field in fields]
    for name, field in zip(FIELDS[:4], cleaned[:4], strict=True):
        if not field:
            raise PublishedError(f"{path}, line {line}: {name} is empty; every cell needs one")
    value = PublishedValue(*cleaned)
    if value.at_hand and not _NUMBER.fullmatch(value.printed):
        raise PublishedError(
            f"{path}, line {line}: printed is {value.printed!r}, which is no number such as "
            "0.47 or 62%; leave it empty if the value is not at hand"
        )
    return value

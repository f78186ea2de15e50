"""CSV: one row a turn. Rows of one dialogue stand together; its other columns are on the first.

Later rows of a dialogue repeat those values or leave them empty. Every cell is a text; cells of
rating columns become numbers where they are numbers.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from retrial.items.own.faults import Place
from retrial.items.own.options import OwnOptions
from retrial.items.own.row import Row
from retrial.items.text_lines import LineError, csv_rows, text_lines

REQUIRED = ("id", "speaker", "text")
NUMBER = re.compile(r"[+-]?[0-9]{1,300}((?:\.[0-9]{1,300})?(?:[eE][+-]?[0-9]{1,3})?)")
NESTED = {
    "turns": "is for JSON Lines and Parquet; in CSV each turn is a row with `speaker` and `text`",
    "ratings": "is for JSON Lines and Parquet; in CSV the option rating_columns names the raters",
}
Cells = tuple[int, dict[str, str]]


def rows(start: Place, wanted: OwnOptions) -> Iterator[Row]:
    """The dialogues of the file; what is not CSV or contradicts itself becomes a fault."""
    lines, undecoded = text_lines(start.path)
    for fault in undecoded:
        start.at(fault.line).add("", fault.what)
    if undecoded:
        return
    for _, group in groupby(_table(start, lines), key=lambda cells: cells[1]["id"]):
        yield _dialogue(start, list(group), wanted)


def _table(start: Place, lines: Sequence[str]) -> Iterator[Cells]:
    """Line and cells by column of each row below the header."""
    found = csv_rows(lines)
    try:
        line, header = next(found, (1, []))
        if not header or not _check_header(start.at(line), header):
            return
        for line, cells in found:
            if len(cells) == len(header):
                yield line, dict(zip(header, cells, strict=True))
            else:
                what = f"the row has {len(cells)} cells; the header has {len(header)}"
                start.at(line).add("", what)
    except LineError as fault:
        start.at(fault.line).add("", f"the row {fault.what}; is a quote left open?")


def _check_header(place: Place, header: Sequence[str]) -> bool:
    """Whether the header can be used; otherwise what is wrong with it is told."""
    before = place.faults.count
    if len(header) == 1 and re.search("[;\t]", header[0]):
        place.add("", "the header has no comma; save the file with commas between its columns")
        return False
    for name in dict.fromkeys(name for name in header if header.count(name) > 1):
        place.add(name, "the column stands twice")
    for name in REQUIRED:
        if name not in header:
            place.add(name, "the column is missing")
    for name in NESTED:
        if name in header:
            place.add(name, f"the column {NESTED[name]}")
    return place.faults.count == before


def _dialogue(start: Place, group: list[Cells], wanted: OwnOptions) -> Row:
    line, first = group[0]
    shared = {name: cell for name, cell in first.items() if name not in REQUIRED}
    for later, cells in group[1:]:
        for name, cell in shared.items():
            if cells[name] not in ("", cell) and name not in wanted.ignored_columns:
                what = f"is {cells[name]!r}, but {cell!r} where the dialogue begins (line {line})"
                start.at(later).add(name, what)
    fields = {
        name: _number(cell) if name in wanted.rating_columns else cell or None
        for name, cell in shared.items()
    }
    turns = [{"speaker": cells["speaker"], "text": cells["text"]} for _, cells in group]
    lines = tuple(line for line, _ in group)
    return Row(start.at(line), {"id": first["id"], "turns": turns, **fields}, lines)


def _number(cell: str) -> int | float | str | None:
    """The cell's number; its text where it holds none; None where it is empty."""
    text = cell.strip()
    match = NUMBER.fullmatch(text)
    if match is None:
        return cell if text else None
    return float(text) if match[1] else int(text)

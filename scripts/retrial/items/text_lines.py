"""Lines of a text file with their numbers, and rows of a CSV file with the lines they stand on.

Only a line feed ends a line, with or without a carriage return before it: texts may hold other
line separators of Unicode. A byte order mark at the beginning of the file is dropped.
"""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from retrial.errors import RetrialError

BOM = b"\xef\xbb\xbf"


class LineError(Exception):
    """What is wrong on a line (counted from 1)."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(line, what)
        self.line, self.what = line, what


def text_lines(path: Path) -> tuple[list[str], list[LineError]]:
    """The lines, each with its line end, and a fault for each that is not UTF-8.

    A faulty line is empty in the list. Raises RetrialError for a file that can't be read.
    """
    try:
        data = path.read_bytes().removeprefix(BOM)
    except OSError as error:
        raise RetrialError(f"{path}: can't be read: {error.strerror}") from error
    lines, faults = [], []
    for number, line in enumerate(data.removesuffix(b"\n").split(b"\n") if data else [], start=1):
        try:
            lines.append(line.decode("utf-8") + "\n")
        except UnicodeDecodeError as error:
            lines.append("\n")
            what = f"is not UTF-8 at byte {error.start + 1} of the line; save the file as UTF-8"
            faults.append(LineError(number, what))
    return lines, faults


def csv_rows(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the line on which it begins.

    Quoting is that of RFC 4180. Raises LineError where it is broken.
    """
    reader = csv.reader(lines, strict=True)
    begin = 1
    try:
        for row in reader:
            if row:
                yield begin, row
            begin = reader.line_num + 1
    except csv.Error as error:
        raise LineError(begin, f"is not CSV: {error}") from error

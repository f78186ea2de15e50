"""AB-ReDial (Siro et al.): ReDial dialogues, film recommendations, with satisfaction ratings.

The file `annotated_dialogues.csv` has one row per annotation: `ConvId`, up to 22 utterances
(`utterance0` on, each a role and a text, with a tab or other blanks between them), four aspects,
`dialogue-overall` from 1 to 5, and a justification. The rows of one dialogue stand together. They
are told apart by id *and* text: in the released file five ids name two dialogues each, so that it
holds 200 dialogues under 195 ids.

Raters are positions: the file does not say who gave which row. An empty overall rating is no
rating, and its position stays empty. The aspects and justifications are not returned.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from retrial.errors import RetrialError
from retrial.items.base import Dialogue, HumanRating, Turn
from retrial.items.text_lines import LineError, csv_rows, text_lines

CONVERSATION, OVERALL = "ConvId", "dialogue-overall"
ATTRIBUTE = "overall"
UTTERANCE = re.compile(r"utterance\d+")
SAID = re.compile(r"(SYSTEM|USER)\s+(\S.*)", re.DOTALL)
RATINGS = {f"{rating}{form}": float(rating) for rating in range(1, 6) for form in ("", ".0")}


@dataclass(frozen=True)
class _Row:
    line: int
    conversation: str
    turns: tuple[Turn, ...]
    overall: float | None


def read(
    paths: Sequence[Path],
    *,
    source: str,
    strata: Mapping[str, str],
    options: Mapping[str, str | int | float | bool],
) -> list[Dialogue]:
    """The dialogues of all files in order; raters are "1", "2", ... by position among its rows.

    Strata: `conversation` is the file's id, which two dialogues may share. Raises RetrialError,
    with file and line, for anything that the format does not allow. There are no options.
    """
    if options:
        raise RetrialError(f"abredial: unknown option {', '.join(sorted(options))}; it takes none")
    if not paths:
        raise RetrialError("abredial: no files to read; list them under `files`")
    return [
        _dialogue(list(rows), f"{source}/{path.name}", strata)
        for path in paths
        for _, rows in groupby(_rows(path), key=lambda row: (row.conversation, row.turns))
    ]


def _dialogue(rows: Sequence[_Row], source: str, strata: Mapping[str, str]) -> Dialogue:
    return Dialogue(
        turns=rows[0].turns,
        source=source,
        source_line=rows[0].line,
        strata={**strata, "conversation": rows[0].conversation},
        ratings=tuple(
            HumanRating(ATTRIBUTE, str(position), row.overall, row.line)
            for position, row in enumerate(rows, start=1)
            if row.overall is not None
        ),
    )


def _rows(path: Path) -> list[_Row]:
    lines, faults = text_lines(path)
    try:
        if faults:
            raise faults[0]
        return list(_parsed(path, lines))
    except LineError as fault:
        raise RetrialError(f"{path}, line {fault.line}: the line {fault.what}") from fault


def _parsed(path: Path, lines: Sequence[str]) -> Iterator[_Row]:
    rows = csv_rows(lines)
    _, header = next(rows, (1, [""]))
    if CONVERSATION not in header or OVERALL not in header or len(set(header)) < len(header):
        wanted = f"{CONVERSATION}, utterance0 and on, {OVERALL}"
        raise LineError(1, f"is not the header of AB-ReDial's dialogues; expected {wanted}")
    said = [place for place, name in enumerate(header) if UTTERANCE.fullmatch(name)]
    found = 0
    for line, fields in rows:
        if len(fields) != len(header):
            raise LineError(line, f"has {len(fields)} fields; expected {len(header)}")
        found += 1
        yield _Row(
            line,
            fields[header.index(CONVERSATION)],
            _turns(line, [fields[place] for place in said]),
            _overall(line, fields[header.index(OVERALL)]),
        )
    if not found:
        raise RetrialError(f"{path}: holds no dialogue; is it the right file, and whole?")


def _turns(line: int, cells: Sequence[str]) -> tuple[Turn, ...]:
    """The utterances; cells after the last one are empty."""
    count = max((place for place, cell in enumerate(cells, start=1) if cell), default=0)
    if not count:
        raise LineError(line, "has no utterances")
    turns = []
    for place, cell in enumerate(cells[:count]):
        match = SAID.fullmatch(cell)
        if match is None:
            what = f"has {cell!r} as utterance{place}; expected SYSTEM or USER, and a text"
            raise LineError(line, what)
        turns.append(Turn(match[1], match[2]))
    return tuple(turns)


def _overall(line: int, text: str) -> float | None:
    if text and text not in RATINGS:
        raise LineError(line, f"has {text!r} as {OVERALL}; expected 1 to 5, or nothing")
    return RATINGS.get(text)

"""USS, User Satisfaction Simulation (Sun et al. 2021): task dialogues with satisfaction ratings.

A row is ``ROLE <tab> TEXT <tab> ACTION <tab> RATINGS``; blank lines separate sessions. The last
row of a session is ``USER <tab> OVERALL``, and its ratings, one per annotator, are the dialogue's
`overall` ratings. An annotator's place in that list is not an identity across sessions.

Texts are kept as they are: quotes are data, empty texts stay, and only a line feed ends a line
(texts may hold other Unicode line separators). A SYSTEM turn that says "Overall" is a turn. The
ratings of single turns are checked but not returned.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from retrial.errors import RetrialError
from retrial.items.base import Dialogue, HumanRating, Turn

ROLES = ("USER", "SYSTEM")
OVERALL = "OVERALL"
ATTRIBUTE = "overall"
FIELDS = 4
RATINGS = {str(rating): rating for rating in range(1, 6)}


@dataclass(frozen=True)
class _Row:
    line: int
    role: str
    text: str
    ratings: tuple[int, ...]

    @property
    def closes(self) -> bool:
        """Whether it is the row of the whole dialogue's ratings."""
        return self.role == "USER" and self.text == OVERALL


def read(
    paths: Sequence[Path],
    *,
    source: str,
    strata: Mapping[str, str],
    options: Mapping[str, str | int | float | bool],
) -> list[Dialogue]:
    """The sessions of all files in order; raters are "1", "2", ... by position.

    Raises RetrialError, with file and line, for anything that the format does not allow. There
    are no options.
    """
    if options:
        raise RetrialError(f"uss: unknown option {', '.join(sorted(options))}; it takes none")
    if not paths:
        raise RetrialError("uss: no files to read; list them under `files`")
    return [
        _dialogue(path, rows, f"{source}/{path.name}", strata)
        for path in paths
        for rows in _sessions(path)
    ]


def _sessions(path: Path) -> Iterator[list[_Row]]:
    """Runs of rows between blank lines."""
    rows: list[_Row] = []
    found = False
    for number, line in _lines(path):
        if line:
            rows.append(_row(path, number, line))
        elif rows:
            found = True
            yield rows
            rows = []
    if rows:
        yield rows
    elif not found:
        raise RetrialError(f"{path}: holds no session; is it the right file, and whole?")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RetrialError(f"{path}: can't be read: {error.strerror}") from error
    for number, line in enumerate(data.split(b"\n"), start=1):
        if b"\r" in line:
            raise _fault(path, number, "holds a carriage return", "lines end with LF alone")
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            where = f"is not UTF-8 at byte {error.start + 1} of the line"
            raise _fault(path, number, where, "text in UTF-8") from error
        if text.startswith("\ufeff"):
            raise _fault(path, number, "starts with a byte order mark", "UTF-8 without one")
        yield number, text


def _row(path: Path, line: int, text: str) -> _Row:
    fields = text.split("\t")
    if len(fields) != FIELDS:
        wanted = f"{FIELDS}: role, text, action, ratings"
        raise _fault(path, line, f"has {len(fields)} tab-separated fields", wanted)
    role, utterance, _, ratings = fields
    if role not in ROLES:
        raise _fault(path, line, f"has the role {role!r}", " or ".join(ROLES))
    if role == "SYSTEM":
        if ratings:
            raise _fault(path, line, f"rates a SYSTEM turn ({ratings!r})", "no ratings there")
        return _Row(line, role, utterance, ())
    return _Row(line, role, utterance, _parse_ratings(path, line, ratings))


def _parse_ratings(path: Path, line: int, text: str) -> tuple[int, ...]:
    if not text:
        raise _fault(path, line, "is a USER turn without ratings", "one or more, from 1 to 5")
    try:
        return tuple(RATINGS[digit] for digit in text.split(","))
    except KeyError as error:
        wanted = "digits from 1 to 5, joined by commas"
        raise _fault(path, line, f"has the ratings {text!r}", wanted) from error


def _dialogue(path: Path, rows: list[_Row], source: str, strata: Mapping[str, str]) -> Dialogue:
    _check_session(path, rows)
    *turns, overall = rows
    return Dialogue(
        turns=tuple(Turn(row.role, row.text) for row in turns),
        source=source,
        source_line=rows[0].line,
        strata=dict(strata),
        ratings=tuple(
            HumanRating(ATTRIBUTE, str(position), float(score), overall.line)
            for position, score in enumerate(overall.ratings, start=1)
        ),
    )


def _check_session(path: Path, rows: list[_Row]) -> None:
    for row in rows[:-1]:
        if row.closes:
            wanted = f"{OVERALL} to be the session's last row, and a blank line after it"
            raise _fault(path, row.line, f"is {OVERALL}, and more rows follow", wanted)
    last = rows[-1]
    if not last.closes:
        wanted = f"the session to end with a USER row {OVERALL}"
        raise _fault(path, last.line, f"ends its session without {OVERALL}", wanted)
    if len(rows) == 1:
        raise _fault(path, last.line, f"is {OVERALL} of a session without turns", "turns before it")
    for row in rows:
        if row.ratings and len(row.ratings) != len(last.ratings):
            wanted = f"{len(last.ratings)}, as in the session's {OVERALL} row (line {last.line})"
            raise _fault(path, row.line, f"has {len(row.ratings)} ratings", wanted)


def _fault(path: Path, line: int, what: str, expected: str) -> RetrialError:
    return RetrialError(f"{path}, line {line}: the line {what}; expected {expected}")

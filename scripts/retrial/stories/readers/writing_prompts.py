"""WritingPrompts (Fan et al. 2018) in its native form: an archive of line-aligned text files.

`<split>.wp_source` holds a prompt a line, `<split>.wp_target` the story of the same line. The
archive is read as a stream, twice: once to count lines and to keep the prompts, once for the
stories. So no story is held longer than it is looked at, and nothing is unpacked to disk.
"""

import logging
import re
import tarfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from retrial.errors import RetrialError
from retrial.stories.pairs import SPLITS, Draw, Pair, draw_lines

log = logging.getLogger("retrial")

MEMBER = re.compile(r"(?:^|/)(train|valid|test)\.wp_(source|target)$")
LONGEST_LINE = 8 * 2**20
"""Bytes. A longer line is not a story: without a limit it would fill the memory."""
REMEDY = "download the archive again"


@dataclass
class _Side:
    """One member: its name, how many lines it has, and (for prompts) the lines."""

    name: str
    lines: int = 0
    texts: list[str] = field(default_factory=list)


def read(paths: Sequence[Path], *, source: str, draw: Draw) -> Iterator[Pair]:
    """The drawn pairs in the order of the archive's stories.

    Pairs whose prompt or story is blank are left out, and counted in the log. Raises
    RetrialError that names the member and line of a fault: a missing or repeated member, sides
    of different length, a line that is not UTF-8, a damaged archive.
    """
    if len(paths) != 1:
        raise RetrialError(f"writing-prompts: wanted one archive, got {len(paths)} files")
    path = paths[0]
    prompts = _prompts(path)
    chosen = {s: draw_lines(s, side.lines, draw) for s, side in prompts.items()}
    blank = 0
    for split, member, lines in _members(path, "target"):
        wanted = chosen[split] if draw.count(split) is None else set(chosen[split])
        for number, raw in lines:
            if number not in wanted:
                continue
            prompt, story = prompts[split].texts[number - 1], _text(path, member, number, raw)
            if prompt.strip() and story.strip():
                yield Pair(split, prompt, story, f"{source}/{path.name}:{member}", number)
            else:
                blank += 1
    if blank:
        log.warning("%s: %d pairs with a blank prompt or story are left out", path, blank)


def _prompts(path: Path) -> Mapping[str, _Side]:
    """The prompts of each split, once both sides are known to have the same number of lines."""
    found: dict[tuple[str, str], _Side] = {}
    for role in ("source", "target"):
        for split, member, lines in _members(path, role):
            if (split, role) in found:
                raise RetrialError(f"{path}: holds {split}.wp_{role} twice; {REMEDY}")
            side = found[split, role] = _Side(member)
            for number, raw in lines:
                side.lines = number
                if role == "source":
                    side.texts.append(_text(path, member, number, raw))
    return {split: _paired(path, found, split) for split in SPLITS}


def _paired(path: Path, found: Mapping[tuple[str, str], _Side], split: str) -> _Side:
    for role in ("source", "target"):
        if (split, role) not in found:
            raise RetrialError(f"{path}: holds no {split}.wp_{role}; {REMEDY}")
    prompts, stories = found[split, "source"], found[split, "target"]
    if prompts.lines != stories.lines:
        raise RetrialError(
            f"{path}: {prompts.name} has {prompts.lines} lines and {stories.name} has "
            f"{stories.lines}: prompts and stories can't be paired by line; {REMEDY}"
        )
    return prompts


def _members(path: Path, role: str) -> Iterator[tuple[str, str, Iterator[tuple[int, bytes]]]]:
    """(split, name, numbered lines) of each member of a role, in the archive's order."""
    try:
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                named = MEMBER.search(member.name)
                if named is None or named[2] != role or not member.isfile():
                    continue
                file = archive.extractfile(member)
                assert file is not None, "a regular file can be opened"
                yield named[1], member.name, _lines(path, member.name, file)
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise RetrialError(f"{path}: not a readable tar archive: {error}; {REMEDY}") from error


def _lines(path: Path, member: str, file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers, without the line feed that ends each."""
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise RetrialError(
                f"{path}: {member}: line {number} is longer than {LONGEST_LINE} bytes; {REMEDY}"
            )
        yield number, line.removesuffix(b"\n")


def _text(path: Path, member: str, number: int, raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RetrialError(
            f"{path}: {member}: line {number} is not UTF-8 at byte {error.start + 1}; {REMEDY}"
        ) from error

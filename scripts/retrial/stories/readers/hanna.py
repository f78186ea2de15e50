"""HANNA (Chhun et al. 2022): 96 WritingPrompts prompts, each with the story a person wrote.

One CSV file with a row for every model's story; prompt and human story stand in each of them.
The texts are partly cleaned: no `<newline>` is left, but blanks before `n't` are. The file has
no splits, so `valid` and `test` are drawn and the rest is `train`.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from retrial.errors import RetrialError
from retrial.items.split import shuffled
from retrial.items.text_lines import LineError, csv_rows, text_lines
from retrial.stories.pairs import Draw, Pair, draw_lines

COLUMNS = ("Prompt", "Human")
csv.field_size_limit(2**27)


def read(paths: Sequence[Path], *, source: str, draw: Draw) -> Iterator[Pair]:
    """The human stories, each once, in the order of the file; `source_line` is a row's line.

    Raises RetrialError for a file of another form, and when `valid` or `test` is not given.
    """
    pairs = [pair for path in paths for pair in _pairs(path, source)]
    yield from _split(pairs, draw)


def _split(pairs: Sequence[Pair], draw: Draw) -> Iterator[Pair]:
    if draw.valid is None or draw.test is None:
        raise RetrialError("hanna: the file has no splits; set `valid` and `test` of the story set")
    held_out = draw.valid + draw.test
    if held_out >= len(pairs):
        raise RetrialError(
            f"hanna: {held_out} pairs are held out of {len(pairs)}: nothing is left to train on"
        )
    order = shuffled([str(i) for i in range(len(pairs))], "pairs", "hanna", draw.seed)
    places = [int(i) for i in order]
    parts = {"valid": places[: draw.valid], "test": places[draw.valid : held_out]}
    rest = places[held_out:]
    parts["train"] = [rest[n - 1] for n in draw_lines("train", len(rest), draw)]
    split_of = {place: split for split, chosen in parts.items() for place in chosen}
    for place in sorted(split_of):
        yield replace(pairs[place], split=split_of[place])


def _pairs(path: Path, source: str) -> Iterator[Pair]:
    lines, faults = text_lines(path)
    if faults:
        raise RetrialError(f"{path}: line {faults[0].line} {faults[0].what}")
    try:
        yield from _rows(path, source, csv_rows(lines))
    except LineError as error:
        raise RetrialError(f"{path}: line {error.line} {error.what}") from error


def _rows(path: Path, source: str, rows: Iterator[tuple[int, list[str]]]) -> Iterator[Pair]:
    _, header = next(rows, (1, []))
    if missing := [name for name in COLUMNS if name not in header]:
        raise RetrialError(f"{path}: line 1: no column {missing[0]}; it has {', '.join(header)}")
    places = [header.index(name) for name in COLUMNS]
    seen = set()
    for line, row in rows:
        if len(row) != len(header):
            raise RetrialError(f"{path}: line {line}: {len(row)} fields, the header {len(header)}")
        prompt, story = (row[place] for place in places)
        if not prompt.strip() or not story.strip():
            raise RetrialError(f"{path}: line {line}: blank prompt or human story")
        if (prompt, story) not in seen:
            seen.add((prompt, story))
            yield Pair("all", prompt, story, f"{source}/{path.name}", line)

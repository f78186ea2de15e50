"""A user's own dialogues, with any number of raters, as JSON Lines, Parquet or CSV.

Columns: `id`; `turns`, a list of objects of `speaker` and `text` (in CSV a row a turn, with the
columns `speaker` and `text`); and, if wanted, `split` (train or test), `ratings` (an object of
rater and number, or a list), and `ratings_by` (who rated, where it was not people). Options name
the file's other columns: `rating_columns`, `strata_columns`, `ignored_columns`, each a text of
names joined by commas. A column that nobody names is an error, and so is everything else that
the format does not allow; all faults are told together, with line and key.

Ratings lie on the scale of the options `scale_low` and `scale_high` (1 and 5) and become
``1 + 4 * (rating - scale_low) / (scale_high - scale_low)``; a rating that changed says so in its
`reason`. The raters of a list are positions. Texts are verbatim but for line breaks, which are
read as line feeds. Either all dialogues are rated or none is; `leave_out_unrated` leaves out
those that are not. The user's `id` is kept as a stratum; item ids are digests of the content.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from retrial.errors import RetrialError
from retrial.items.base import Dialogue
from retrial.items.own import csv_file, json_lines, parquet
from retrial.items.own.check import Checker
from retrial.items.own.faults import Faults, Place
from retrial.items.own.options import OwnOptions, parse_options
from retrial.items.own.row import Row

FORMATS: dict[str, Callable[[Place, OwnOptions], Iterator[Row]]] = {
    ".jsonl": json_lines.rows,
    ".parquet": parquet.rows,
    ".csv": csv_file.rows,
}


def read(
    paths: Sequence[Path],
    *,
    source: str,
    strata: Mapping[str, str],
    options: Mapping[str, str | int | float | bool],
) -> list[Dialogue]:
    """The dialogues of all files in order; ids are unique over all of them.

    Raises RetrialError for a wrong option, a file that can't be read, and one with all faults
    of the files (the first 20, and how many more there are).
    """
    wanted = parse_options(options)
    _check_paths(paths)
    faults = Faults()
    checker = Checker(wanted, strata, faults)
    dialogues = [
        checker.dialogue(row, f"{source}/{path.name}")
        for path in paths
        for row in _rows(Place(faults, path), wanted)
    ]
    checker.finish(paths)
    faults.stop()
    rated = [dialogue for dialogue in dialogues if dialogue.ratings]
    return rated if rated and wanted.leave_out_unrated else dialogues


def _rows(start: Place, wanted: OwnOptions) -> Iterator[Row]:
    found, before = 0, start.faults.count
    for row in FORMATS[start.path.suffix.lower()](start, wanted):
        found += 1
        yield row
    if not found and start.faults.count == before:
        start.faults.add(str(start.path), "holds no dialogue")


def _check_paths(paths: Sequence[Path]) -> None:
    if not paths:
        raise RetrialError("own-dialogues: no files to read; list them under `paths`")
    for path in paths:
        if path.suffix.lower() not in FORMATS:
            known = ", ".join(FORMATS)
            raise RetrialError(f"{path}: unknown kind of file; its name must end in {known}")
    names = [path.name for path in paths]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise RetrialError(
            f"own-dialogues: two files are named {twice!r}; a line could not be traced: rename one"
        )

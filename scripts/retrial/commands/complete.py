"""Names of cells for the shell to complete, begun as they were typed."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RESULTS = Path("results")
LIGHT = ["table", "row", "column"]


def complete_cell(context: Any, incomplete: str) -> list[str]:
    """What cells' names may follow `incomplete`, in the folder of --root or near `results`.

    Case, spaces and the way that row parts are joined don't matter; what was typed is kept. A
    table that can't be read is left out: a shell has no place for errors.
    """
    given = (getattr(context, "params", None) or {}).get("root")
    roots = [Path(given)] if given else [RESULTS, *sorted(RESULTS.glob("*/"))]
    spaced = " " in incomplete
    found = (name for root in roots for name in _names(root, _fold(incomplete)))
    shown = (name if spaced else _without_spaces(name) for name in found)
    return list(dict.fromkeys(whole for name in shown if (whole := _completed(incomplete, name))))


def _completed(incomplete: str, name: str) -> str:
    """The name, begun as it was typed; empty where it begins otherwise."""
    wanted = _fold(incomplete)
    if not _fold(name).startswith(wanted):
        return ""
    known = max(end for end in range(len(name) + 1) if _fold(name[:end]) == wanted)
    return incomplete + name[known:]


def _names(root: Path, wanted: str) -> Iterator[str]:
    for path in sorted((root / "tables").glob("*.parquet")):
        table = _fold(path.stem)
        if table.startswith(wanted) or wanted.startswith(table):
            yield from _cells(path)


def _cells(path: Path) -> list[str]:
    from pyarrow import ArrowException
    from pyarrow.parquet import read_table

    try:
        columns = read_table(path, columns=LIGHT).to_pydict()
    except (OSError, ArrowException):
        return []
    keys = zip(*(columns[name] for name in LIGHT), strict=True)
    return [f"{table}[{row}].{column}" for table, row, column in keys]


def _without_spaces(name: str) -> str:
    """A form that a shell takes as one word: `retrial audit` reads `_` as a space."""
    return re.sub(r"\s+", "_", re.sub(r"\s*([/,])\s*", r"\1", name))


def _fold(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name.casefold().replace(",", "/"))

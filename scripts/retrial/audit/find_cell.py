"""Finding a cell by its name, forgivingly, or by the number that it prints."""

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from retrial.errors import RetrialError
from retrial.record import CELLS, read

TARGET = re.compile(r"\s*(?P<table>[^\[\]]+?)\s*\[(?P<row>.*)\]\s*\.?\s*(?P<column>[^\[\]]*?)\s*")
NEAR = 4
LIGHT = ["table", "row", "column"]


@dataclass(frozen=True)
class CellName:
    """A cell by its exact keys."""

    table: str
    row: str
    column: str

    def __str__(self) -> str:
        """TABLE[ROW].COLUMN."""
        return f"{self.table}[{self.row}].{self.column}"


def tables_of(root: Path) -> list[str]:
    """The tables of a results folder, sorted."""
    return sorted(p.stem for p in (root / "tables").glob("*.parquet"))


def names_of(root: Path, table: str) -> list[CellName]:
    """Every cell of a table, in reading order. Raises ContractError."""
    light = read(table_path(root, table), CELLS, LIGHT).to_pydict()
    return [CellName(*key) for key in zip(*(light[name] for name in LIGHT), strict=True)]


def table_path(root: Path, table: str) -> Path:
    """Where the cells of a table lie."""
    return root / "tables" / f"{table}.parquet"


def find_cell(root: Path, target: str) -> CellName:
    """The cell that `target` names: TABLE[ROW].COLUMN.

    Case, spaces, and whether row parts are joined by commas or slashes don't matter. Raises
    RetrialError that suggests the nearest names where there is no such cell, or several.
    """
    match = TARGET.fullmatch(target)
    if match is None:
        raise RetrialError(
            f"{target!r} names no cell; write TABLE[ROW].COLUMN, such as "
            "'jia2024_table2[CCPE / BM25-4].spearman'"
        )
    table = _one("table", match["table"], tables_of(root), f"in {root}{_elsewhere(root, match)}")
    names = names_of(root, table)
    row = _one("row", match["row"], list(dict.fromkeys(n.row for n in names)), f"in {table}")
    columns = [n.column for n in names if n.row == row]
    return CellName(table, row, _one("column", match["column"], columns, f"in {table}[{row}]"))


def folded(key: str) -> str:
    """A key without what does not tell keys apart."""
    parts = re.split(r"[,/]", key.casefold())
    return "/".join(re.sub(r"[\s_-]+", " ", part).strip() for part in parts)


def _one(kind: str, wanted: str, known: Sequence[str], where: str) -> str:
    if wanted in known:
        return wanted
    found = [key for key in known if folded(key) == folded(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        raise RetrialError(f"{kind} {wanted!r} may be {' or '.join(found)} {where}")
    near = _near(wanted, known)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else _known(known)
    raise RetrialError(f"there is no {kind} {wanted!r} {where}{hint}")


def _near(wanted: str, known: Iterable[str]) -> list[str]:
    by_fold = {folded(key): key for key in known}
    close = difflib.get_close_matches(folded(wanted), by_fold, n=NEAR, cutoff=0.5)
    inside = [f for f in by_fold if folded(wanted) and folded(wanted) in f]
    return [by_fold[f] for f in dict.fromkeys([*close, *inside])][:NEAR]


def _known(known: Sequence[str]) -> str:
    if not known:
        return "; there is none"
    more = " ..." if len(known) > 12 else ""
    return f"; there are: {', '.join(known[:12])}{more}"


def _elsewhere(root: Path, match: re.Match[str]) -> str:
    """A hint where the table lies in another root below this one."""
    wanted = folded(match["table"])
    if any(folded(table) == wanted for table in tables_of(root)):
        return ""
    found = [p.parent.parent for p in root.glob("*/tables/*.parquet") if folded(p.stem) == wanted]
    return f" (it is in {found[0]}: add --root {found[0]})" if found else ""


def cells_that_print(root: Path, text: str) -> list[tuple[CellName, str]]:
    """The cells that print `text`, as their own value or as the paper's, and which of the two."""
    from retrial.tables.format import print_value

    wanted, found = text.strip(), []
    columns = [*LIGHT, "value", "value_text", "format", "published"]
    for table in tables_of(root):
        for cell in pq.read_table(table_path(root, table), columns=columns).to_pylist():
            name = CellName(cell["table"], cell["row"], cell["column"])
            if (
                cell["value"] is not None and print_value(cell["value"], cell["format"]) == wanted
            ) or cell["value_text"] == wanted:
                found.append((name, "reproduced"))
            if cell["published"] == wanted:
                found.append((name, "published"))
    return found


def load_cell(root: Path, name: CellName) -> dict[str, Any]:
    """One cell. Raises ContractError for a damaged table, RetrialError when it stands twice."""
    every = [field.name for field in CELLS.fields]
    table = read(table_path(root, name.table), CELLS, every)
    rows = [r for r in table.to_pylist() if CellName(r["table"], r["row"], r["column"]) == name]
    if len(rows) != 1:
        raise RetrialError(f"{name} stands {len(rows)} times in its table")
    found: dict[str, Any] = rows[0]
    return found

"""What the renderings of a table print for one cell: its line of the CSV, its field of the HTML."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pyarrow as pa

from retrial.audit.find_cell import CellName, table_path
from retrial.audit.states import Link, State
from retrial.record import CELLS, from_rows, read

UNPRINTED = re.compile(r"<sup>.*?</sup>|<span class=\"sr\">.*?</span>|<[^>]*>", re.DOTALL)
"""Marks of notes, text for screen readers, and tags: they depend on the rest of the table."""


def rendering_links(root: Path, cell: Mapping[str, Any], description: Any) -> Iterator[Link]:
    """The cell in the table's CSV and HTML, against the cell itself; only those that are there.

    Other cells of a rendering may be damaged without harm to this one.
    """
    name = CellName(cell["table"], cell["row"], cell["column"])
    for suffix, reader in ((".csv", _csv_fault), (".html", _html_fault)):
        path = table_path(root, name.table).with_suffix(suffix)
        if path.is_file():
            place = f"tables/{path.name}"
            fault = reader(root, path, cell, description)
            state: State = "MISMATCH" if fault else "VERIFIED"
            yield Link(place, f"cell {name}", state, fault or "prints the same")


def _csv_fault(root: Path, path: Path, cell: Mapping[str, Any], description: Any) -> str:
    """Why the cell's line is not the one that the cell gives; empty when it is."""
    from retrial.tables.render.csv import render_csv

    expected = next(iter(_lines(render_csv(from_rows([cell], CELLS)))))
    key = (cell["row"], cell["column"])
    found = [line for line in _lines(_text(path)) if (line.get("row"), line.get("column")) == key]
    if len(found) != 1:
        return f"holds {len(found)} lines of it"
    other = [name for name, value in expected.items() if found[0].get(name) != value]
    return f"{other[0]} is {found[0].get(other[0])!r}, not {expected[other[0]]!r}" if other else ""


def _lines(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def _html_fault(root: Path, path: Path, cell: Mapping[str, Any], description: Any) -> str:
    """Why the cell's field does not show what the cell gives; empty when it does."""
    from retrial.tables.render.grid import build_grid

    grid = build_grid(_cells(root, cell["table"]), description)
    rows = (row for block in grid.blocks for row in block.rows if row.key == cell["row"])
    view = next(row.cells[cell["column"]] for row in rows if cell["column"] in row.cells)
    fields = re.findall(rf'<td id="{re.escape(view.anchor)}"[^>]*>(.*?)</td>', _text(path), re.S)
    if len(fields) != 1:
        return f"holds {len(fields)} fields of it"
    shown = _plain(unescape(UNPRINTED.sub("", fields[0])))
    expected = _plain(f"{view.text}{view.mark}{view.published}{view.interval}")
    return "" if shown == expected else f"shows {shown!r}, not {expected!r}"


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", errors="replace")


def _cells(root: Path, table: str) -> pa.Table:
    """The table's cells, each once: another cell may be damaged."""
    rows = read(table_path(root, table), CELLS, [field.name for field in CELLS.fields]).to_pylist()
    once = {(row["row"], row["column"]): row for row in rows}
    return from_rows(once.values(), CELLS)

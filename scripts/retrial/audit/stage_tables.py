"""Tables: every cell from ratings, consistency findings from print, renderings from cells."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from retrial.audit.compare import differences
from retrial.audit.digests import NOT_HERE
from retrial.audit.sidecars import digest
from retrial.audit.stage import Damage, Stage
from retrial.audit.states import Link
from retrial.record import CELLS
from retrial.tables.claims import PRINTED
from retrial.tables.selection import Selection, selections_of

if TYPE_CHECKING:
    from retrial.tables.select import Results

PRINT = ("published", "published_source", "verdict", "verdict_reason")
"""What of a cell comes from the papers' values."""


def recompute_table(stage: Stage) -> Iterator[Link]:
    """Every cell of a table, field by field."""
    from retrial.published import load_published
    from retrial.tables import declaration_of
    from retrial.tables.build import Bootstrap, Printed, build_cells
    from retrial.tables.select import Results

    statistics, printed = stage.job["statistics"], stage.outside
    rebuilt = build_cells(
        declaration_of(stage.job),
        stage.once("results", lambda: Results(stage.folder.root)),
        Printed.of([v for path in printed or [] for v in load_published(path)]),
        Bootstrap(statistics["resamples"], statistics["level"], statistics["seed"]),
    )
    yield from _cell_links(stage, rebuilt, () if printed is not None else PRINT)
    if printed is None:
        detail = f"the published values are {NOT_HERE}"
        yield stage.link("published values", "RECORDED", detail, checked=False)
    yield from _strangers(stage)


def _cell_links(stage: Stage, rebuilt: pa.Table, ignore: tuple[str, ...]) -> Iterator[Link]:
    recorded = stage.output(CELLS)
    if ignore:
        recorded, rebuilt = _without_print(recorded), _without_print(rebuilt)
    found = list(differences(recorded, rebuilt, CELLS, ignore))
    if not found:
        yield stage.link("cells recomputed", "VERIFIED", f"{recorded.num_rows:,} cells")
    for difference in found:
        name = f"cell {cell_key(difference.key)}"
        yield stage.link(name, "MISMATCH", difference.detail)


def _without_print(cells: pa.Table) -> pa.Table:
    """The cells that need no published value."""
    return cells.filter(pc.not_equal(pc.fill_null(cells["metric"], ""), PRINTED))


def cell_key(cell: Mapping[str, Any]) -> str:
    """How a cell is named on the command line."""
    return f"{cell['table']}[{cell['row']}].{cell['column']}"


def _strangers(stage: Stage) -> Iterator[Link]:
    """Files that cells were taken from but that the sidecar does not name."""
    listed = stage.output(CELLS)["selections"].to_pylist()
    files = {selection["file"] for selections in listed for selection in selections}
    for file in sorted(files - stage.sidecar.inputs.keys()):
        yield stage.link(f"input {file}", "MISMATCH", "cells use it, the sidecar does not name it")


def recompute_findings(stage: Stage) -> Iterator[Link]:
    """Every finding of a consistency table."""
    from retrial.tables.findings import finding_cells

    if not stage.outside:
        detail = f"the published values are {NOT_HERE}"
        yield stage.link("findings recomputed", "RECORDED", detail, checked=False)
        return
    recomputed = {}
    for place in stage.sidecar.inputs_in("tables"):
        for cell in stage.table(place, CELLS).to_pylist():
            if cell["value"] is not None:
                recomputed[cell["row"], cell["column"]] = cell["value"]
    findings = import_module(stage.job["plugins"][0]).findings
    found = findings(stage.outside[0].parent, recomputed)
    digests = {path.name: digest(path) for path in stage.outside}
    yield from _cell_links(stage, finding_cells(stage.job["table"], found, digests), ())


def recompute_rendering(stage: Stage) -> Iterator[Link]:
    """The CSV and the HTML of a table, byte by byte; a picture is only held to its digest."""
    from retrial.tables import declaration_of
    from retrial.tables.render.csv import render_csv
    from retrial.tables.render.html import render_html

    if stage.place.endswith(".png"):
        return
    cells = stage.first(CELLS, "tables")
    if stage.place.endswith(".csv"):
        text = render_csv(cells)
    else:
        text = render_html(cells, declaration_of(stage.job).description)
    recorded = (stage.folder.root / stage.place).read_bytes()
    if text.encode("utf-8") == recorded:
        yield stage.link("rendered again", "VERIFIED", f"{len(recorded):,} bytes")
    else:
        yield stage.link("rendered again", "MISMATCH", "is not what its cells render to")


@dataclass(frozen=True)
class Used:
    """A cell, and one damaged record that it uses."""

    cell: str
    record: tuple[str, ...]


def cells_using(stage: Stage, damage: Damage) -> Iterator[Used]:
    """The cells of a table whose selections hold a damaged record."""
    from retrial.tables import declaration_of
    from retrial.tables.select import Results

    results = stage.once("results", lambda: Results(stage.folder.root))
    declaration = declaration_of(stage.job)
    for spec in declaration.cells:
        parts = tuple(selections_of(spec.sample))
        used: set[Any] = set()
        for part in parts:
            used |= stage.once(("records", part, parts), partial(_records, part, parts, results))
        for record in sorted(used & damage)[:1]:
            key = {"table": declaration.table, "row": spec.row, "column": spec.column}
            yield Used(cell_key(key), record)


def _records(
    selection: Selection, parts: tuple[Selection, ...], results: "Results"
) -> set[tuple[str, ...]]:
    """The records behind a selection: its items, and the answers or human ratings."""
    judges = [part for part in parts if part.role == "judge"]
    selected = results.select(selection)
    if judges and selection.role == "human":
        asked = {item_id for judge in judges for item_id in results.select(judge).item_ids}
        kept = selected.within(sorted(asked))
        selected = kept if kept.rows.num_rows else selected  # recordings have items of their own
    names = ("item_id", "attribute", "rater", "request_id")
    columns = [selected.rows[name].to_pylist() for name in names]
    found: set[tuple[str, ...]] = set()
    for item, attribute, rater, request in zip(*columns, strict=True):
        found.add(("item", item))
        found.add(("request", request) if request else ("human", item, attribute, rater))
    return found

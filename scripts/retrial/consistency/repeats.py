"""Numbers printed more than once: cells that two tables share, and rows that are equal."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from retrial.consistency.finding import Finding
from retrial.consistency.grid import Grid

_FEWEST_CELLS = 3


def repeated_rows(grid: Grid, table: str) -> list[Finding]:
    """Rows of a table that agree in every cell.

    Only rows with the same columns at hand are compared, and only when at least three cells are
    at hand, since short rows agree by chance.
    """
    content = {
        row: {c: grid.value(table, row, c) for c in grid.columns(table) if grid.has(table, row, c)}
        for row in grid.rows(table)
    }
    groups: list[list[str]] = []
    for row in content:
        home = next((g for g in groups if content[g[0]] == content[row]), None)
        if home is None:
            groups.append([row])
        else:
            home.append(row)
    return [
        Finding(
            "identical-rows",
            table,
            tuple(rows),
            tuple(content[rows[0]]),
            "repeated",
            f"{' and '.join(rows)} agree in all {len(content[rows[0]])} cells.",
            {"cells": len(content[rows[0]]), "rows": len(rows)},
        )
        for rows in groups
        if len(rows) > 1 and len(content[rows[0]]) >= _FEWEST_CELLS
    ]


def printed_twice(grid: Grid, tables: Sequence[str]) -> list[Finding]:
    """Cells that two tables print for the same row and column: one finding per pair of tables.

    "contradicted" names the cells that differ; "supported" when all agree. Two cells agree when
    some number rounds to both. Pairs of tables that share no cell give nothing.
    """
    findings: list[Finding] = []
    for first, second in itertools.combinations(tables, 2):
        shared = [
            (row, column)
            for row in grid.rows(first)
            for column in grid.columns(first, row)
            if grid.has(first, row, column) and grid.has(second, row, column)
        ]
        if shared:
            findings += _pair_findings(grid, first, second, shared)
    return findings


def _pair_findings(
    grid: Grid, first: str, second: str, shared: list[tuple[str, str]]
) -> list[Finding]:
    differing = [cell for cell in shared if not _same(grid, first, second, cell)]
    pair = f"{first} and {second}"
    findings = [
        Finding(
            "printed-twice",
            pair,
            (row,),
            (column,),
            "contradicted",
            f"{row} {column} is {grid.cell(first, row, column).printed} in {first} and "
            f"{grid.cell(second, row, column).printed} in {second}.",
            {first: grid.value(first, row, column), second: grid.value(second, row, column)},
        )
        for row, column in differing
    ]
    agreeing = len(shared) - len(differing)
    if agreeing:
        same = [cell for cell in shared if cell not in differing]
        findings.append(
            Finding(
                "printed-twice",
                pair,
                tuple(dict.fromkeys(row for row, _ in same)),
                tuple(dict.fromkeys(column for _, column in same)),
                "supported",
                f"{agreeing} of {len(shared)} cells printed in both tables agree.",
                {"cells": len(shared), "agreeing": agreeing},
            )
        )
    return findings


def _same(grid: Grid, first: str, second: str, cell: tuple[str, str]) -> bool:
    # Ends are excluded: .35 and .36 share the end .355, but no rounding rule prints both.
    a, b = grid.box(first, *cell), grid.box(second, *cell)
    return max(a[0], b[0]) < min(a[1], b[1]) - 1e-9

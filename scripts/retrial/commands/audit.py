"""The command `retrial audit`: one cell's chain, the cells that print a value, or two runs."""

import re
from collections.abc import Callable
from json import dumps
from pathlib import Path

from retrial.audit.find_cell import TARGET, cells_that_print, find_cell, folded, tables_of
from retrial.audit.rows import Choice

RESULTS = Path("results")
Say = Callable[[str], object]


def home_of(target: str) -> Path:
    """The results folder that a cell is looked for in when none was named.

    `results`, or the one root below it that has the cell's table where `results` has not.
    """
    match = re.fullmatch(TARGET, target)
    table = folded(match["table"]) if match else ""

    def has(root: Path) -> bool:
        return any(folded(name) == table for name in tables_of(root))

    if has(RESULTS):
        return RESULTS
    inner = [root for root in sorted(RESULTS.glob("*/")) if has(root)]
    return inner[0] if len(inner) == 1 else RESULTS


def tell_values(root: Path | None, value: str, say: Say) -> None:
    """Say which cells print a value, as their own or as the paper's."""
    roots = [root] if root else [RESULTS, *sorted(RESULTS.glob("*/"))]
    for place in roots:
        for name, where in cells_that_print(place, value):
            say(f"{name}  {where}" if root else f"{name}  {where}, in {place}")


def tell_chain(root: Path | None, cell: str, choice: Choice, json: bool, say: Say) -> bool:
    """Say the chain of a cell; returns whether a link of it is broken."""
    from retrial.audit.chain import audit_cell

    place = root or home_of(cell)
    found = audit_cell(place, find_cell(place, cell), choice)
    if json:
        say(dumps(found.to_json(), sort_keys=True, ensure_ascii=False))
    else:
        from rich.console import Console

        from retrial.audit.show import show

        show(found, Console(highlight=False))
    return found.broken


def tell_difference(root: Path | None, other: Path, cell: str, json: bool, say: Say) -> bool:
    """Say what differs behind a cell in two runs; returns whether anything does."""
    from retrial.audit.diff import diff_cell, lines_of

    found = diff_cell(root or home_of(cell), other, cell)
    if json:
        say(dumps(found.to_json(), sort_keys=True, ensure_ascii=False))
    else:
        say("\n".join(lines_of(found)))
    return not found.identical

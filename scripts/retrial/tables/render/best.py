"""Which rows are the best of their block, column by column."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from retrial.tables.description import Description
from retrial.tables.format import print_value


def best_rows(
    records: Sequence[Mapping[str, Any]], description: Description
) -> set[tuple[str, str]]:
    """The (row, column) of the best measured or derived cells of each block.

    Only columns that the description names, and no reference rows. Rows that print the same as
    the best one are marked with it; where all print the same, or one row stands alone, none is.
    """
    contests: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for record in records:
        if _competes(record, description):
            contests[record["block"], record["column"]].append(record)
    found: set[tuple[str, str]] = set()
    for (_, column), rivals in contests.items():
        pick = max if description.best[column] == "high" else min
        winner = pick(rivals, key=lambda r: r["value"])
        same = [r for r in rivals if _printed(r) == _printed(winner)]
        if len(same) < len(rivals):
            found |= {(r["row"], column) for r in same}
    return found


def _competes(record: Mapping[str, Any], description: Description) -> bool:
    value = record["value"]
    return (
        record["column"] in description.best
        and record["row"] not in description.reference_rows
        and record["kind"] in ("measured", "derived")
        and value is not None
        and not math.isnan(value)
    )


def _printed(record: Mapping[str, Any]) -> str:
    return print_value(record["value"], record["format"])

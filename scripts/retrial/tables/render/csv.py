"""The cells of a table as CSV: one line a cell, with all that a reader of the number needs."""

import csv
import io
import json
import math
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from retrial.tables.format import UNDEFINED, print_value

COLUMNS = (
    "table", "row", "column", "block", "kind", "metric", "parameters", "value", "printed",
    "n", "excluded", "ci_low", "ci_high", "reason", "published", "published_source",
    "verdict", "verdict_reason", "inferred",
)  # fmt: skip


def render_csv(cells: pa.Table) -> str:
    r"""The table in long form, rows by `row_order`, then `column_order`; lines end in "\n".

    `value` keeps every digit; `printed` is what the table shows (a cell's text, where it holds
    text). What is undefined or absent is an empty field. `excluded` is a JSON object from status
    to count.
    """
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for record in sorted(cells.to_pylist(), key=lambda r: (r["row_order"], r["column_order"])):
        writer.writerow(_line(record))
    return out.getvalue()


def _line(record: Mapping[str, Any]) -> dict[str, Any]:
    printed = print_value(record["value"], record["format"])
    line = {
        **{name: record[name] for name in COLUMNS if name != "printed"},
        "printed": (record["value_text"] or "") if printed == UNDEFINED else printed,
        "excluded": json.dumps(dict(record["excluded"]), sort_keys=True),
        "inferred": "yes" if record["inferred"] else "no",
    }
    for name in ("value", "ci_low", "ci_high"):
        number = record[name]
        line[name] = "" if number is None or math.isnan(number) else repr(number)
    return {name: "" if value is None else value for name, value in line.items()}

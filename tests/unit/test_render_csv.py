"""CSV: one line a cell, which reads back to what the cells hold."""

import csv
import io
import json

from render_samples import big, cell, cells, claims

from retrial.tables.format import UNDEFINED, print_value
from retrial.tables.render.csv import COLUMNS, render_csv


def lines(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_every_cell_reads_back() -> None:
    table, _ = big()
    read = {(r["row"], r["column"]): r for r in lines(render_csv(table))}
    assert len(read) == table.num_rows
    for record in table.to_pylist():
        line = read[record["row"], record["column"]]
        for name in ("value", "ci_low", "ci_high"):
            assert (float(line[name]) if line[name] else None) == record[name]
        printed = print_value(record["value"], record["format"])
        assert line["printed"] == ("" if printed == UNDEFINED else printed)
        assert int(line["n"]) == record["n"]
        for name in ("published", "published_source", "verdict", "verdict_reason", "reason"):
            assert line[name] == (record[name] or "")


def test_text_with_quotes_commas_and_lines_survives() -> None:
    text = 'He said "4, out of 5";\nthen 日本語, \r and é'
    read = lines(render_csv(cells(cell("a, b", "claim", value_text=text))))
    assert read[0]["printed"] == text
    assert read[0]["row"] == "a, b"


def test_counts_left_out_are_json() -> None:
    table = cells(cell("a", "r", value=0.5, excluded=[("refusal", 3), ("no_number", 1)]))
    assert json.loads(lines(render_csv(table))[0]["excluded"]) == {"refusal": 3, "no_number": 1}


def test_order_header_and_line_ends() -> None:
    table = cells(
        cell("b", "s", row_order=1, column_order=1, value=0.4),
        cell("b", "r", row_order=1, column_order=0, value=0.3),
        cell("a", "r", row_order=0, column_order=0, value=0.2),
    )
    text = render_csv(table)
    assert text.splitlines()[0] == ",".join(COLUMNS)
    assert [(r["row"], r["column"]) for r in lines(text)] == [("a", "r"), ("b", "r"), ("b", "s")]
    assert "\r" not in text
    assert text.endswith("\n")


def test_sentences_are_printed_and_their_numbers_empty() -> None:
    table, _ = claims()
    read = [r for r in lines(render_csv(table)) if r["column"] == "verdict"]
    assert [r["printed"] for r in read] == ["supported", "contradicted", "not decidable"]
    assert {r["value"] for r in read} == {""}

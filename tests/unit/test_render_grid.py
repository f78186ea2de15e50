"""The grid: order, blocks, labels, best rows, anchors, footnotes."""

import random

import pytest
from render_samples import CONSTANT_REASON, big, cell, cells, claims

from retrial.tables.description import ColumnGroup, Description
from retrial.tables.render.cell import anchors
from retrial.tables.render.grid import Grid, RenderError, build_grid

PLAIN = Description("A table", (ColumnGroup("", (("r", "r"), ("s", "s"))),))


def best_of(grid: Grid, column: str) -> list[str]:
    rows = [row for block in grid.blocks for row in block.rows]
    return [row.key for row in rows if column in row.cells and row.cells[column].best]


def test_rows_follow_row_order_within_blocks_of_first_appearance() -> None:
    records = [
        cell("b / late", "r", block="b", row_order=5, value=0.1),
        cell("a / mid", "r", block="a", row_order=3, value=0.1),
        cell("b / early", "r", block="b", row_order=1, value=0.1),
        cell("a / last", "r", block="a", row_order=9, value=0.1),
    ]
    random.Random(1).shuffle(records)
    grid = build_grid(cells(*records), PLAIN)
    assert [(b.name, [row.label for row in b.rows]) for b in grid.blocks] == [
        ("b", ["early", "late"]),
        ("a", ["mid", "last"]),
    ]


def test_only_the_block_is_taken_from_a_label() -> None:
    records = [
        cell("CCPE / BM25-4 / other judge", "r", block="CCPE", value=0.1),
        cell("t0", "r", block="", row_order=1, value=0.2),
        cell("other / x", "r", block="CCPE", row_order=2, value=0.2),
    ]
    grid = build_grid(cells(*records), PLAIN)
    assert {row.key: row.label for block in grid.blocks for row in block.rows} == {
        "CCPE / BM25-4 / other judge": "BM25-4 / other judge",
        "t0": "t0",
        "other / x": "other / x",
    }


def test_columns_follow_the_description_then_the_unnamed_then_the_ledger() -> None:
    records = [
        cell("a", column, column_order=place, value=0.5)
        for place, column in enumerate(("n", "extra", "s", "r"))
    ]
    description = Description(
        "", (ColumnGroup("G", (("r", "R"), ("absent", "A"), ("s", "S"))),), (), (("n", "n"),)
    )
    grid = build_grid(cells(*records), description)
    assert [c.key for c in grid.columns] == ["r", "s", "extra", "n"]
    assert [group.ledger for group in grid.groups] == [False, False, True]


def test_best_of_each_block_leaves_out_references_and_undefined() -> None:
    description = Description(
        "", PLAIN.groups, best={"r": "high", "s": "low"}, reference_rows=frozenset({"x / ref"})
    )
    values = {
        "x / one": 0.2,
        "x / two": 0.704,
        "x / three": 0.698,
        "x / ref": 0.9,
        "x / none": None,
    }
    records = [
        cell(row, column, block="x", row_order=order, value=value)
        for order, (row, value) in enumerate(values.items())
        for column in ("r", "s")
    ]
    records.append(cell("y / alone", "r", block="y", row_order=9, value=0.99))
    grid = build_grid(cells(*records), description)
    assert best_of(grid, "r") == ["x / two", "x / three"]  # both print 0.70
    assert best_of(grid, "s") == ["x / one"]


def test_no_best_where_all_print_the_same() -> None:
    description = Description("", PLAIN.groups, best={"r": "high"})
    records = [cell(r, "r", value=v) for r, v in (("a", 0.501), ("b", 0.502))]
    assert best_of(build_grid(cells(*records), description), "r") == []


def test_equal_reasons_share_a_footnote() -> None:
    table, description = big()
    grid = build_grid(table, description)
    assert grid.reasons == (CONSTANT_REASON,)
    assert {c.note for c in grid.cells if c.undefined} == {1}


def test_text_columns_are_known() -> None:
    grid = build_grid(*claims())
    assert [(c.key, c.is_text) for c in grid.columns] == [
        ("claim", True), ("verdict", True), ("evidence", True), ("p", False),
    ]  # fmt: skip


def test_anchors_are_readable_and_never_meet() -> None:
    keys = [
        ("CCPE / BM25-4", "spearman"),
        ("ccpe bm25 4", "spearman"),
        ("t0.3", "x y"),
        ("t03", "x"),
    ]
    found = anchors(keys)
    assert found[keys[0]] == "ccpe-bm25-4--spearman"
    assert found[keys[1]] == "ccpe-bm25-4--spearman-2"
    assert found[keys[2]] == "t0.3--x-y"
    assert len(set(found.values())) == len(keys)


def test_two_tables_are_refused_by_name() -> None:
    mixed = cells(cell("a", "r", value=0.1), cell("a", "r", table="another", value=0.1))
    with pytest.raises(RenderError, match="another, test_table"):
        build_grid(mixed, PLAIN)

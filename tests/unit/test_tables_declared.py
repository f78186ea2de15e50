"""Every declared table of the shipped configuration: its cells, metrics and printed values."""

import json
from pathlib import Path
from typing import get_args

import pytest
import yaml

from retrial.config import load_config
from retrial.metrics import REGISTRY
from retrial.plan import Plan
from retrial.published import load_published
from retrial.tables import declaration_of
from retrial.tables.declare import Ledger
from retrial.tables.texts import Written

ROOT = Path(__file__).parents[2]
PLAN = Plan(load_config(yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))))
TABLES = [t for t in PLAN.config.tables if t not in PLAN.consistency_tables()]
WITHOUT_METRIC = (*get_args(Written), Ledger)
CHECKED_ELSEWHERE = "_as_printed"
"""Misprinted numbers, which the consistency table takes up."""


def declared(table: str):
    return declaration_of(PLAN.table_job(table))


@pytest.mark.parametrize("table", TABLES)
def test_no_cell_is_declared_twice_and_every_metric_exists(table):
    cells = declared(table).cells
    assert len({(c.row, c.column) for c in cells}) == len(cells) > 0
    measured = {c.metric for c in cells if not isinstance(c.sample, WITHOUT_METRIC)}
    assert measured <= REGISTRY.keys()


@pytest.mark.parametrize("table", TABLES)
def test_what_is_declared_can_be_described(table):
    found = declared(table)
    rows, columns = {c.row for c in found.cells}, {c.column for c in found.cells}
    shown = {key for group in found.description.groups for key, _ in group.columns}
    assert shown | {key for key, _ in found.description.ledger_columns} == columns
    assert found.description.reference_rows <= rows


@pytest.mark.parametrize("table", TABLES)
def test_a_job_read_back_from_a_sidecar_declares_the_same(table):
    """Sidecars hold parameters with sorted keys: the order of a table must rest on lists."""
    read_back = json.loads(json.dumps(PLAN.table_job(table), sort_keys=True))
    assert declaration_of(read_back) == declared(table)


@pytest.mark.parametrize("study", sorted({t.split("_")[0] for t in TABLES}))
def test_every_printed_value_of_a_declared_table_has_a_cell(study):
    declarations = [declared(t) for t in TABLES if t.startswith(study)]
    cells = {(d.paper_table, c.row, c.column) for d in declarations for c in d.cells}
    tables = {table for table, _, _ in cells}
    printed = {
        (f"{v.study}_{v.table}", v.row, v.column)
        for path in (ROOT / "data" / "published").glob(f"{study}*.csv")
        for v in load_published(path)
        if v.at_hand and not v.column.endswith(CHECKED_ELSEWHERE)
    }
    assert {key for key in printed if key[0] in tables} - cells == set()

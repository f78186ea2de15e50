"""The declaration of jia2024 Table 2."""

from pathlib import Path

import pytest
import yaml

from retrial.config import load_config
from retrial.errors import RetrialError
from retrial.metrics import REGISTRY
from retrial.plan import Plan
from retrial.published import load_published
from retrial.tables.declare import JudgeAgainstHuman, Ledger
from retrial.tables.jia2024_columns import COLUMNS, CORRELATIONS, LEDGER
from retrial.tables.jia2024_table2 import declare

ROOT = Path(__file__).parents[2]
TABLE = "jia2024_table2"
PUBLISHED = load_published(ROOT / "data" / "published" / f"{TABLE}.csv")
SHIPPED = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))


def job(**table):
    tables = {TABLE: {**SHIPPED["tables"][TABLE], **table}}
    config = {**SHIPPED, "tables": tables, "figures": {}, "make": [], "draw": []}
    config |= {"figures": {}, "draw": []}
    return Plan(load_config(config)).table_job(TABLE)


@pytest.fixture(scope="module")
def cells():
    return {(c.row, c.column): c for c in declare(job()).cells}


def test_every_printed_number_has_a_cell(cells):
    assert {(v.row, v.column) for v in PUBLISHED} <= cells.keys()


def test_every_printed_number_is_compared_as_another_sample_of_its_size(cells):
    sizes = {"CCPE": 50, "MWOZ": 100, "Redial": 100, "SGD": 100}
    for value in PUBLISHED:
        comparison = cells[value.row, value.column].comparison
        assert (comparison.kind, comparison.published_n) == (
            "new-sample",
            sizes[value.row.split(" /")[0]],
        )


def test_no_cell_is_declared_twice(cells):
    assert len(declare(job()).cells) == len(cells)


def test_every_metric_is_registered_and_classification_has_its_rules(cells):
    for cell in cells.values():
        if not isinstance(cell.sample, Ledger):
            assert cell.metric in REGISTRY
            rules = {} if cell.column in CORRELATIONS else {"human_threshold", "judge_rule"}
            assert set(cell.parameters) == set(rules)


def test_each_block_has_its_reference_rows(cells):
    rows = list(dict.fromkeys(row for row, _ in cells))
    for block in ("CCPE", "MWOZ", "Redial", "SGD"):
        own = [row for row in rows if row.startswith(f"{block} / ")]
        assert own[-2:] == [f"{block} / Human ceiling", f"{block} / Constant"]
        assert len(own) == 7 + 2 + 2
    assert declare(job()).description.reference_rows <= set(rows)


def test_random_rows_stand_both_ways(cells):
    printed = cells["CCPE / Random-4", "spearman"].sample
    pooled = cells["CCPE / Random-4 (mean rating)", "spearman"].sample
    assert isinstance(printed, JudgeAgainstHuman) and isinstance(pooled, JudgeAgainstHuman)
    assert (printed.replicates, pooled.replicates) == ("mean-of-metrics", "mean-rating")
    assert printed.judge == pooled.judge
    assert ("CCPE / BM25-4 (mean rating)", "spearman") not in cells


def test_judge_and_people_are_selected_on_the_test_split(cells):
    sample = cells["CCPE / BM25-4", "spearman"].sample
    assert sample.judge.file == "ratings/falcon-7b-instruct/uss-ccpe/in-context.parquet"
    assert dict(sample.judge.where) == {
        "attribute": "overall", "condition": "bm25-4", "reading": "expectation"
    }  # fmt: skip
    assert (sample.human.items, sample.human.split) == ("items/uss-ccpe.parquet", "test")
    constant = cells["CCPE / Constant", "macro_f1"].sample
    assert constant.training.split == "train"


def test_another_judge_has_rows_of_its_own_and_no_verdict():
    for judges in (["falcon-7b-instruct", "llama-7b"], ["llama-7b", "falcon-7b-instruct"]):
        found = {(c.row, c.column): c for c in declare(job(judges=judges)).cells}
        other = found["CCPE / BM25-4 / Llama-7b", "spearman"]
        assert other.comparison.kind == "none" and "Llama-7b" in other.comparison.reason
        paper = found["CCPE / BM25-4", "spearman"]
        assert paper.comparison.kind == "new-sample"
        assert "falcon-7b-instruct" in paper.sample.judge.file


def test_without_the_papers_judge_only_the_defect_rate_is_compared():
    found = {(c.row, c.column): c for c in declare(job(judges=["smollm2-135m"])).cells}
    assert found["CCPE / BM25-4", "spearman"].comparison.kind == "none"
    assert found["CCPE / BM25-4", "defect_rate"].comparison.kind == "new-sample"


def test_other_data_is_never_compared_with_the_papers():
    found = {(c.row, c.column): c for c in declare(job(datasets=["chitchat"])).cells}
    kinds = {c.comparison.kind for c in found.values() if c.comparison}
    assert kinds == {"none"}


def test_people_of_a_dataset_without_a_split_are_those_of_the_judged_items():
    found = {(c.row, c.column): c for c in declare(job(datasets=["chiang2023-stories"])).cells}
    sample = found["released stories / Zero-shot", "spearman"].sample
    assert (sample.human.items, sample.human.split) == (None, None)


@pytest.mark.parametrize("name", ["judges", "datasets", "experiments", "conditions"])
def test_an_empty_list_is_named(name):
    with pytest.raises(RetrialError, match=rf"tables\.{TABLE}: list at least one of {name}"):
        declare(job(**{name: []}))


def test_every_column_is_shown_and_labelled():
    description = declare(job()).description
    shown = [key for group in description.groups for key, _ in group.columns]
    assert tuple(shown) == COLUMNS
    assert [key for key, _ in description.ledger_columns] == [key for key, _, _ in LEDGER]
    assert set(description.best) == set(COLUMNS) - {"defect_rate"}

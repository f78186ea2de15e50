"""The audit of claims and of choices: contrasts, what rests on them, and what rests on print."""

import shutil
from pathlib import Path

import pytest
from claims_folder import folder, job

from retrial.audit.chain import audit_cell
from retrial.audit.find_cell import CellName
from retrial.audit.one_cell import open_cell
from retrial.audit.sidecars import open_folder
from retrial.audit.stage import Stage
from retrial.audit.stage_tables import cells_using, recompute_table
from retrial.published import load_published
from retrial.record import CELLS, from_rows, read
from retrial.record.sidecar import Run
from retrial.tables import declaration_of
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.select import Results

PUBLISHED = Path(__file__).parents[2] / "data" / "published"
CLAIMS, SENSITIVITY = "jia2024_claims", "jia2024_sensitivity"
LISTS = {
    CLAIMS: {"judges": ["llama", "llama-small", "llama-large"], "experiments": ["tuning"],
             "conditions": ["zero-shot"]},
    SENSITIVITY: {"judges": ["llama"], "experiments": ["tuning"], "conditions": ["zero-shot"]},
}  # fmt: skip


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Both tables of a few dialogues, made as the rule makes them, print in a file beside."""
    place = folder(tmp_path_factory.mktemp("audited") / "results", size=8)
    prints = place.parent / "printed"
    prints.mkdir()
    for number in (1, 2, 3, 4):
        shutil.copy(PUBLISHED / f"jia2024_table{number}.csv", prints)
    for table, lists in LISTS.items():
        wanted = job(table, **lists)
        files = sorted(prints.glob("*.csv"))
        printed = Printed.of([v for path in files for v in load_published(path)])
        statistics = wanted["statistics"]
        bootstrap = Bootstrap(statistics["resamples"], statistics["level"], statistics["seed"])
        cells = build_cells(declaration_of(wanted), Results(place), printed, bootstrap)
        inputs = (*sorted(place.glob("*/**/*.parquet")), *files)
        run = Run("build_table", place, inputs, wanted)
        run.write_table(place / "tables" / f"{table}.parquet", cells, CELLS)
    return place


def stage(root, table, damage=()):
    whole = open_folder(root)
    place = f"tables/{table}.parquet"
    return Stage(whole, next(s for s in whole.sidecars if s.place == place), set(damage))


@pytest.mark.parametrize(
    ("table", "row", "column"),
    [
        (CLAIMS, "tuning-raises-all", "difference"),
        (CLAIMS, "tuning-raises-all", "p"),
        (CLAIMS, "tuning-raises-all", "p_holm"),
        (CLAIMS, "tuning-raises-all", "held"),
        (CLAIMS, "tuning-raises-all", "verdict"),
        (CLAIMS, "tuning-raises-all", "printed"),
        (CLAIMS, "falcon-gain", "difference"),
        (SENSITIVITY, "Zero-shot / K of Eq. 2: 2", "spearman"),
        (SENSITIVITY, "Zero-shot / K of Eq. 2: 2", "spearman_change"),
        (SENSITIVITY, "Zero-shot / judge rule: lt-3.5", "macro_f1_change"),
        (SENSITIVITY, "Zero-shot / context budget: another", "pearson"),
    ],
)
def test_a_cell_is_made_again_alone(root, table, row, column):
    cell = open_cell(root, CellName(table, row, column))
    again = cell.recompute()
    for name in again.keys() - {"row_order", "column_order"}:
        assert again[name] == cell.recorded[name], name


def test_the_chain_of_a_verdict_leads_to_the_difference_and_its_p(root):
    audit = audit_cell(root, CellName(CLAIMS, "tuning-raises-all", "verdict"))
    behind = next(step for step in audit.steps if step.title == "derived from")
    assert set(behind.facts) == {"tuning-raises-all / difference", "tuning-raises-all / p_holm"}
    assert {link.state for link in behind.links} == {"VERIFIED"}


@pytest.mark.parametrize("table", LISTS)
def test_verify_makes_every_cell_again(root, table):
    assert {link.state for link in recompute_table(stage(root, table))} == {"VERIFIED"}


def test_another_verdict_is_found(root, tmp_path):
    moved = tmp_path / "results"
    shutil.copytree(root, moved)
    shutil.copytree(root.parent / "printed", tmp_path / "printed")
    path = moved / "tables" / f"{CLAIMS}.parquet"
    cells = read(path, CELLS).to_pylist()
    chosen = next(c for c in cells if (c["row"], c["column"]) == ("tuning-raises-all", "verdict"))
    chosen["value_text"] = "proved"
    inputs = stage(root, CLAIMS).sidecar.inputs
    files = tuple(
        p if (p := Path(name)).is_absolute() else moved / name.removeprefix("results/")
        for name in inputs
    )
    Run("build_table", moved, files, job(CLAIMS, **LISTS[CLAIMS])).write_table(
        path, from_rows(cells, CELLS), CELLS
    )
    broken = [k for k in recompute_table(stage(moved, CLAIMS)) if k.state == "MISMATCH"]
    assert len(broken) == 1 and "tuning-raises-all" in broken[0].what
    assert "proved" in broken[0].detail


def test_without_the_published_values_what_is_printed_is_only_on_record(root):
    here, away = root.parent / "printed", root.parent / "away"
    here.rename(away)
    try:
        links = list(recompute_table(stage(root, CLAIMS)))
        assert sorted(link.state for link in links) == ["RECORDED", "VERIFIED"]
        audit = audit_cell(root, CellName(CLAIMS, "tuning-raises-all", "printed"))
        value = next(step for step in audit.steps if step.title == "value")
        assert [link.state for link in value.links] == ["RECORDED"]
    finally:
        away.rename(here)


def test_damage_reaches_the_claims_that_use_the_record_and_no_others(root):
    damage = {("request", "llama-small-tuning-zero-shot-0-sgd-03")}
    used = {u.cell for u in cells_using(stage(root, CLAIMS, damage), damage)}
    rows = {name.split("[")[1].split("]")[0] for name in used}
    assert "tuning-raises-correlations" in rows and "larger-set-better" in rows
    assert "larger-is-better" not in rows and "few-shot-better" not in rows

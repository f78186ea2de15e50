"""The audit of pooled cells and of judges compared: each made again from all its files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dialogue_folder import LARGE, PEOPLE, SMALL, folder, job
from scipy import stats

from retrial.audit.find_cell import CellName
from retrial.audit.influence import influences
from retrial.audit.members import Members
from retrial.audit.one_cell import OneCell, open_cell
from retrial.audit.origins import Origins
from retrial.audit.rows import Choice, row_steps
from retrial.audit.sidecars import open_folder
from retrial.audit.stage import Stage
from retrial.audit.stage_tables import cells_using
from retrial.record import CELLS, read
from retrial.record.sidecar import Run
from retrial.report.model import ReportCell
from retrial.report.selections import Selections
from retrial.tables import declaration_of
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.declare import JudgeDifference
from retrial.tables.select import Results

MEANS = {i: np.mean(given) for people in PEOPLE.values() for i, given in people.items()}
PAIR = "Small-1b / Large-10b"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Table 1 and the table of judges, made as the rule makes them."""
    place = folder(tmp_path_factory.mktemp("audited") / "results")
    for table in ("jia2024_table1", "jia2024_judges"):
        wanted = job(table)
        statistics = wanted["statistics"]
        bootstrap = Bootstrap(statistics["resamples"], statistics["level"], statistics["seed"])
        cells = build_cells(declaration_of(wanted), Results(place), Printed.of([]), bootstrap)
        inputs = tuple(sorted(place.glob("*/**/*.parquet")))
        run = Run("build_table", place, inputs, wanted)
        run.write_table(place / "tables" / f"{table}.parquet", cells, CELLS)
    return place


def opened(root: Path, table: str, row: str, column: str) -> OneCell:
    return open_cell(root, CellName(table, row, column))


@pytest.mark.parametrize("table", ["jia2024_table1", "jia2024_judges"])
def test_every_cell_is_made_again_alone(root: Path, table: str) -> None:
    for recorded in read(root / "tables" / f"{table}.parquet", CELLS).to_pylist():
        cell = opened(root, table, recorded["row"], recorded["column"])
        again = cell.recompute()
        same = {k: v for k, v in again.items() if k not in ("row_order", "column_order")}
        assert same == {k: recorded[k] for k in same}


def test_the_influence_of_an_item_is_the_cell_without_it(root: Path) -> None:
    cell = opened(root, "jia2024_table1", "Small-1b", "pearson")
    scored = [i for i in SMALL if SMALL[i] is not None]
    for found in influences(cell):
        if found.item_id not in scored:
            assert found.moves == pytest.approx(0.0, abs=1e-12)
            continue
        kept = [i for i in scored if i != found.item_id]
        left = stats.pearsonr([SMALL[i] for i in kept], [MEANS[i] for i in kept]).statistic
        assert found.without == pytest.approx(left, abs=1e-12)
    assert {i.item_id for i in influences(cell)} == set(SMALL)


def test_the_influence_on_a_difference_is_that_on_both_judges(root: Path) -> None:
    cell = opened(root, "jia2024_judges", PAIR, "pearson")
    common = [i for i in SMALL if SMALL[i] is not None and LARGE[i] is not None]
    found = {i.item_id: i.without for i in influences(cell)}
    assert set(found) == set(common)
    for item_id, without in found.items():
        kept = [i for i in common if i != item_id]
        sides = [
            stats.pearsonr([judge[i] for i in kept], [MEANS[i] for i in kept]).statistic
            for judge in (SMALL, LARGE)
        ]
        assert without == pytest.approx(sides[0] - sides[1], abs=1e-12)
    assert influences(opened(root, "jia2024_judges", PAIR, "pearson_p")) == []


def shown(root: Path, choice: Choice) -> list[dict[str, Any]]:
    cell = opened(root, "jia2024_table1", "Small-1b", "spearman")
    members = [Members(root, selected, Origins(root)) for selected in cell.selected]
    return [dict(steps[0].facts) for steps in row_steps(cell, members, choice)]


def test_a_sample_of_ratings_is_drawn_from_a_rater_over_all_datasets(root: Path) -> None:
    """Two files of a judge and two of people: three ratings of each rater, not of each file."""
    facts = shown(root, Choice(sample=3))
    assert [f["judge"] for f in facts] == ["small"] * 3 + ["human"] * 3


def test_what_was_left_out_is_found_in_every_file(root: Path) -> None:
    (facts,) = shown(root, Choice(excluded=True))
    assert (facts["judge"], facts["status"]) == ("small", "no_rating_token")


@pytest.mark.parametrize("table", ["jia2024_table1", "jia2024_judges"])
def test_the_report_takes_every_selection_again(root: Path, table: str) -> None:
    selections = Selections(Results(root))
    specs = {(c.row, c.column): c for c in declaration_of(job(table)).cells}
    for record in read(root / "tables" / f"{table}.parquet", CELLS).to_pylist():
        spec = specs[record["row"], record["column"]]
        cell = ReportCell(record, None, "", spec)  # type: ignore[arg-type]
        taken = selections.of(cell)
        assert len(taken) == len(record["selections"])
        assert all(t.same for t in taken)
        if isinstance(spec.sample, JudgeDifference):
            assert len(taken) == 2 + 2 + 2


def test_damage_reaches_the_cells_that_use_the_record_and_no_others(root: Path) -> None:
    whole = open_folder(root)
    sidecar = next(s for s in whole.sidecars if s.place == "tables/jia2024_table1.parquet")
    damage = {("request", "large-tuning-f-0")}
    used = {u.cell for u in cells_using(Stage(whole, sidecar, damage), damage)}
    rows = {name.split("[")[1].split("]")[0] for name in used}
    assert rows == {"Large-10b"}
    damage = {("item", "f")}
    used = {u.cell for u in cells_using(Stage(whole, sidecar, damage), damage)}
    rows = {name.split("[")[1].split("]")[0] for name in used}
    assert rows == {"Small-1b", "Large-10b", "Human ceiling", "Constant"}

"""What differs behind one cell in two runs: each kind of change is told as what it is."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from exchange_jobs import CHECKOUT, DATASET, EXPERIMENT, JUDGE, TABLE, Jobs
from exchange_root import CONFIG, Project, make_project, synthetic_source
from typer.testing import CliRunner

from retrial.audit.diff import CellDiff, diff_cell, lines_of
from retrial.audit.find_cell import names_of
from retrial.cli import app
from retrial.errors import RetrialError
from retrial.record import Run

ZERO_SHOT = f"{TABLE}[CCPE / Zero-shot].spearman"
RATINGS = f"ratings/{JUDGE}/{DATASET}/{EXPERIMENT}.parquet"
KEY = ("item_id", "condition")
EVERY = 8
"""Cells of the table that are compared, spread over its rows and columns."""
Make = Callable[..., Project]


class OtherDice(Jobs):
    """A judge that answers otherwise to the same questions."""

    dice = 6


class OtherModel(Jobs):
    """The same answers by another revision."""

    facts = {**Jobs.facts, "revision": "r2"}  # noqa: RUF012


class OtherCode(Jobs):
    """Another version of one module behind the table."""

    def start(self, rule: str, *rest: Any) -> Run:
        run = super().start(rule, *rest)
        if rule == "build_table":
            run.code_digest, run.code["retrial.metrics.base"] = "0" * 16, "0" * 64
        return run


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    return lambda **how: make_project(tmp_path_factory.mktemp("diff") / "project", **how)


@pytest.fixture(scope="module")
def base(make: Make) -> Project:
    return make()


@pytest.fixture(scope="module")
def other_model(make: Make) -> Project:
    return make(jobs=OtherModel)


def diff(one: Project, other: Project, cell: str = ZERO_SHOT) -> CellDiff:
    return diff_cell(one.root, other.root, cell)


def differing(found: CellDiff) -> list[str]:
    assert not found.faults
    return [aspect.name for aspect in found.aspects if aspect.differs]


def aspect(found: CellDiff, name: str) -> Any:
    return next(a for a in found.aspects if a.name == name)


def scores(project: Project) -> dict[tuple[str, ...], float]:
    """The scores behind the cell, read without the audit."""
    rows = pq.read_table(project.root / RATINGS).to_pylist()
    return {tuple(row[name] for name in KEY): row["score"] for row in rows
            if row["condition"] == "zero-shot" and row["reading"] == "expectation"}  # fmt: skip


def test_cells_of_the_same_run_made_twice_are_identical(base: Project, make: Make) -> None:
    again = make()
    names = names_of(base.root, TABLE)
    for name in names[:: len(names) // EVERY]:
        found = diff(base, again, str(name))
        assert found.identical, list(lines_of(found))
    assert next(reversed(list(lines_of(found)))).startswith("identical")


def test_other_answers_to_the_same_questions_are_rows(base: Project, make: Make) -> None:
    other = make(jobs=OtherDice)
    found = diff(base, other)
    assert differing(found) == ["rows"] and not found.same_value
    ours, theirs = scores(base), scores(other)
    moved = {key: abs(ours[key] - theirs[key]) for key in ours if ours[key] != theirs[key]}
    rows = aspect(found, "rows")
    assert dict(rows.counts) == {"ratings differ": len(moved)}
    furthest = max(moved, key=lambda key: moved[key])
    assert furthest[0] in rows.examples[0]
    assert f"{ours[furthest]:.6g} | {theirs[furthest]:.6g}" in rows.examples[0]


def test_another_revision_is_the_model_and_nothing_else(
    base: Project, other_model: Project
) -> None:
    found = diff(base, other_model)
    assert differing(found) == ["model"] and found.same_value
    assert aspect(found, "model").examples == ("revision: r1 | r2",)


def test_another_parameter_is_named_by_its_leaf(base: Project, make: Make) -> None:
    statistics = {**CONFIG["statistics"], "resamples": 30}
    found = diff(base, make(changes={"statistics": statistics}))
    assert differing(found) == ["config"] and not found.same_value
    leaf = f"tables/{TABLE}.parquet: statistics.resamples: 20 | 30"
    assert aspect(found, "config").examples == (leaf,)


def test_other_code_is_named_by_its_module(base: Project, make: Make) -> None:
    found = diff(base, make(jobs=OtherCode))
    assert differing(found) == ["code"] and found.same_value
    (example,) = aspect(found, "code").examples
    assert "retrial.metrics.base" in example and "0" * 16 in example


def replaced(file: str, old: str, new: str) -> Callable[[Project], None]:
    """A change of one place in a file of the project's data, before the first job."""

    def change(project: Project) -> None:
        path = project.data / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")

    return change


def test_another_template_changes_every_prompt(base: Project, make: Make) -> None:
    found = diff(
        base,
        make(before=replaced("prompts/dialogue-overall.yaml", "Read the whole", "Read all of the")),
    )
    named = differing(found)
    assert named[:2] == ["config", "prompts"]
    prompts = aspect(found, "prompts")
    assert prompts.counts["prompts differ"] == len(scores(base))
    assert "template_sha256" in prompts.examples[0]


def test_a_changed_line_of_the_source_is_data(base: Project, make: Make) -> None:
    judged = {key[0] for key in scores(base)}
    items = pq.read_table(base.root / f"items/{DATASET}.parquet").to_pylist()
    said = next(i for i in items if i["item_id"] in judged)["turns"][0]["text"]
    text = synthetic_source()
    assert text.count(said) == 1
    found = diff(base, make(text=text.replace(said, f"{said} indeed")))
    assert differing(found)[:1] == ["data"] and "rows" in differing(found)
    data = aspect(found, "data")
    assert data.counts["sources differ"] == 1
    assert data.examples[0].startswith("source uss/sample.txt: ")
    assert sum(n for what, n in data.counts.items() if what.startswith("items")) > 0


def test_another_published_value_is_told_as_such(base: Project, make: Make) -> None:
    printed = (CHECKOUT / "data/published/jia2024_table2.csv").read_text(encoding="utf-8")
    (line,) = re.findall("jia2024,table2,CCPE / Zero-shot,spearman,[^,]+,", printed)
    other = ",".join([*line.split(",")[:4], "0.77", ""])
    assert other != line
    change = replaced("published/jia2024_table2.csv", line, other)
    found = diff(base, make(before=change))
    assert differing(found) == ["published value"] and found.same_value
    assert any(line.endswith("| 0.77") for line in aspect(found, "published value").examples)


def test_a_cell_that_one_run_lacks(base: Project, make: Make) -> None:
    table = {**CONFIG["tables"][TABLE], "conditions": ["zero-shot"]}
    other = make(changes={"tables": {TABLE: table}})
    cell = f"{TABLE}[CCPE / BM25-1].spearman"
    for one, two, lacking in ((base, other, 1), (other, base, 0)):
        found = diff(one, two, cell)
        assert found.values[lacking] is None and found.values[1 - lacking] is not None
        assert f"absent in {other.root}" in found.absent and not found.identical
        assert "config" in differing(found)
        assert "no such cell" in "\n".join(lines_of(found))
    with pytest.raises(RetrialError, match="there is no column"):
        diff(base, other, f"{TABLE}[CCPE / Zero-shot].nothing")


def test_a_table_that_one_run_lacks(base: Project, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    found = diff_cell(base.root, tmp_path / "empty", ZERO_SHOT)
    assert found.values[1] is None and not found.aspects
    assert list(lines_of(found))[-1] == "nothing to compare"
    with pytest.raises(RetrialError, match="no such results folder"):
        diff_cell(base.root, tmp_path / "nowhere", ZERO_SHOT)


def test_a_damaged_file_is_named_and_the_rest_is_compared(
    base: Project, other_model: Project, tmp_path: Path
) -> None:
    other = Project(tmp_path / "project")
    shutil.copytree(other_model.folder, other.folder)
    (other.root / RATINGS).write_bytes(b"damaged")
    found = diff(base, other)
    assert any("rows can't be compared" in fault for fault in found.faults)
    assert "published value" in [a.name for a in found.aspects] and not found.identical


def test_the_command_tells_both_and_exits_by_it(base: Project, other_model: Project) -> None:
    run = CliRunner()
    asked = ["audit", ZERO_SHOT, "--root", str(base.root), "--diff"]
    same = run.invoke(app, [*asked, str(base.root)])
    assert same.exit_code == 0 and "identical" in same.stdout
    told = run.invoke(app, [*asked, str(other_model.root)])
    assert told.exit_code == 1 and "revision: r1 | r2" in told.stdout
    plain = json.loads(run.invoke(app, [*asked, str(other_model.root), "--json"]).stdout)
    assert [a["name"] for a in plain["aspects"] if a["differs"]] == ["model"]
    assert plain["same_value"] and not plain["identical"]

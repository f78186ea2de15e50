"""The rules for failed answers on the released answers, against numpy alone."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from independent_chiang2023 import ATTRIBUTES, LISTS, Scores, independent_scores

from retrial.config import RecordingJudge, load_config
from retrial.judging.backends.recording import read_recording
from retrial.plan import RECORDED, Plan
from retrial.record import ITEMS, RATINGS, Run
from retrial.scoring.parsers import get
from retrial.scoring.ratings import rate_answers
from retrial.tables import declaration_of
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.select import Results

pytestmark = pytest.mark.realdata

JUDGE = "text-davinci-003"
CONFIG = Path(__file__).parents[2] / "config.yaml"
Values = dict[tuple[str, str], float]
RULES: dict[str, float] = {"default": np.nan, "failed as lowest": 1.0, "failed as middle": 3.0}


@pytest.fixture(scope="module")
def plan() -> Plan:
    """The configuration with this judge alone."""
    raw = yaml.safe_load(CONFIG.read_text("utf-8"))
    for table in raw["tables"].values():
        table["judges"] = [j for j in table.get("judges", []) if j == JUDGE]
        table["only"] = []
    return Plan(load_config(raw))


@pytest.fixture(scope="module")
def root(plan: Plan, mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The judge's released answers, read by both parsers."""
    folder = tmp_path_factory.mktemp("released")
    judge = plan.config.judges[JUDGE]
    assert isinstance(judge, RecordingJudge)
    paths = [mirror / judge.source / f.file for f in judge.files]
    items, prompts, answers = read_recording(JUDGE, judge, paths)
    parsers = {name: get(name) for name in ("chiang2023", "robust")}
    ratings = rate_answers(prompts, answers, top_k=5, low_mass=0.05, parsers=parsers)
    run = Run(rule="test", root=folder)
    run.write_table(folder / f"items/{judge.family}.parquet", items, ITEMS)
    place = f"ratings/{JUDGE}/{judge.family}/{RECORDED}.parquet"
    run.write_table(folder / place, ratings, RATINGS)
    return folder


@pytest.fixture(scope="module")
def policies(root: Path, plan: Plan) -> Values:
    return built("chiang2023_parse-policies", root, plan)


def built(table: str, root: Path, plan: Plan) -> Values:
    cells = build_cells(
        declaration_of(plan.table_job(table)), Results(root), Printed.of([]), Bootstrap(2, 0.95, 1)
    )
    kept = (c for c in cells.to_pylist() if c["value"] is not None)
    return {(c["row"], c["column"]): c["value"] for c in kept}


def test_the_default_rule_gives_the_numbers_of_table_3(
    root: Path, plan: Plan, policies: Values
) -> None:
    found = built("chiang2023_table3", root, plan)
    compared = {key: policies.get((f"{key[0]} / default", key[1])) for key in found}
    assert {key: value for key, value in compared.items() if value is not None} == found
    assert len(found) == 3 * len(LISTS) * len(ATTRIBUTES) * 3


@pytest.mark.parametrize("rule", RULES)
def test_failed_answers_count_as_the_rule_says(
    mirror: Path, plan: Plan, policies: Values, rule: str
) -> None:
    judge = plan.config.judges[JUDGE]
    assert isinstance(judge, RecordingJudge)
    failed = 0
    for file in judge.files:
        for cell, raw in independent_scores(mirror / judge.source / file.file).items():
            row, column = f"{JUDGE} / {file.condition} / {cell[0]} / {rule}", f"{cell[1]}_"
            scores: Scores = np.where(np.isnan(raw), RULES[rule], raw)
            assert policies[row, f"{column}mean"] == pytest.approx(np.nanmean(scores), abs=1e-12)
            assert policies[row, f"{column}sd"] == pytest.approx(np.nanstd(scores), abs=1e-12)
            if rule != "default":
                shift = np.nanmean(scores) - np.nanmean(raw)
                key = (f"{row}, shift", f"{column}mean")
                assert policies[key] == pytest.approx(shift, abs=1e-12)
            failed += int(np.isnan(raw).sum())
    assert failed == 4


def test_the_other_parser_reads_every_answer_alike(policies: Values) -> None:
    shifts = {k: v for k, v in policies.items() if k[0].endswith("robust parser, shift")}
    assert len(shifts) == 3 * len(LISTS) * len(ATTRIBUTES) * 4
    assert set(shifts.values()) == {0.0}

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from retrial.cli import app
from retrial.config import load_config
from retrial.errors import RetrialError
from retrial.estimate.config_files import configured, merge
from retrial.estimate.machines import GPUS, gpus_needed, hours, memory_gb
from retrial.estimate.show import as_json, estimate, lines
from retrial.estimate.workload import Workload
from retrial.plan import Plan

PROJECT = Path(__file__).parents[2]
A100 = next(gpu for gpu in GPUS if gpu.name.startswith("A100"))
VALUES = st.recursive(
    st.integers() | st.lists(st.integers(), max_size=2),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, min_size=1, max_size=3),
    max_leaves=8,
)
CONFIGS = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3)


@given(CONFIGS, CONFIGS)
def test_overlays_merge_as_snakemake_merges_them(below: dict, above: dict) -> None:
    from snakemake.utils import update_config

    theirs = {**below}
    update_config(theirs, above)
    assert merge(below, above) == theirs


def test_a_profile_is_read_with_its_overlay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    assert configured(Path("profiles/released")).results == "results/released"


def test_a_missing_profile_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RetrialError, match=r"config\.yaml: there is no such file"):
        configured(None)


def small_plan(tmp_path: Path, dialogues: int = 10) -> Plan:
    """A judge, ten dialogues of 400 characters, half of them for training."""
    rows = [
        {"id": str(n), "split": "test" if n % 2 else "train", "ratings": [3],
         "turns": [{"speaker": "U", "text": chr(97 + n) * 396}]}
        for n in range(dialogues)
    ]  # fmt: skip
    file = tmp_path / "own.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    raw = yaml.safe_load((PROJECT / "config.yaml").read_text(encoding="utf-8"))
    sampling = {"samples": 3, "answer_tokens": 50}
    overlay = {
        "results": str(tmp_path / "results"),
        "prompts": str(PROJECT / "data/prompts"),
        "datasets": {"own": {"reader": "own-dialogues", "label": "Own", "paths": [str(file)],
                             "raters": "positions"}},
        "conditions": {"free": {"label": "Free", "template": "dialogue-rating-first",
                                "method": "generation", "sampling": sampling}},
        "experiments": {"all": {"attributes": ["overall"],
                                "conditions": ["zero-shot", "random-4", "free"]}},
        "tables": {"jia2024_table2": {"judges": ["llama-7b"], "datasets": ["own"],
                                      "experiments": ["all"],
                                      "conditions": ["zero-shot", "random-4"]}},
    }  # fmt: skip
    return Plan(load_config(merge(raw, overlay)))


def test_prompts_and_tokens_are_counted_from_the_items(tmp_path: Path) -> None:
    (asking,) = Workload(small_plan(tmp_path)).askings(["jia2024_table2"])
    # Five test dialogues: once without examples, in three draws of four, once in free text.
    assert asking.prompts == 5 + 3 * 5 + 5
    assert asking.answer_tokens == 5 * 3 * 50
    characters = 5 * 400 + 15 * 5 * 400 + 5 * 400
    assert asking.prompt_tokens is not None
    instructions = asking.prompt_tokens - characters / 4
    assert 0 < instructions < 25 * 600


def test_a_dataset_that_is_not_here_is_said(tmp_path: Path) -> None:
    plan = small_plan(tmp_path)
    (tmp_path / "own.jsonl").unlink()
    (found,) = estimate(Workload(plan), ["jia2024_table2"])
    assert "not counted, since not downloaded: own" in found.note


def test_the_table_names_every_judge_once_and_states_its_assumptions(tmp_path: Path) -> None:
    found = estimate(Workload(small_plan(tmp_path)), ["jia2024_table2"])
    text = "\n".join(lines(found))
    assert text.count("llama-7b") == 2
    assert "at 40% of the GPU's peak" in text
    assert as_json(found)["judges"][0]["prompts"] == 25


def test_recordings_are_asked_nothing(tmp_path: Path) -> None:
    assert Workload(small_plan(tmp_path)).askings(["chiang2023_table1"]) == []


def test_memory_and_time_follow_the_stated_arithmetic() -> None:
    assert memory_gb(7, "bfloat16") == pytest.approx(7 * 2 * 1.15 + 2)
    assert gpus_needed(7, "bfloat16", A100) == 1
    assert gpus_needed(40, "bfloat16", A100) == 2
    reading = 1e6 * 2 * 7e9 / (312e12 * 0.4) / 3600
    assert hours(7, "bfloat16", 10**6, 0, A100) == pytest.approx(reading)
    writing = 8000 / 8 * 14e9 / (2039e9 * 0.5) / 3600
    assert hours(7, "bfloat16", 0, 8000, A100) == pytest.approx(writing)


def test_the_command_tells_a_table_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    done = CliRunner().invoke(app, ["plan", "jia2024_table22"])
    assert done.exit_code == 1
    assert "did you mean 'jia2024_table2'?" in done.output


def test_the_command_plans_the_recordings_as_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    done = CliRunner().invoke(app, ["plan", "--profile", "profiles/released", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["judges"] == []

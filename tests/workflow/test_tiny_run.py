"""A whole small run on real dialogues with real packaged models, and what a second run does."""

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from checkout import Checkout

pytestmark = [pytest.mark.workflow, pytest.mark.model]
ROOT = Path("results/tiny")
TABLE = ROOT / "tables/jia2024_table2"


def test_the_table_is_filled(tiny_run: Checkout) -> None:
    cells = pq.read_table(tiny_run.folder / f"{TABLE}.parquet").to_pylist()
    rows = {cell["row"] for cell in cells}
    conditions = ("Zero-shot", "Random-1", "BM25-1", "BERT-1", "Random-4", "BM25-4", "BERT-4")
    assert {f"Chitchat / {name}" for name in conditions} < rows
    assert {"Chitchat / Human ceiling", "Chitchat / Constant"} < rows
    for cell in cells:
        assert cell["value"] is not None or cell["reason"], cell
    ceiling = [c for c in cells if c["row"] == "Chitchat / Human ceiling"]
    assert {c["reason"] for c in ceiling} == {"one rating an item: nobody to compare it with"}
    scored = {c["value"] for c in cells if c["column"] == "items_scored"}
    assert scored == {4.0}


TABLES = ("table1", "table2", "table3", "table4", "judges", "claims", "sensitivity")
FIGURES = ("figure1", "figure2", "model-size", "training")


@pytest.mark.parametrize("name", TABLES)
def test_every_cell_has_a_value_or_says_why_not(tiny_run: Checkout, name: str) -> None:
    cells = pq.read_table(tiny_run.folder / ROOT / f"tables/jia2024_{name}.parquet").to_pylist()
    for cell in cells:
        assert cell["value"] is not None or cell["value_text"] or cell["reason"], cell
    assert any(cell["value"] is not None for cell in cells)


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_drawn_from_points(tiny_run: Checkout, name: str) -> None:
    path = tiny_run.folder / ROOT / f"figures/jia2024_{name}.parquet"
    assert pq.read_metadata(path).num_rows > 0
    assert path.with_suffix(".png").read_bytes().startswith(b"\x89PNG")


def test_a_tuned_judge_answers_with_its_adapter(tiny_run: Checkout) -> None:
    judge = "smollm2-135m-sft-small"
    lock = json.loads((tiny_run.folder / ROOT / f"adapters/{judge}/adapter.json").read_text())
    answers = tiny_run.folder / ROOT / f"answers/{judge}/chitchat/tuning.parquet"
    asked = {
        json.loads(text)["adapter_digest"] for text in pq.read_table(answers)["asked"].to_pylist()
    }
    assert asked == {lock["digest"]}
    log = pq.read_table(tiny_run.folder / ROOT / f"adapters/{judge}/training.parquet")
    assert set(log["split"].to_pylist()) == {"train", "held-out"}


def test_every_rendering_is_there(tiny_run: Checkout) -> None:
    html = (tiny_run.folder / f"{TABLE}.html").read_text(encoding="utf-8")
    assert "test the plumbing, not the science" in html
    png = (tiny_run.folder / f"{TABLE}.png").read_bytes()
    assert png.startswith(b"\x89PNG") and len(png) > 50_000
    assert (tiny_run.folder / f"{TABLE}.csv").read_text(encoding="utf-8").count("\n") > 100


def test_every_result_has_a_true_sidecar(tiny_run: Checkout) -> None:
    for options in (["--quick"], []):
        done = tiny_run.retrial("verify", str(ROOT), *options)
        assert done.returncode == 0, done.stdout
        assert " 0 broken" in done.stdout
    sidecar = json.loads((tiny_run.folder / f"{TABLE}.parquet.prov.json").read_text())
    assert sidecar["parameters"]["statistics"]["label_rule"] == "mean"
    assert re.fullmatch("[0-9a-f]{64}", sidecar["job"]["lock_sha256"])
    assert "retrial.metrics.correlation" in sidecar["job"]["code"]


@pytest.mark.parametrize("row", ["zero-shot", "Random-4", "constant"])
def test_a_printed_number_is_audited_back_to_its_line(tiny_run: Checkout, row: str) -> None:
    cell = f"jia2024_table2[Chitchat, {row}].weighted_f1"
    done = tiny_run.retrial("audit", cell, "--root", str(ROOT), "--sample", "1", "--json")
    assert done.returncode == 0, done.stdout
    found = json.loads(done.stdout)
    assert found["counts"].get("MISMATCH", 0) == found["counts"].get("MISSING", 0) == 0
    assert found["counts"]["VERIFIED"] >= 4
    titles = [step["title"] for row in found["rows"] for step in row]
    assert "item" in titles
    if row != "constant":
        assert "what was asked" in titles


def test_a_second_run_has_nothing_to_do(tiny_run: Checkout) -> None:
    assert "Nothing to be done" in tiny_run.snakemake("tiny")


def test_a_moved_copy_verifies_without_downloads(tiny_run: Checkout, tmp_path: Path) -> None:
    import shutil

    moved = tmp_path / "elsewhere"
    shutil.copytree(tiny_run.folder / ROOT, moved)
    assert tiny_run.retrial("verify", str(moved)).returncode == 0
    target = moved / "tables/jia2024_table2.parquet"
    data = bytearray(target.read_bytes())
    data[len(data) // 2] ^= 1
    target.write_bytes(data)
    broken = tiny_run.retrial("verify", str(moved))
    assert broken.returncode == 1
    assert "MISMATCH  tables/jia2024_table2.parquet" in broken.stdout
    target.unlink()
    assert "MISSING  tables/jia2024_table2.parquet" in tiny_run.retrial("verify", str(moved)).stdout

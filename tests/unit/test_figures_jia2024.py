"""Figures of jia2024: points are cells, ratings, losses and templates; pictures are of points."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from core_rows import cell, human, item, write

from retrial.errors import RetrialError
from retrial.figures import figure_of
from retrial.figures import jia2024_figure1 as pipelines
from retrial.figures.flow import Box
from retrial.figures.jia2024_training import MEAN, running_mean
from retrial.figures.style import to_png
from retrial.judging.templates import load_template
from retrial.record import FIGURE_POINTS, from_rows
from retrial.tables.select import Results

PROMPTS = Path(__file__).parents[2] / "data" / "prompts"
SAMPLING = {"temperature": 0.7, "answer_tokens": 256, "samples": 3}


def points_of(job: dict[str, Any], cells: Any = (), root: Path = Path()) -> list[dict[str, Any]]:
    module = figure_of(job)
    points = module.points(job, list(cells), Results(root))
    assert from_rows(points, FIGURE_POINTS).num_rows == len(points)
    first = to_png(module.draw(points))
    assert first.startswith(b"\x89PNG")
    assert first == to_png(module.draw(points))
    return points


# Correlation against parameters.

JUDGES = {"a": "Alpaca-7b", "b": "Alpaca-13b", "s": "SmolLM2-135M-Instruct", "u": "Unknown"}
SIZES = {"a": 7.0, "b": 13.0, "s": 0.135}


def size_cells() -> list[dict[str, Any]]:
    printed = {"Alpaca-7b": "0.47"}
    return [
        {**cell(row, column), "value": value, "ci_low": value - 0.1, "ci_high": value + 0.1,
         "published": printed.get(row), "n": 40}
        for column in ("spearman", "pearson")
        for row, value in {**dict.fromkeys(JUDGES.values(), 0.2), "Human ceiling": 0.6}.items()
    ]  # fmt: skip


def test_model_size_draws_the_cells_at_their_sizes() -> None:
    job = {"figure": "jia2024_model-size", "judges": JUDGES, "parameters_billion": SIZES}
    cells = size_cells()
    points = points_of(job, cells)
    measured = {(c["row"], c["column"]): (c["value"], c["ci_low"], c["ci_high"]) for c in cells}
    drawn = [p for p in points if "printed" not in p["series"]]
    assert {(p["note"], p["panel"]): (p["value"], p["ci_low"], p["ci_high"]) for p in drawn} == {
        key: value for key, value in measured.items() if key[0] != "Unknown"
    }
    assert {(p["series"], p["x"]) for p in drawn} == {
        ("Alpaca", "7"), ("Alpaca", "13"), ("SmolLM2-Instruct", "0.135"), ("Human ceiling", ""),
    }  # fmt: skip
    printed = [p for p in points if "printed" in p["series"]]
    assert {(p["series"], p["x"], p["value"], p["ci_low"]) for p in printed} == {
        ("Alpaca, as printed", "7", 0.47, None)
    }
    assert printed[0]["cell"] == "a_b[Alpaca-7b].spearman"


def test_judges_of_one_family_and_size_keep_series_of_their_own() -> None:
    judges = {"a": "Tiny-1b", "b": "Tiny-1.0b"}
    job = {"figure": "jia2024_model-size", "judges": judges, "parameters_billion": {"a": 1, "b": 1}}
    ends = {"ci_low": 0.4, "ci_high": 0.6, "published": None}
    cells = [{**cell(label, "spearman"), **ends} for label in judges.values()]
    assert {p["series"] for p in points_of(job, cells)} == {"Tiny-1b", "Tiny-1.0b"}


def test_an_undefined_correlation_leaves_a_gap() -> None:
    job = {"figure": "jia2024_model-size", "judges": JUDGES, "parameters_billion": SIZES}
    nothing = {"value": None, "ci_low": None, "ci_high": None}
    points = points_of(job, [{**c, **nothing, "published": None} for c in size_cells()])
    assert {p["value"] for p in points} == {None}


# Distributions of ratings.


def test_figure2_counts_rounded_means(tmp_path: Path) -> None:
    """Test means 1.5, 2.5, 3, 4.4 round to 2, 3, 3, 4; the training labels are 2, 2, 4, 4."""
    people = {"a": (1, 2), "b": (2, 3), "c": (3,), "d": (4, 4, 5, 4, 5), "t": (1, 1)}
    rows = [item(i, "train" if i == "t" else "test") for i in people]
    write(tmp_path, "items/d.parquet", "items", *rows)
    rated = [human(i, str(n), float(s)) for i, given in people.items() for n, s in enumerate(given)]
    write(tmp_path, "ratings/human/d.parquet", "ratings", *rated)
    drawn = [
        {"set": "small", "item_id": f"t{n}", "dataset": "d", "label": float(label),
         "likert": label, "binary": int(label > 3), "order": n, "draw": "near-test"}
        for n, label in enumerate((2, 2, 4, 4))
    ]  # fmt: skip
    write(tmp_path, "training/small.parquet", "training_sets", *drawn)
    job = {"figure": "jia2024_figure2", "spec": {"datasets": ["d"]},
           "training_sets": {"small": "small train"}}  # fmt: skip
    points = points_of(job, root=tmp_path)
    shares = {(p["panel"], p["x"]): p["value"] for p in points}
    assert [shares["small train", str(r)] for r in range(1, 6)] == [0, 0.5, 0, 0.5, 0]
    assert [shares["test", str(r)] for r in range(1, 6)] == [0, 0.25, 0.5, 0.25, 0]
    assert {p["panel"]: p["n"] for p in points} == {"small train": 4, "test": 4}
    assert {p["note"] for p in points} == {None, "drawn: near-test\ndistance to test 0.500"}


# Losses.


def losses(tuning: str, split: str, *values: float) -> list[dict[str, Any]]:
    return [
        {"tuning": tuning, "step": step, "epoch": step / 4, "split": split, "loss": value,
         "rate": 1e-4, "tokens": 10, "seconds": 1.0, "tokens_per_second": 10.0}
        for step, value in enumerate(values, start=1)
    ]  # fmt: skip


def test_training_draws_every_loss_and_the_mean_of_the_last_ones(tmp_path: Path) -> None:
    train = [4.0, 2.0, 3.0, 1.0, 2.0, 0.0, 1.0, 1.0]
    rows = losses("small", "train", *train) + losses("small", "held-out", 3.0, 1.5)
    for tuning in ("small", "large"):
        log = [{**row, "tuning": tuning} for row in rows]
        write(tmp_path, f"adapters/{tuning}/training.parquet", "training_log", *log)
    job = {"figure": "jia2024_training", "spec": {"tunings": ["small", "large"]}}
    points = [p for p in points_of(job, root=tmp_path) if p["panel"] == "large"]
    drawn = {s: [p["value"] for p in points if p["series"] == s] for s in (MEAN, "held-out")}
    assert drawn[MEAN] == [4.0, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5, 1.0]
    assert drawn["held-out"] == [3.0, 1.5]
    assert {p["n"] for p in points if p["series"] == MEAN} == {2}
    assert [p["value"] for p in points if p["series"] == "train"] == train


@pytest.mark.parametrize("size", [0, 1, 3, 200])
def test_a_running_mean_ends_in_the_mean_of_its_window(size: int) -> None:
    values = np.arange(size, dtype=np.float64)
    means, window = running_mean(values)
    assert means.size == size
    assert window == max(1, min(20, size // 4))
    if size:
        assert means[-1] == pytest.approx(values[-window:].mean())
        assert means[0] == values[0]


# The pipelines.


def pipelines_job(**conditions: dict[str, Any]) -> dict[str, Any]:
    shown = {
        "zero-shot": {"label": "Zero-shot", "template": "dialogue-overall", "method": "logits",
                      "sampling": None},
        "rating-first": {"label": "Rating-first", "template": "dialogue-rating-first",
                         "method": "generation", "sampling": SAMPLING},
        "analysis-first": {"label": "Analysis-first", "template": "dialogue-analysis-first",
                           "method": "generation", "sampling": SAMPLING},
    }  # fmt: skip
    return {"figure": "jia2024_figure1", "spec": {}, "folder": PROMPTS.as_posix(),
            "conditions": conditions or shown}  # fmt: skip


def test_pipelines_show_the_wording_of_the_templates() -> None:
    points = points_of(pipelines_job())
    prompts = {p["series"]: p["note"] for p in points if p["x"] == "prompt"}
    assert list(prompts) == ["Zero-shot", "Rating-first", "Analysis-first"]
    for series, name in (("Zero-shot", "overall"), ("Analysis-first", "analysis-first")):
        template = load_template(PROMPTS, f"dialogue-{name}")
        shown = prompts[series].replace("\n", " ")
        assert shown.startswith(" ".join(template.instruction.split())[:100])
        assert shown.endswith(template.cue)
    assert [p["x"] for p in points if p["panel"] == "logits"] == [
        "prompt", "judge", "answer", "reader", "score"
    ]  # fmt: skip


def test_pipelines_name_the_rating_tokens_and_the_sampling() -> None:
    notes = {(p["panel"], p["x"]): p["note"] for p in points_of(pipelines_job())}
    assert "p(1)   p(2)   p(3)   p(4)   p(5)" in notes["logits", "answer"]
    expected = "temperature 0.7, at most 256 tokens, 3 answers a prompt"
    assert notes["generation", "judge"] == expected


def test_pipelines_show_a_test_dialogue_of_the_first_dataset(tmp_path: Path) -> None:
    long = "a word " * 30
    rows = [item("t", "train"), item("a", turns=[{"speaker": "USER", "text": long}])]
    write(tmp_path, "items/d.parquet", "items", *rows)
    job = {**pipelines_job(), "spec": {"datasets": ["d"]}}
    prompt = next(p["note"] for p in points_of(job, root=tmp_path) if p["x"] == "prompt")
    line = next(text for text in prompt.split("\n") if text.startswith("USER:"))
    assert line.startswith("USER: a word a word") and line.endswith("\N{HORIZONTAL ELLIPSIS}")
    assert len(line) < 60


def test_pipelines_need_both_methods() -> None:
    only = {"zero-shot": pipelines_job()["conditions"]["zero-shot"]}
    with pytest.raises(RetrialError, match="list one of method generation"):
        pipelines.points({**pipelines_job(), "conditions": only}, [], Results(Path()))


def test_a_box_grows_with_its_lines() -> None:
    short, long = Box("head", "one line"), Box("head", "one line\nand " + "more " * 30)
    assert long.lines(40)[:1] == ["one line"]
    assert all(len(line) <= 40 for line in long.lines(40))
    assert long.height(40) > short.height(40)

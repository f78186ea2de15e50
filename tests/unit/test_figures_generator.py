"""The figure of the generators' perplexity."""

from pathlib import Path
from typing import Any

import pytest

from retrial.figures import figure_of
from retrial.figures.style import to_png
from retrial.record import FIGURE_POINTS, GENERATOR_LOG, Run, from_rows
from retrial.tables.select import Results

JOB = {"figure": "chiang2023_generator", "spec": {"generators": ["g-1", "g-2"]}}


def row(step: int, split: str, perplexity: float) -> dict[str, Any]:
    return {"generator": "g", "step": step, "epoch": step / 4, "split": split, "loss": 1.0,
            "perplexity": perplexity, "rate": 0.0, "tokens": 7, "seconds": 1.0}  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    rows = [
        row(4, "valid", 20.0),
        row(0, "valid", 30.0),
        row(2, "train", 25.0),
        row(4, "train", 21.0),
    ]
    for generator in ("g-1", "g-2"):
        path = tmp_path / "generators" / generator / "training.parquet"
        Run(rule="r", root=tmp_path).write_table(
            path, from_rows(rows, GENERATOR_LOG), GENERATOR_LOG
        )
    return tmp_path


def test_every_logged_perplexity_is_drawn(root: Path) -> None:
    module = figure_of(JOB)
    points = module.points(JOB, [], Results(root))
    assert from_rows(points, FIGURE_POINTS).num_rows == 8
    mine = [p for p in points if p["panel"] == "g-2"]
    assert [(p["x"], p["value"]) for p in mine if "validation" in p["series"]] == [
        ("0", 30.0), ("1", 20.0)]  # fmt: skip
    assert [(p["x"], p["value"]) for p in mine if "training" in p["series"]] == [
        ("0.5", 25.0), ("1", 21.0)]  # fmt: skip
    figure = module.draw(points)
    panels = [a for a in figure.axes if a.get_visible()]
    assert [a.get_title(loc="left") for a in panels] == ["g-1", "g-2"]
    lines = {line.get_label(): line for line in panels[1].get_lines()}
    validation = next(line for name, line in lines.items() if "validation" in str(name))
    assert validation.get_xydata().tolist() == [[0.0, 30.0], [1.0, 20.0]]
    assert to_png(figure) == to_png(module.draw(points))

"""Figures read cells: every point is a cell's number, and the picture is made of points alone."""

from typing import Any

import pytest
from core_rows import cell

from retrial.figures import figure_of
from retrial.figures.style import to_png
from retrial.record import FIGURE_POINTS, from_rows
from retrial.tables.chiang2023 import ATTRIBUTES, WRITERS
from retrial.tables.select import Results

JUDGES = ("teachers (mixed design)", "text-davinci-003")


def with_value(row: str, column: str, value: float | None, **fields: Any) -> dict[str, Any]:
    ends = (None, None) if value is None else (value - 0.1, value + 0.1)
    return {**cell(row, column), "value": value, "ci_low": ends[0], "ci_high": ends[1], **fields}


def points_of(figure: str, cells: list[dict[str, Any]], results: Any) -> list[dict[str, Any]]:
    module = figure_of({"figure": figure})
    points = module.points({"figure": figure, "spec": {}}, cells, results)
    from_rows(points, FIGURE_POINTS)
    first = to_png(module.draw(points))
    assert first.startswith(b"\x89PNG")
    assert first == to_png(module.draw(points))
    return points


@pytest.fixture
def results(tmp_path: Any) -> Results:
    return Results(tmp_path)


def test_ratings_draws_every_mean_that_there_is(results: Results) -> None:
    cells = [
        with_value(f"{judge} / {writer}", f"{attribute}_{suffix}", 3.0 + place)
        for place, judge in enumerate(JUDGES)
        for writer in WRITERS
        for attribute in ATTRIBUTES
        for suffix in ("mean", "sd")
    ]
    cells.append(with_value("t0 / gpt2", "likability_mean", None))
    points = points_of("chiang2023_ratings", cells, results)
    assert len(points) == len(JUDGES) * len(WRITERS) * len(ATTRIBUTES)
    assert {(p["x"], p["value"]) for p in points} == {(JUDGES[0], 3.0), (JUDGES[1], 4.0)}
    assert points[0]["cell"] == "a_b[teachers (mixed design) / human-written].grammaticality_mean"


def test_gaps_marks_what_is_significant_after_correction(results: Results) -> None:
    cells = []
    for judge, p in zip(JUDGES, (0.2, 0.049), strict=True):
        for attribute in ATTRIBUTES:
            cells.append(with_value(judge, f"{attribute}_gap", 0.3))
            cells.append(with_value(judge, f"{attribute}_welch_stories_p_holm", p))
    cells += [with_value("t0", f"{attribute}_gap", None) for attribute in ATTRIBUTES]
    points = points_of("chiang2023_gaps", cells, results)
    assert {(p["x"], p["note"]) for p in points} == {
        (JUDGES[0], "not significant"),
        (JUDGES[1], "p < .05 after Holm"),
    }


def test_parsing_draws_the_shifts_and_nothing_else(results: Results) -> None:
    block = "j / plain / gpt2"
    rules = {"default": 4.0, "lowest": 3.5, "lowest, shift": -0.5, "robust, shift": 0.0}
    cells = [
        with_value(f"{block} / {rule}", f"relevance_{suffix}", value, block=block)
        for rule, value in rules.items()
        for suffix in ("mean", "sd", "alpha", "agreement_percent")
    ]
    points = points_of("chiang2023_parsing", cells, results)
    assert {(p["series"], p["value"]) for p in points} == {("lowest", -0.5), ("robust", 0.0)}
    cells = [with_value(f"{block} / robust, shift", "relevance_mean", 0.0, block=block)]
    assert len(points_of("chiang2023_parsing", cells, results)) == 1  # and nothing moves

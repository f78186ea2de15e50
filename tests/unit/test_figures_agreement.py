"""The figure of agreement: stories joined through links, counted where ratings tie."""

from pathlib import Path
from typing import Any

import pytest
from core_rows import cell, human, item, link, rating, write

from retrial.figures import chiang2023_agreement as agreement
from retrial.record import FIGURE_POINTS, from_rows
from retrial.tables.chiang2023 import ATTRIBUTES, RELEASED, WRITERS
from retrial.tables.select import Results

JOB = {
    "figure": "chiang2023_agreement",
    "spec": {"judges": ["one", "two"], "datasets": [RELEASED], "reading": "chiang2023"},
    "judges": {"one": "One", "two": "Two"},
    "recordings": {
        "one": {"family": "first", "released": RELEASED},
        "two": {"family": "second", "released": None},
    },
}
TEACHERS = {"a": (4.0, 5.0), "b": (2.0, 2.0), "c": (4.0, 5.0)}
RECORDED = {"x": (3.0, 4.0), "y": (4.0, 3.0), "z": (None, None)}
LINKS = {"x": "a", "y": "c", "z": "b"}


def stories(ids: Any, dataset: str) -> list[dict[str, Any]]:
    return [
        item(f"{name}-{writer}", dataset=dataset, strata=[("writer", writer)])
        for name in ids
        for writer in WRITERS
    ]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Stories a, b, c of each writer, and recordings x, y, z of them without ids."""
    write(tmp_path, f"items/{RELEASED}.parquet", "items", *stories(TEACHERS, RELEASED))
    people = [
        human(f"{name}-{writer}", str(rater), score, attribute=attribute)
        for name, scores in TEACHERS.items()
        for writer in WRITERS
        for attribute in ATTRIBUTES
        for rater, score in enumerate(scores)
    ]
    write(tmp_path, f"ratings/human/{RELEASED}.parquet", "ratings", *people)
    for judge, family in (("one", "first"), ("two", "second")):
        write(tmp_path, f"items/{family}.parquet", "items", *stories(RECORDED, family))
        rows = [
            rating(f"{name}-{writer}", score, judge=judge, attribute=attribute, sample=sample,
                   condition="plain", reading="chiang2023")
            for name, scores in RECORDED.items()
            for writer in WRITERS
            for attribute in ATTRIBUTES
            for sample, score in enumerate(scores)
        ]  # fmt: skip
        write(tmp_path, f"ratings/{judge}/{family}/recorded.parquet", "ratings", *rows)
    links = [link(f"{a}-{writer}", f"{b}-{writer}") for a, b in LINKS.items() for writer in WRITERS]
    write(tmp_path, "links/first.parquet", "links", *links)
    return tmp_path


def tau(value: float | None) -> list[dict[str, Any]]:
    return [
        {**cell(f"One / {writer}", f"{attribute}_tau"), "value": value, "inferred": True,
         "ci_low": None if value is None else -0.1, "ci_high": None if value is None else 0.625}
        for writer in WRITERS
        for attribute in ATTRIBUTES
    ]  # fmt: skip


def test_stories_are_joined_through_links_and_counted(root: Path) -> None:
    points = agreement.points(JOB, tau(0.305), Results(root))
    from_rows(points, FIGURE_POINTS)
    # x is a and y is c: means 4.5 and 3.5 in both. z has no rating. Two has no links.
    assert [(p["x"], p["value"], p["n"]) for p in points] == [("4.5, 3.5", 3.5, 2)] * 8
    assert [p["panel"] for p in points] == [f"One / {w} / {a}" for w in WRITERS for a in ATTRIBUTES]
    assert {p["note"] for p in points} == {"tau-b 0.31 [-0.10, 0.63]"}  # as the table prints it
    assert all(p["inferred"] for p in points)


def test_the_picture_says_what_is_inferred(root: Path) -> None:
    points = agreement.points(JOB, tau(None), Results(root))
    figure = agreement.draw(points)
    assert [legend.get_title().get_text() for legend in figure.legends] == [agreement.INFERRED]
    assert {axes.texts[0].get_text() for axes in figure.axes} == {
        "\N{GREEK SMALL LETTER TAU}-b \N{EN DASH}"
    }
    certain = agreement.draw([{**p, "inferred": False} for p in points])
    assert [legend.get_title().get_text() for legend in certain.legends] == [""]


def test_without_points_there_is_still_a_picture() -> None:
    assert len(agreement.draw([]).axes) == 4

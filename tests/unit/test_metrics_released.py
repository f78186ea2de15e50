"""Metrics of the released answers and ratings of Chiang and Lee (2023), on the real files."""

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retrial.metrics.base import FloatArray, Matrix, Pairs, TwoGroups, get

pytestmark = pytest.mark.realdata

WRITERS = {"human-written": "targets", "gpt2": "predictions"}
ATTRIBUTES = ["grammaticality", "cohesiveness", "likability", "relevance"]
KEYS = ["grammar", "cohesive", "enjoy", "relevant"]
COLUMNS = ["mean", "sd", "alpha-interval", "exact-agreement"]
# Recomputed once with other code: mean, SD, alpha, exact agreement of 200 stories x 3 answers.
EXPECTED = {
    ("davinci", "human-written"): [
        [4.2192, 0.3762, 0.2624, 35.0],
        [4.5350, 0.4730, 0.3680, 39.5],
        [3.9908, 0.3823, 0.4906, 68.5],
        [4.3967, 0.7912, 0.7116, 48.5],
    ],
    ("davinci", "gpt2"): [
        [4.0742, 0.3523, 0.3664, 45.5],
        [4.2567, 0.4490, 0.4161, 42.0],
        [3.8358, 0.4205, 0.5177, 62.0],
        [4.0175, 0.7478, 0.6936, 42.5],
    ],
    ("curie", "human-written"): [
        [3.1883, 0.4721, 0.0668, 46.5],
        [2.8150, 0.4555, 0.0054, 47.5],
        [2.8533, 0.3676, 0.1136, 65.0],
        [3.0567, 0.4002, 0.1063, 64.0],
    ],
    ("curie", "gpt2"): [
        [3.2225, 0.5067, 0.0149, 38.0],
        [2.8175, 0.4542, 0.0240, 50.0],
        [2.8592, 0.3671, 0.0862, 65.5],
        [3.0108, 0.4276, 0.1080, 61.0],
    ],
}
TEACHERS = {
    "human-written": [[3.8967, 0.9657], [4.3883, 0.8627], [3.7450, 1.1733], [3.4150, 1.4128]],
    "gpt2": [[3.8767, 0.8513], [3.5033, 0.9798], [2.8850, 1.1292], [2.4083, 1.3360]],
}


def first_number(answer: str) -> float:
    found = re.search(r"\d+(?:\.\d+)?", answer)
    return float(found.group()) if found else math.nan


def recorded(mirror: Path, model: str, writer: str) -> list[Matrix]:
    """Return one matrix (3 answers, 200 stories) per attribute, in the file's order."""
    path = mirror / "llm-evaluation" / f"{model}-temp-1-top_p-0.9.json"
    answers: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return [
        Matrix(np.array([[first_number(a) for a in story] for story in attribute]).T)
        for attribute in answers[WRITERS[writer]]
    ]


def taught(mirror: Path, writer: str) -> list[Matrix]:
    """Return the mixed design's teachers, one matrix (3 teachers, 200 stories) per attribute."""
    path = mirror / "llm-evaluation" / "human_eval_result.json"
    stories: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    kept = [s for s in stories.values() if s["human_written"] == (writer == "human-written")]
    return [Matrix(np.array([s[key] for s in kept], dtype=np.float64).T) for key in KEYS]


def half_unit(value: float, decimals: int) -> object:
    return pytest.approx(value, abs=0.5 * 10**-decimals + 1e-9)


@pytest.mark.parametrize(("model", "writer"), EXPECTED)
def test_recordings(mirror: Path, model: str, writer: str) -> None:
    for matrix, row in zip(recorded(mirror, model, writer), EXPECTED[model, writer], strict=True):
        assert matrix.values.shape == (3, 200)
        assert not np.isnan(matrix.values).any()
        for metric_id, expected in zip(COLUMNS, row, strict=True):
            assert get(metric_id).compute(matrix).value == half_unit(expected, 4)


@pytest.mark.parametrize("writer", WRITERS)
def test_teachers_of_the_mixed_design(mirror: Path, writer: str) -> None:
    for matrix, row in zip(taught(mirror, writer), TEACHERS[writer], strict=True):
        found = [get(metric_id).compute(matrix).value for metric_id in ("mean", "sd")]
        assert found == [half_unit(expected, 4) for expected in row]


def test_level_of_alpha_matters(mirror: Path) -> None:
    relevance = recorded(mirror, "davinci", "human-written")[3]
    levels = ("nominal", "ordinal", "interval")
    found = [get(f"alpha-{level}").compute(relevance).value for level in levels]
    assert found == [half_unit(expected, 2) for expected in (0.40, 0.57, 0.71)]


def test_welch_over_ratings_and_over_stories(mirror: Path) -> None:
    groups = [recorded(mirror, "davinci", writer) for writer in WRITERS]
    expected = [(6.886, 5.401), (10.444, 7.816), (6.675, 4.701), (8.524, 5.487)]
    for first, second, (by_rating, by_story) in zip(*groups, expected, strict=True):
        sample = TwoGroups(first, second)
        ratings, items = (get(f"welch-{unit}").compute(sample) for unit in ("ratings", "items"))
        assert ratings.value == half_unit(by_rating, 3)
        assert items.value == half_unit(by_story, 3)
        assert max(ratings.extra["p"], items.extra["p"]) < 0.05
        assert ratings.extra["df"] > 2.5 * items.extra["df"]


def test_welch_finds_nothing_in_curie(mirror: Path) -> None:
    groups = [recorded(mirror, "curie", writer) for writer in WRITERS]
    samples = [TwoGroups(a, b) for a, b in zip(*groups, strict=True)]
    p_values = [get("welch-ratings").compute(s).extra["p"] for s in samples]
    assert min(p_values) > 0.05
    assert p_values[3] == half_unit(0.056, 3)
    assert get("welch-items").compute(samples[3]).extra["p"] == half_unit(0.083, 3)


def intraclass(values: FloatArray) -> float:
    """One-way intraclass correlation of ``(raters, items)`` from the analysis of variance."""
    raters = values.shape[0]
    between = raters * values.mean(axis=0).var(ddof=1)
    within = values.var(axis=0, ddof=1).mean()
    return float((between - within) / (between + (raters - 1) * within))


def test_ratings_of_one_story_inflate_welch_as_their_correlation_says(mirror: Path) -> None:
    first, second = (recorded(mirror, "davinci", writer)[3] for writer in WRITERS)
    sample = TwoGroups(first, second)
    icc = (intraclass(first.values) + intraclass(second.values)) / 2
    ratio = get("welch-ratings").compute(sample).value / get("welch-items").compute(sample).value
    assert ratio == pytest.approx(math.sqrt(1 + 2 * icc), abs=0.02)
    assert icc == pytest.approx(0.71, abs=0.02)


def test_joining_by_position_shows_no_agreement(mirror: Path) -> None:
    # The recordings list the stories in another order than the teachers' file.
    for writer in WRITERS:
        pairs = zip(recorded(mirror, "davinci", writer), taught(mirror, writer), strict=True)
        for judge, people in pairs:
            sample = Pairs(judge.values.mean(axis=0), people.values.mean(axis=0))
            assert get("kendall-b").compute(sample).extra["p"] > 0.05

"""The independent route, checked against the reference values of the released files."""

from pathlib import Path

import numpy as np
import pytest
from independent_chiang2023 import ATTRIBUTES, independent_scores, independent_statistics

FOLDER = "llm-evaluation"
RECORDED = "{}-temp-1-top_p-0.9.json"

# Mean, SD, alpha, exact agreement in percent, by attribute, to four decimals.
REFERENCE = {
    ("davinci", "human-written"): (
        (4.2192, 0.3762, 0.2624, 35.0),
        (4.5350, 0.4730, 0.3680, 39.5),
        (3.9908, 0.3823, 0.4906, 68.5),
        (4.3967, 0.7912, 0.7116, 48.5),
    ),
    ("davinci", "gpt2"): (
        (4.0742, 0.3523, 0.3664, 45.5),
        (4.2567, 0.4490, 0.4161, 42.0),
        (3.8358, 0.4205, 0.5177, 62.0),
        (4.0175, 0.7478, 0.6936, 42.5),
    ),
    ("curie", "human-written"): (
        (3.1883, 0.4721, 0.0668, 46.5),
        (2.8150, 0.4555, 0.0054, 47.5),
        (2.8533, 0.3676, 0.1136, 65.0),
        (3.0567, 0.4002, 0.1063, 64.0),
    ),
    ("curie", "gpt2"): (
        (3.2225, 0.5067, 0.0149, 38.0),
        (2.8175, 0.4542, 0.0240, 50.0),
        (2.8592, 0.3671, 0.0862, 65.5),
        (3.0108, 0.4276, 0.1080, 61.0),
    ),
}
TEACHERS = {
    "human-written": ((3.8967, 0.9657), (4.3883, 0.8627), (3.7450, 1.1733), (3.4150, 1.4128)),
    "gpt2": ((3.8767, 0.8513), (3.5033, 0.9798), (2.8850, 1.1292), (2.4083, 1.3360)),
}


@pytest.mark.realdata
@pytest.mark.parametrize(("name", "writer"), REFERENCE)
def test_recorded_judges_match_the_reference(mirror: Path, name: str, writer: str) -> None:
    found = independent_statistics(mirror / FOLDER / RECORDED.format(name))
    for attribute, wanted in zip(ATTRIBUTES, REFERENCE[name, writer], strict=True):
        cell = found[writer, attribute]
        got = [cell[key] for key in ("mean", "sd", "alpha", "exact")]
        assert got == pytest.approx(list(wanted), abs=0.5e-4 + 1e-12)
        assert cell["missing"] == 0


@pytest.mark.realdata
@pytest.mark.parametrize("writer", TEACHERS)
def test_teachers_of_the_mixed_design_match_the_reference(mirror: Path, writer: str) -> None:
    found = independent_statistics(mirror / FOLDER / "human_eval_result.json")
    for attribute, wanted in zip(ATTRIBUTES, TEACHERS[writer], strict=True):
        cell = found[writer, attribute]
        assert [cell["mean"], cell["sd"]] == pytest.approx(list(wanted), abs=0.5e-4 + 1e-12)


@pytest.mark.realdata
def test_only_four_answers_have_no_number(mirror: Path) -> None:
    names = ("davinci", "davinci-persona", "davinci-explain", "curie")
    scores = {n: independent_scores(mirror / FOLDER / RECORDED.format(n)) for n in names}
    gaps = {(n, a) for n in names for (_, a), s in scores[n].items() if np.isnan(s).any()}
    assert gaps == {("davinci-explain", "relevance")}
    assert sum(np.isnan(s).sum() for found in scores.values() for s in found.values()) == 4
    kept = [s[~np.isnan(s)] for found in scores.values() for s in found.values()]
    assert all(((s >= 1) & (s <= 5)).all() for s in kept)


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["davinci", "davinci-persona", "davinci-explain", "curie"])
def test_alpha_agrees_with_the_krippendorff_package(mirror: Path, name: str) -> None:
    import krippendorff

    path = mirror / FOLDER / RECORDED.format(name)
    statistics = independent_statistics(path)
    for cell, scores in independent_scores(path).items():
        package = krippendorff.alpha(scores.T, level_of_measurement="interval")
        assert statistics[cell]["alpha"] == pytest.approx(package, abs=1e-12)


@pytest.mark.realdata
def test_near_constant_ratings_agree_often_and_have_a_low_alpha(mirror: Path) -> None:
    path = mirror / FOLDER / RECORDED.format("davinci-explain")
    cell = independent_statistics(path)["gpt2", "grammaticality"]
    assert cell["exact"] == pytest.approx(81.5)
    assert cell["alpha"] == pytest.approx(0.24, abs=0.005)

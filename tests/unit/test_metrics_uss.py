"""Label rules, agreement and the human ceiling on the real USS ratings."""

from pathlib import Path

import numpy as np
import pytest

from retrial.metrics.base import Matrix, Pairs, get
from retrial.metrics.bootstrap import replicate_mean
from retrial.metrics.ceiling import human_ceiling_pairs
from retrial.metrics.labels import label_items

pytestmark = pytest.mark.realdata

SUBSETS = ["SGD", "MWOZ", "ReDial", "CCPE"]
# Share of dialogues with a label of at most 3; SGD, MWOZ, ReDial, CCPE.
DEFECT_RATES = {
    "mean": [0.416, 0.507, 0.393, 0.634],
    "max": [0.408, 0.501, 0.377, 0.624],
    "median": [0.73, 0.83, 0.69, 0.89],
    "majority": [0.80, 0.88, 0.75, 0.93],
    "first": [0.66, 0.75, 0.64, 0.82],
}


def overall(mirror: Path, *subsets: str) -> Matrix:
    """Return the ratings of whole dialogues, shape (7 positions, dialogues)."""
    columns = []
    for subset in subsets:
        for line in (mirror / "uss" / f"{subset}.txt").read_text(encoding="utf-8").split("\n"):
            fields = line.split("\t")
            if fields[:2] == ["USER", "OVERALL"]:
                ratings = [float(r) for r in fields[3].split(",")]
                columns.append(ratings + [np.nan] * (7 - len(ratings)))
    return Matrix(np.array(columns).T)


@pytest.mark.parametrize("rule", DEFECT_RATES)
def test_defect_rates(mirror: Path, rule: str) -> None:
    for subset, expected in zip(SUBSETS, DEFECT_RATES[rule], strict=True):
        matrix = overall(mirror, subset)
        labels = label_items(matrix, rule)
        half_unit = 0.0005 if rule in ("mean", "max") else 0.005
        rate = get("defect-rate").compute(Pairs(np.zeros(labels.size), labels))
        assert rate.value == pytest.approx(expected, abs=half_unit + 1e-9), subset
        assert rate.n == matrix.items == (500 if subset == "CCPE" else 1000)


def test_labels_on_the_threshold_are_defects_by_exact_sums(mirror: Path) -> None:
    matrix = overall(mirror, *SUBSETS)
    sums = np.nansum(matrix.values, axis=0).astype(np.int64)
    assert ((label_items(matrix, "mean") <= 3) == (sums <= 3 * matrix.counts)).all()
    assert (sums == 3 * matrix.counts).mean() > 0.2


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("ordinal", [0.228, 0.193, 0.273, 0.207, 0.244]),
        ("interval", [0.225, 0.199, 0.280, 0.202, 0.246]),
    ],
)
def test_agreement(mirror: Path, level: str, expected: list[float]) -> None:
    samples = [overall(mirror, s) for s in SUBSETS] + [overall(mirror, *SUBSETS)]
    found = [get(f"alpha-{level}").compute(s).value for s in samples]
    assert found == pytest.approx(expected, abs=0.0005 + 1e-9)


# Mean over 200 draws (50 for the pooled set) of one rater per dialogue, from PCG64 seeded 0.
CEILINGS = {
    "spearman": [0.311, 0.265, 0.359, 0.284, 0.327],
    "pearson": [0.307, 0.273, 0.375, 0.277, 0.331],
}


@pytest.mark.parametrize("metric_id", CEILINGS)
def test_human_ceiling(mirror: Path, metric_id: str) -> None:
    samples = [human_ceiling_pairs(overall(mirror, s)) for s in SUBSETS]
    samples.append(human_ceiling_pairs(overall(mirror, *SUBSETS), draws=50))
    for pairs, expected in zip(samples, CEILINGS[metric_id], strict=True):
        found = np.mean([get(metric_id).compute(p).value for p in pairs])
        assert found == pytest.approx(expected, abs=0.0005 + 1e-9)


def test_human_ceiling_has_an_interval_over_dialogues(mirror: Path) -> None:
    pairs = human_ceiling_pairs(overall(mirror, "CCPE"), draws=50)
    estimate, ends = replicate_mean(get("spearman"), pairs, seed=1, resamples=300)
    assert ends.low < estimate.value < ends.high
    # Averaging over draws takes out the choice of rater, so the interval is narrower than that
    # of a single correlation of 500 dialogues.
    assert 0.05 < ends.high - ends.low < 2 * 1.96 / np.sqrt(500)

"""The samples' checks and the registry of metrics."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import retrial
from retrial.errors import RetrialError
from retrial.metrics.base import REGISTRY, Estimate, Matrix, Pairs, get, register

PROMISED = {
    "pairs": ["spearman", "pearson", "kendall-b", "paired-gap", "accuracy-likert"]
    + ["defect-rate", "accuracy-binary"]
    + [
        f"{a}-{m}"
        for a in ("defect", "nondefect", "weighted", "macro")
        for m in ("precision", "recall", "f1")
    ],
    "matrix": ["mean", "sd", "alpha-interval", "alpha-ordinal", "alpha-nominal", "exact-agreement"],
    "two-groups": ["gap", "welch-ratings", "welch-items"],
}


def test_every_promised_metric_is_registered_under_its_form() -> None:
    found = {form: {m.id for m in REGISTRY.values() if m.form == form} for form in PROMISED}
    assert found == {form: set(ids) for form, ids in PROMISED.items()}


@pytest.mark.parametrize("metric_id", sorted(REGISTRY))
def test_every_metric_documents_formula_domain_and_undefined(metric_id: str) -> None:
    doc = get(metric_id).doc
    assert all(word in doc for word in ("Formula:", "Domain:", "Undefined:")), doc
    assert "{" not in doc


def test_only_tests_have_no_interval() -> None:
    assert {m.id for m in REGISTRY.values() if not m.has_interval} == {
        "welch-ratings",
        "welch-items",
    }


def test_unknown_metric_names_the_nearest() -> None:
    with pytest.raises(RetrialError, match="did you mean 'spearman'"):
        get("speerman")
    with pytest.raises(RetrialError, match="known ids: accuracy-binary"):
        get("???")


def test_a_metric_cannot_be_registered_twice_or_undocumented() -> None:
    def documented(sample: Pairs) -> Estimate:
        """Say something."""
        return Estimate(0.0, sample.items)

    with pytest.raises(RetrialError, match="twice"):
        register("spearman", "again", "pairs")(documented)
    documented.__doc__ = None
    with pytest.raises(RetrialError, match="no docstring"):
        register("never-registered", "bare", "pairs")(documented)
    assert "never-registered" not in REGISTRY


def test_misaligned_pairs_are_refused() -> None:
    with pytest.raises(RetrialError, match="first has 3 items and second has 2"):
        Pairs(np.zeros(3), np.zeros(2))


def test_wrong_dimensions_and_infinite_scores_are_refused() -> None:
    with pytest.raises(RetrialError, match=r"expected 2 dimension\(s\), got shape \(3,\)"):
        Matrix(np.zeros(3))
    with pytest.raises(RetrialError, match="infinite"):
        Pairs(np.array([1.0, np.inf]), np.zeros(2))


def test_importing_the_metrics_does_not_import_scipy() -> None:
    code = "import sys, retrial.metrics; print('scipy' in sys.modules, 'pandas' in sys.modules)"
    library = str(Path(retrial.__file__).parent.parent)
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": library},
    )
    assert run.stdout.split() == ["False", "False"]

"""Whole runs that several tests look at."""

from pathlib import Path

import pytest
from checkout import Checkout, copy_project


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """One checkout for all tests of a session that leave it as they found it."""
    return copy_project(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="session")
def tiny_run(checkout: Checkout) -> Checkout:
    """The checkout after a whole run of profiles/tiny."""
    checkout.snakemake("tiny")
    return checkout


@pytest.fixture(scope="session")
def released(checkout: Checkout, mirror: Path) -> Checkout:
    """The checkout after a run of profiles/released with its report and manifest."""
    checkout.environment["RETRIAL_MIRROR"] = str(mirror)
    checkout.snakemake("released", "all", "report", "manifest")
    return checkout

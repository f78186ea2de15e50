"""Whole runs that several tests look at."""

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

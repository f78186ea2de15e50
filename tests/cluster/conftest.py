"""A Slurm of one node, and a checkout that runs on it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from checkout import Checkout, copy_project
from slurm_node import slurm_node, why_not


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a running Slurm's logs and pids."""
    if reason := why_not():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("slurm")
    with slurm_node(folder):
        yield folder


@pytest.fixture(scope="session")
def local_run(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A whole run of profiles/tiny on this machine, without Slurm."""
    checkout = copy_project(tmp_path_factory.mktemp("local"))
    checkout.snakemake("tiny")
    return checkout


@pytest.fixture(scope="session")
def on_cluster(cluster: Path, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout with the site file of this cluster, nothing run yet."""
    checkout = copy_project(tmp_path_factory.mktemp("cluster"))
    site = checkout.folder / "profiles/slurm/site.yaml"
    site.write_text("partition: cpu\nfirst_check_seconds: 8\n", encoding="utf-8")
    overlay = Path(__file__).with_name("overlay.yaml")
    shutil.copy2(overlay, checkout.folder / "cluster-overlay.yaml")
    return checkout

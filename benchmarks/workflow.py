"""What the workflow costs beside a bare script with the same arithmetic."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.material import PROJECT, config
from benchmarks.rounds import Contender, Measured, measure

SNAKEMAKE = str(Path(sys.executable).with_name("snakemake"))
TABLES = ("chiang2023_table1", "chiang2023_gaps", "chiang2023_table2", "chiang2023_table3",
          "chiang2023_table5", "chiang2023_table6")  # fmt: skip


def workloads(rounds: int, small: bool) -> list[Measured]:
    """`released` against the bare script; Snakemake's own start, apart."""
    rounds = min(rounds, 2 if small else 3)
    jobs = _jobs()
    released = measure(
        "released",
        [Contender("workflow", _by_workflow), Contender("bare script", _by_script)],
        unit="jobs", units=jobs, rounds=rounds, tolerance=1e-9,
        note=f"{jobs} jobs on two cores, rendered tables and figures included",
    )  # fmt: skip
    starts = measure(
        "dry-run",
        [Contender("snakemake -n", lambda: _snakemake(PROJECT, "-n", "--quiet"))],
        unit="runs", units=1, rounds=rounds, tolerance=0,
        note="all of config.yaml: what Snakemake needs to read the workflow and plan every job",
    )  # fmt: skip
    return [released, starts]


def _by_workflow() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder)
        for name in ("Snakefile", "config.yaml", "rules", "scripts", "envs", "data", "profiles"):
            source = PROJECT / name
            if source.is_dir():
                shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("raw"))
            else:
                shutil.copy2(source, target / name)
        _snakemake(target, "--profile", "profiles/released", "--quiet", "all")
        return _values(target / "results/released/tables")


def _by_script() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "benchmarks.bare_released", folder],
            check=True, cwd=PROJECT, env=_environment(PROJECT),
        )  # fmt: skip
        return _values(Path(folder) / "tables")


def _values(folder: Path) -> list[float]:
    columns = [pq.read_table(folder / f"{name}.parquet")["value"].to_pylist() for name in TABLES]
    return [float("nan") if v is None else v for column in columns for v in column]


def _jobs() -> int:
    told = subprocess.run(
        [SNAKEMAKE, "--profile", "profiles/released", "-n", "--forceall", "all"],
        cwd=PROJECT, env=_environment(PROJECT), capture_output=True, text=True, check=True,
    )  # fmt: skip
    totals = [line.split()[1] for line in told.stdout.splitlines() if line.startswith("total")]
    return int(totals[0])


def _snakemake(folder: Path, *arguments: str) -> Any:
    subprocess.run(
        [SNAKEMAKE, *arguments], cwd=folder, env=_environment(folder), check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return []


def _environment(folder: Path) -> dict[str, str]:
    paths = os.pathsep.join([str(folder / "scripts"), str(PROJECT)])
    raw = (
        {} if os.environ.get("RETRIAL_MIRROR") else {"RETRIAL_MIRROR": str(PROJECT / config().raw)}
    )
    return {**os.environ, **raw, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}

"""A copy of the project in a folder of its own, in which whole runs can do no harm."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]


@dataclass
class Checkout:
    """A working copy, and how to run Snakemake and retrial in it."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def command(self, profile: str, *arguments: str) -> list[str]:
        snakemake = str(Path(sys.executable).with_name("snakemake"))
        return [snakemake, "--profile", f"profiles/{profile}", *arguments]

    def snakemake(
        self, profile: str, *arguments: str, check: bool = True, **environment: str
    ) -> str:
        """Both streams of a run; fails the test with them when the run fails."""
        done = subprocess.run(
            self.command(profile, *arguments),
            cwd=self.folder,
            env={**self.clean_environment(), **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if check and done.returncode:
            pytest.fail(f"snakemake exited with {done.returncode}\n{done.stdout[-6000:]}")
        return done.stdout

    def retrial(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The retrial command of this checkout."""
        command = [sys.executable, "-m", "retrial.cli", *arguments]
        return subprocess.run(
            command, cwd=self.folder, env=self.clean_environment(), capture_output=True, text=True
        )

    def clean_environment(self) -> dict[str, str]:
        """This process's environment with the hub offline and this checkout's own settings."""
        own = {"HF_HUB_OFFLINE": "1", "PYTHONPATH": str(self.folder / "scripts")}
        return {**os.environ, **own, **self.environment}

    def planned(self, profile: str, *arguments: str) -> set[str]:
        """The rules that a dry-run would run, `all` left out."""
        told = self.snakemake(profile, "-n", "--quiet", "rules", *arguments)
        if "Nothing to be done" in told:
            return set()
        lines = told.split("Job stats:", 1)[1].split("total", 1)[0].splitlines()
        names = {line.split()[0] for line in lines if line.strip() and line.split()[-1].isdigit()}
        return names - {"all"}


def copy_project(target: Path) -> Checkout:
    """The files that git tracks or would track, with the prepared models of the project."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT,
        capture_output=True,
        check=True,
    )
    for name in listed.stdout.decode().split("\0"):
        source = PROJECT / name
        if name and (source.is_file() or source.is_symlink()):
            place = target / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, place, follow_symlinks=False)
    models = Path(os.environ.get("RETRIAL_MODEL_CACHE") or PROJECT / ".cache" / "models")
    models.mkdir(parents=True, exist_ok=True)
    (target / ".cache").mkdir()
    (target / ".cache" / "models").symlink_to(models.resolve())
    return Checkout(target)

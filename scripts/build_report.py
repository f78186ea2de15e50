"""Adapter of rule build_report."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.report.build import Report
from retrial.sources.catalogue import load_sources

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
job = run.parameters
catalogue = load_sources(Path(snakemake.input.catalogue[0]))
report = Report(run.root, job["name"], job["tables"], job["figures"], catalogue)
report.build().write(run, Path(snakemake.output.index[0]).parent)

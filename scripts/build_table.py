"""Adapter of rule build_table."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.published import load_published
from retrial.record import CELLS
from retrial.tables import declaration_of
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.select import Results

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
job = run.parameters
statistics = job["statistics"]
cells = build_cells(
    declaration_of(job),
    Results(run.root),
    Printed.of([v for path in snakemake.input.published for v in load_published(path)]),
    Bootstrap(statistics["resamples"], statistics["level"], statistics["seed"]),
)
run.write_table(Path(snakemake.output[0]), cells, CELLS)

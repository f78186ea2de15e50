"""Adapter of rule check_consistency."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.digest import sha256_file
from retrial.record import CELLS, read
from retrial.tables.findings import finding_cells

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
module = import_module(run.parameters["plugins"][0])
recomputed = {}
for path in snakemake.input.recomputed:
    for cell in read(Path(path), CELLS).to_pylist():
        if cell["value"] is not None:
            recomputed[cell["row"], cell["column"]] = cell["value"]
found = module.findings(Path(snakemake.input.published[0]).parent, recomputed)
digests = {Path(p).name: sha256_file(Path(p)) for p in snakemake.input.published}
cells = finding_cells(run.parameters["table"], found, digests)
run.write_table(Path(snakemake.output[0]), cells, CELLS)

"""Adapter of rule fetch_source."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.sources.catalogue import SourceFile
from retrial.sources.fetch import fetch, mirror_from_environment

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
job = run.parameters
destination = Path(snakemake.output[0])
result = fetch(
    SourceFile.model_validate(job["pin"]),
    destination,
    source_id=job["source"],
    mirror=mirror_from_environment(),
)
run.facts = {"origin": result.origin, "resumed": result.resumed}
run.adopt(destination)

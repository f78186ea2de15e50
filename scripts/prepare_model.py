"""Adapter of rule prepare_model."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.judging.prepare import prepare_model

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
files = prepare_model(run.parameters["source"], Path(run.parameters["cache"]))
run.facts = {"model": files.model, "revision": files.revision, "digest": files.digest}
run.write_text(Path(snakemake.output[0]), files.to_json())

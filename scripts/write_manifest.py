"""Adapter of rule manifest."""

from typing import TYPE_CHECKING

from adapter import start
from retrial.audit.manifest import write_manifest

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
write_manifest(run.root, run)

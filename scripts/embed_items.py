"""Adapter of rule embed_items."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.examples.embedding import embed_items
from retrial.judging.model_files import ModelFiles
from retrial.record import EMBEDDINGS, ITEMS, read

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
encoder = ModelFiles.from_json(Path(snakemake.input.encoder).read_text(encoding="utf-8"))
items = read(Path(snakemake.input.dataset), ITEMS)
run.facts = {"model": encoder.model, "revision": encoder.revision, "digest": encoder.digest}
run.write_table(Path(snakemake.output[0]), embed_items(items, encoder.path), EMBEDDINGS)

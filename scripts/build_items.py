"""Adapter of rule build_items."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.config import Dataset
from retrial.items.build import build_items
from retrial.record import ITEMS, RATINGS

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
items_path, human_path = (Path(snakemake.output[i]) for i in (0, 2))
spec = Dataset.model_validate({"label": "", **run.parameters["spec"]})
items, human = build_items(run.parameters["dataset"], spec, [Path(p) for p in snakemake.input])
run.write_table(items_path, items, ITEMS)
run.write_table(human_path, human, RATINGS)

"""Adapter of rule choose_examples."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.config import Draw
from retrial.examples.base import SelectorSpec
from retrial.examples.choose import choose_examples
from retrial.items.build import judged_ids
from retrial.judging.model_files import ModelFiles
from retrial.record import EXAMPLE_CHOICES, ITEMS, read

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
job = run.parameters
items = read(Path(snakemake.input.dataset), ITEMS)
judged = judged_ids(items, Draw.model_validate(job["judged"]) if job["judged"] else None)
encoders = [
    ModelFiles.from_json(Path(p).read_text(encoding="utf-8")) for p in snakemake.input.encoder
]
leaves = {name: value for name, value in job["spec"].items() if name != "encoder"}
folder = encoders[0].path if encoders else None
selector = SelectorSpec(job["selector"], folder=folder, **leaves)
choices = choose_examples(items, selector, judged)
run.write_table(Path(snakemake.output[0]), choices, EXAMPLE_CHOICES)

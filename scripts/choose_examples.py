"""Adapter of rule choose_examples."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.config import Draw
from retrial.examples.base import SelectorSpec
from retrial.examples.choose import choose_examples
from retrial.items.build import judged_ids
from retrial.record import EMBEDDINGS, EXAMPLE_CHOICES, ITEMS, read

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
job = run.parameters
items = read(Path(snakemake.input.dataset), ITEMS)
judged = judged_ids(items, Draw.model_validate(job["judged"]) if job["judged"] else None)
embeddings = [read(Path(p), EMBEDDINGS) for p in snakemake.input.embeddings]
leaves = {name: value for name, value in job["spec"].items() if name != "encoder"}
compared = embeddings[0] if embeddings else None
selector = SelectorSpec(job["selector"], embeddings=compared, **leaves)
choices = choose_examples(items, selector, judged)
run.write_table(Path(snakemake.output[0]), choices, EXAMPLE_CHOICES)

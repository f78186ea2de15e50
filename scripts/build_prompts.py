"""Adapter of rule build_prompts."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.config import Condition, Draw
from retrial.examples.labels import example_labels
from retrial.items.build import judged_ids
from retrial.judging.prompts import Asking, build_prompts
from retrial.judging.templates import load_template
from retrial.record import EXAMPLE_CHOICES, ITEMS, PROMPTS, RATINGS, read

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
job = run.parameters
items, human = (
    read(Path(snakemake.input.dataset), ITEMS),
    read(Path(snakemake.input.human), RATINGS),
)
choices = {Path(p).stem: read(Path(p), EXAMPLE_CHOICES) for p in snakemake.input.examples}
askings = []
for name, leaves in job["conditions"].items():
    condition = Condition.model_validate({"label": "", **leaves})
    template = load_template(Path(job["folder"]), condition.template)
    chosen = choices[condition.selector] if condition.selector else None
    askings.append(Asking(name, condition.template, template, chosen, name in job["shared"]))
judged = judged_ids(items, Draw.model_validate(job["judged"]) if job["judged"] else None)
prompts = build_prompts(items, judged, askings, job["attributes"], example_labels(human))
run.write_table(Path(snakemake.output[0]), prompts, PROMPTS)

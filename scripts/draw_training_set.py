"""Adapter of rule draw_training_set."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.config import TrainingSet
from retrial.record import ITEMS, RATINGS, TRAINING_SETS, read
from retrial.tuning.training_set import LabelRule, draw_training_set

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
job = run.parameters
drawn = draw_training_set(
    job["set"],
    TrainingSet.model_validate({"label": "", **job["spec"]}),
    [read(Path(p), ITEMS) for p in snakemake.input.datasets],
    [read(Path(p), RATINGS) for p in snakemake.input.human],
    LabelRule(**job["statistics"]),
)
run.facts = drawn.facts
run.write_table(Path(snakemake.output[0]), drawn.table, TRAINING_SETS)

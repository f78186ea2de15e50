"""Adapter of rule tune_judge."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.config import TransformersJudge, Tuning
from retrial.judging.model_files import ModelFiles
from retrial.judging.templates import load_template
from retrial.record import ITEMS, TRAINING_LOG, TRAINING_SETS, read
from retrial.tuning.task import Task
from retrial.tuning.train import tune_judge

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
job = run.parameters
spec = Tuning.model_validate(job["spec"])
task = Task(
    job["tuning"],
    spec,
    TransformersJudge.model_validate({"label": "", **job["judge"]}),
    ModelFiles.from_json(Path(snakemake.input.model).read_text(encoding="utf-8")),
    load_template(Path(job["folder"]), spec.template),
    read(Path(snakemake.input.training_set), TRAINING_SETS),
    [read(Path(p), ITEMS) for p in snakemake.input.datasets],
)
tuned = tune_judge(task, Path(job["work"]), snakemake.threads)
run.facts = tuned.facts
settings, weights, lock, log = (Path(snakemake.output[i]) for i in (0, 2, 4, 6))
run.write_bytes(settings, tuned.files.settings)
run.write_bytes(weights, tuned.files.weights)
run.write_text(lock, json.dumps(tuned.lock, indent=1, sort_keys=True) + "\n")
run.write_table(log, tuned.log, TRAINING_LOG)
tuned.discard()

"""Adapter of rule train_generator."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.config.stories import Learning
from retrial.judging.model_files import ModelFiles
from retrial.record import GENERATOR_LOG
from retrial.stories.generator import Task, train_generator

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
job = run.parameters
task = Task(
    job["generator"],
    Learning.model_validate(job["learning"]),
    ModelFiles.from_json(Path(snakemake.input.model).read_text(encoding="utf-8")),
    Path(snakemake.input.pairs),
)
lock, log = (Path(snakemake.output[i]) for i in (0, 2))
trained = train_generator(task, Path(job["work"]), lock.parent, snakemake.threads)
run.facts = {
    "base": task.base.asked_digest,
    "digest": trained.files.asked_digest,
    "training": task.digest,
}
run.write_text(lock, trained.files.to_json())
run.write_table(log, trained.log, GENERATOR_LOG)

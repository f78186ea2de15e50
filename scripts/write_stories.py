"""Adapter of rule write_stories."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.config.stories import Drawing, Learning
from retrial.record import STORIES
from retrial.stories.lock import read_lock
from retrial.stories.pairs import read_pairs
from retrial.stories.sample import write_stories

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
job = run.parameters
files = read_lock(Path(snakemake.input.generator))
stories = write_stories(
    job["generator"],
    list(read_pairs(Path(snakemake.input.pairs), "test")),
    files,
    Learning.model_validate(job["learning"]),
    Drawing.model_validate(job["drawing"]),
    snakemake.threads,
)
run.facts = {"model": files.model, "revision": files.revision, "digest": files.asked_digest}
run.write_table(Path(snakemake.output[0]), stories, STORIES)

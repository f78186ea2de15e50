"""Adapter of rule rate_answers."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.record import ANSWERS, PROMPTS, RATINGS, read
from retrial.scoring.job import rate_by_job

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
ratings = rate_by_job(
    read(Path(snakemake.input.prompts), PROMPTS),
    read(Path(snakemake.input.answers), ANSWERS),
    run.parameters,
)
run.write_table(Path(snakemake.output[0]), ratings, RATINGS)

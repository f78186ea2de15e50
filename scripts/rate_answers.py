"""Adapter of rule rate_answers."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.record import ANSWERS, PROMPTS, RATINGS, read
from retrial.scoring.parsers import get
from retrial.scoring.ratings import rate_answers

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
job = run.parameters
ratings = rate_answers(
    read(Path(snakemake.input.prompts), PROMPTS),
    read(Path(snakemake.input.answers), ANSWERS),
    top_k=job["top_k"],
    low_mass=job["low_mass"],
    parsers={name: get(name) for name in job["parsers"]},
)
run.write_table(Path(snakemake.output[0]), ratings, RATINGS)

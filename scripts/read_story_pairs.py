"""Adapter of rule read_story_pairs."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.config.stories import StorySet
from retrial.record import STORY_PAIRS, write_batches
from retrial.stories.pairs import Draw, batches
from retrial.stories.readers import get_reader

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
spec = StorySet.model_validate(run.parameters["spec"])
draw = Draw(spec.train, spec.valid, spec.test, spec.seed)
files = [Path(p) for p in snakemake.input]
pairs = get_reader(spec.reader)(files, source=spec.source or spec.reader, draw=draw)
path = Path(snakemake.output[0])
rows = write_batches(path, batches(pairs), STORY_PAIRS)
run.adopt(path, rows=rows)

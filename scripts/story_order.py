"""Adapter of rule story_order."""

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from adapter import start
from retrial.links.story_order import recover_order
from retrial.record import ANSWERS, ITEMS, LINKS, PROMPTS, read

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
links = recover_order(
    read(Path(snakemake.input.recorded), ITEMS),
    read(Path(snakemake.input.prompts), PROMPTS),
    pa.concat_tables([read(Path(p), ANSWERS) for p in snakemake.input.answers]),
    read(Path(snakemake.input.released), ITEMS),
)
run.write_table(Path(snakemake.output[0]), links, LINKS)

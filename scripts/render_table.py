"""Adapter of rule render_table."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.record import CELLS, read
from retrial.tables import declaration_of
from retrial.tables.render.csv import render_csv
from retrial.tables.render.html import render_html
from retrial.tables.render.png import render_png

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
cells = read(Path(snakemake.input[0]), CELLS)
description = declaration_of(run.parameters).description
run.write_text(Path(snakemake.output.csv[0]), render_csv(cells))
run.write_text(Path(snakemake.output.html[0]), render_html(cells, description))
run.write_bytes(Path(snakemake.output.png[0]), render_png(cells, description))

"""Adapter of rule draw_figure."""

from pathlib import Path
from typing import TYPE_CHECKING

from adapter import start
from retrial.figures import figure_of
from retrial.figures.style import to_png
from retrial.record import CELLS, FIGURE_POINTS, from_rows, read
from retrial.tables.select import Results

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

run = start(snakemake, __file__)
figure = figure_of(run.parameters)
cells = [cell for p in snakemake.input.tables for cell in read(Path(p), CELLS).to_pylist()]
points = figure.points(run.parameters, cells, Results(run.root))
run.write_table(Path(snakemake.output.points[0]), from_rows(points, FIGURE_POINTS), FIGURE_POINTS)
run.write_bytes(Path(snakemake.output.png[0]), to_png(figure.draw(points)))

"""Figures: readings of cells, and of ratings where a table has no cell for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from retrial.tables.select import Results

Points = list[dict[str, Any]]


class FigureModule(Protocol):
    """What a module of this package that draws a figure defines."""

    def points(
        self, job: Mapping[str, Any], cells: Sequence[Mapping[str, Any]], results: Results
    ) -> Points:
        """The points of the figure, in the contract of figure points."""
        ...

    def draw(self, points: Sequence[Mapping[str, Any]]) -> Figure:
        """The figure, from its points alone."""
        ...


def figure_of(job: Mapping[str, Any]) -> FigureModule:
    """The one module that draws the figure of a draw_figure job."""
    name = str(job["figure"]).replace("-", "_")
    return cast(FigureModule, import_module(f"{__name__}.{name}"))

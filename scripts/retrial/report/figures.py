"""Figures with words for those who can't see them, and the points that they draw."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from retrial.record import FIGURE_POINTS, read
from retrial.report.studies import study_of

SHOWN = 400
"""Points listed under a figure; the others are counted, and all are in the Parquet file."""


@dataclass(frozen=True)
class FigureView:
    """One figure: its picture and its points."""

    id: str
    caption: str
    png: bytes
    points: tuple[dict[str, Any], ...]
    width: int
    height: int

    @property
    def study(self) -> str:
        """Id of the study."""
        return study_of(self.id)

    @property
    def file(self) -> str:
        """The picture's path below the site's root."""
        return f"figures/{self.id}.png"

    @property
    def alt(self) -> str:
        """The caption, the panels and the series, in words."""
        panels = _listed("Panels", dict.fromkeys(p["panel"] for p in self.points))
        series = _listed("Series", dict.fromkeys(p["series"] for p in self.points))
        return f"{self.caption} {panels}{series}All values stand in the table below."

    @property
    def inferred(self) -> bool:
        """Whether some point rests on links."""
        return any(point["inferred"] for point in self.points)


def load_figures(root: Path, figures: Iterable[str]) -> list[FigureView]:
    """The figures in order. Raises RetrialError for one that is missing or damaged."""
    return [_figure(root, figure) for figure in figures]


def _figure(root: Path, figure: str) -> FigureView:
    points = read(root / "figures" / f"{figure}.parquet", FIGURE_POINTS).to_pylist()
    png = (root / "figures" / f"{figure}.png").read_bytes()
    module = import_module(f"retrial.figures.{figure.replace('-', '_')}")
    caption = (module.__doc__ or figure).split("\n\n")[0].replace("\n", " ").strip()
    width, height = (int.from_bytes(png[at : at + 4]) for at in (16, 20))
    ordered = sorted(points, key=lambda p: p["order"])
    return FigureView(figure, caption, png, tuple(ordered), width, height)


def _listed(title: str, names: Iterable[str]) -> str:
    found = [name for name in names if name]
    shown = "; ".join(found[:12]) + (f"; and {len(found) - 12} more" if len(found) > 12 else "")
    return f"{title}: {shown}. " if len(found) > 1 else ""

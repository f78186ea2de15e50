"""A table of cells as one self-contained HTML page."""

from functools import cache

import pyarrow as pa
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from retrial.tables.description import Description
from retrial.tables.render.cell import INFERRED_MARK, MARKS, CellView
from retrial.tables.render.grid import build_grid


def render_html(cells: pa.Table, description: Description) -> str:
    """The page: no network, no scripts, all text escaped; light and dark by the reader's setting.

    Every cell has the id `<row slug>--<column>` (see `cell.anchors`), so that other pages can
    link to one number. A verdict is shown by symbol, tint and words, an undefined value by a
    dash that links to a numbered footnote with the reason.
    """
    grid = build_grid(cells, description)
    shown = grid.cells
    return _template().render(
        grid=grid,
        verdicts={v: m for v, m in MARKS.items() if any(c.verdict == v for c in shown)},
        inferred_mark=INFERRED_MARK,
        has_interval=any(c.interval for c in shown),
        has_published=any(c.published for c in shown),
        has_best=any(c.best for c in shown),
        has_inferred=any(c.inferred for c in shown),
        detail=_detail,
        says=_says,
    )


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("retrial.tables.render", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("table.html.j2")


def _detail(cell: CellView) -> str:
    """The tooltip of a cell: its reason, units and what was left out."""
    parts = [cell.reason, f"n = {cell.n}" if cell.n else ""]
    parts.append(f"left out: {cell.excluded}" if cell.excluded else "")
    parts.append("rests on inferred links" if cell.inferred else "")
    return "; ".join(part for part in parts if part)


def _says(cell: CellView) -> str:
    """The tooltip of a published value: its source, the verdict and why."""
    source = f" ({cell.published_source})" if cell.published_source else ""
    published = f"published {cell.published}{source}" if cell.published else "not published"
    verdict = f"{published}: {cell.verdict}" if cell.verdict else published
    return f"{verdict}. {cell.verdict_reason}" if cell.verdict_reason else verdict

"""From a results folder to the site: every page and every data file, in a fixed order."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from retrial import __version__
from retrial.report.behind import Behind
from retrial.report.cell_page import CellContext
from retrial.report.figures import SHOWN, FigureView, load_figures
from retrial.report.model import OUTCOMES, ReportTable, load_tables
from retrial.report.overview import (
    NAMED,
    StudyView,
    findings_of,
    study_views,
    verdict_counts,
)
from retrial.report.provenance import all_jobs, job_id, models_used, seconds, sources_used
from retrial.report.readings import asked_ledger, reading_ledger
from retrial.report.rows import CHUNK, RowFiles
from retrial.report.selections import Selections
from retrial.report.site import INDEX, Site
from retrial.report.theme import ASSETS, asset, render
from retrial.sources.catalogue import Sources
from retrial.tables.render.cell import INFERRED_MARK, MARKS
from retrial.tables.select import Results

KINDS = {
    "measured": "measured: a metric over ratings",
    "derived": "derived from other cells of the table",
    "published": "not recomputed: only a printed value can stand here",
    "ledger": "a count or a text from the record",
}
SHORT = {
    "reproduced": "reproduced",
    "differs": "differ",
    "not comparable": "not comparable",
    "recomputed": "recomputed, nothing printed at hand",
    "undefined": "undefined, with a reason",
}


@dataclass
class Report:
    """One run as the report shows it. `name` is the results folder as a reader would type it."""

    root: Path
    name: str
    tables: Sequence[str]
    figures: Sequence[str]
    catalogue: Sources
    chunk: int = CHUNK
    site: Site = field(default_factory=Site)

    def build(self) -> Site:
        """The whole site. Raises RetrialError for results that are missing or damaged."""
        for name in ASSETS:
            self.site.add(f"assets/{name}", asset(name))
        for page, data in self._pages():
            self.site.add(page, data)
        for path, data in self._data():
            self.site.add(path, data)
        return self.site

    @cached_property
    def behind(self) -> Behind:
        """What stands behind the ratings."""
        return Behind(self.root)

    @cached_property
    def row_files(self) -> RowFiles:
        """The ratings' files, shared by all cells."""
        return RowFiles(self.behind, self.chunk)

    @cached_property
    def loaded(self) -> list[ReportTable]:
        """The tables."""
        return load_tables(self.behind, self.tables)

    @cached_property
    def studies(self) -> list[StudyView]:
        """The tables by study."""
        return study_views(self.loaded)

    @cached_property
    def drawn(self) -> list[FigureView]:
        """The figures."""
        return load_figures(self.root, self.figures)

    @cached_property
    def cell_pages(self) -> dict[tuple[str, str, str], str]:
        """The page of each cell by table, row and column."""
        cells = ((t.id, cell) for t in self.loaded for cell in t.cells.values())
        return {(table, *cell.key): cell.page for table, cell in cells}

    @cached_property
    def about(self) -> dict[str, Any]:
        """What every page shows."""
        menu = [("Overview", INDEX), ("Outcomes", "outcomes.html"), ("Figures", "figures.html"),
                ("Readings", "readings.html"), ("Provenance", "provenance.html")]  # fmt: skip
        return {
            "name": self.name,
            "version": __version__,
            "menu": [(n, p) for n, p in menu if p != "figures.html" or self.drawn],
            "marks": MARKS,
            "inferred_mark": INFERRED_MARK,
            "kinds": KINDS,
            "short": SHORT,
        }

    def _page(self, template: str, page: str, **values: Any) -> tuple[str, bytes]:
        return page, render(template, page, site=self.about, job_id=job_id, **values)

    def _pages(self) -> Iterator[tuple[str, bytes]]:
        yield self._overview()
        titles = {t.id: t.title for t in self.loaded}
        yield self._page("outcomes.html.j2", "outcomes.html", studies=self.studies,
                         outcomes=OUTCOMES, titles=titles)  # fmt: skip
        yield self._readings()
        yield self._provenance()
        if self.drawn:
            pages = {f"{t}[{r}].{c}": page for (t, r, c), page in self.cell_pages.items()}
            yield self._page("figures.html.j2", "figures.html", figures=self.drawn,
                             pages=pages, limit=SHOWN)  # fmt: skip
        selections = Selections(Results(self.root))
        for view in self.studies:
            for table in view.tables:
                yield self._findings(view, table) if table.is_findings else self._table(view, table)
                yield from () if table.is_findings else self._cells(view, table, selections)

    def _overview(self) -> tuple[str, bytes]:
        measured = [t for t in self.loaded if not t.is_findings]
        counted = {t.id: verdict_counts(findings_of(t)) for t in self.loaded if t.is_findings}
        first = next((c.name for t in measured for c in t.of_outcome("recomputed")), "")
        return self._page(
            "overview.html.j2",
            INDEX,
            studies=self.studies,
            named=NAMED,
            totals=self._totals(measured),
            findings={v.study.id: [(t, counted[t.id]) for t in v.findings] for v in self.studies},
            figures={
                v.study.id: [f for f in self.drawn if f.study == v.study.id] for v in self.studies
            },
            example=first,
        )

    def _totals(self, measured: list[ReportTable]) -> dict[str, int]:
        return {
            "tables": len(self.loaded),
            "cells": sum(len(t.cells) for t in measured),
            "ratings": sum(self._rows(place) for place in self._inputs("ratings")),
            "answers": sum(self._rows(place) for place in self._inputs("answers")),
        }

    def _rows(self, place: str) -> int:
        return int(self.behind.sidecar(place).record["output"].get("rows", 0))

    def _inputs(self, folder: str) -> list[str]:
        """The files of a stage that the tables were made from."""
        found = (p for table in self.loaded for p in table.sidecar.inputs_in(folder))
        return list(dict.fromkeys(found))

    def _readings(self) -> tuple[str, bytes]:
        return self._page(
            "readings.html.j2",
            "readings.html",
            asked=asked_ledger(self.behind, self._inputs("answers")),
            readings=reading_ledger(self.behind, self._inputs("ratings")),
        )

    def _provenance(self) -> tuple[str, bytes]:
        places = [f"tables/{t.id}.parquet" for t in self.loaded]
        places += [f"figures/{f.id}.{kind}" for f in self.drawn for kind in ("parquet", "png")]
        jobs = all_jobs(self.behind, places)
        took: Callable[..., int | None] = seconds
        return self._page(
            "provenance.html.j2",
            "provenance.html",
            jobs=jobs,
            places={job.place for job in jobs},
            sources=sources_used(jobs, self.catalogue),
            models=models_used(self.behind, jobs),
            took=took,
        )

    def _table(self, view: StudyView, table: ReportTable) -> tuple[str, bytes]:
        cells = [cell.view for cell in table.cells.values()]
        has = {
            "interval": any(c.interval for c in cells),
            "published": any(c.published for c in cells),
            "best": any(c.best for c in cells),
            "inferred": any(c.inferred and not c.undefined for c in cells),
            "verdicts": [v for v in MARKS if any(c.verdict == v for c in cells)],
        }
        job = job_id(table.sidecar.place)
        return self._page("table.html.j2", table.page, study=view, table=table, has=has, job=job)

    def _findings(self, view: StudyView, table: ReportTable) -> tuple[str, bytes]:
        found = findings_of(table)
        return self._page(
            "findings.html.j2", table.page, study=view, table=table, findings=found,
            counts=verdict_counts(found), job=job_id(table.sidecar.place),
        )  # fmt: skip

    def _cells(
        self, view: StudyView, table: ReportTable, selections: Selections
    ) -> Iterator[tuple[str, bytes]]:
        context = CellContext(table, selections, self.row_files, self.cell_pages, self.name)
        for cell in table.cells.values():
            yield self._page("cell.html.j2", cell.page, study=view, **context.page(cell))

    def _data(self) -> Iterator[tuple[str, bytes]]:
        yield from self.row_files.files.items()
        for name in sorted(self.behind.stores):
            yield from self.behind.stores[name].files.items()
        for table in self.loaded:
            yield f"files/{table.id}.csv", (self.root / f"tables/{table.id}.csv").read_bytes()
        for figure in self.drawn:
            yield figure.file, figure.png

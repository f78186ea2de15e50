"""What the report reads, as paths from the plan; light enough for the Snakefile."""

from collections.abc import Iterable
from typing import Any

from retrial.plan import FIGURES, Plan, plugin_module


def report_inputs(plan: Plan) -> dict[str, list[str]]:
    """The tables and figures of the run, and all results behind their cells."""
    tables = list(plan.config.make)
    built = [t for t in tables if t not in plan.consistency_tables()]
    groups = (
        group
        for t in built
        for group in (
            *plan.table_datasets(t).values(),
            *plan.table_links(t).values(),
            plan.table_ratings(t),
            plan.table_answers(t),
            _prompts(plan, t),
        )
    )
    kinds = ("parquet", "csv")
    return {
        "tables": [plan.path("tables", f"{t}.{kind}") for t in tables for kind in kinds],
        "figures": plan.figure_targets(plan.config.draw),
        "behind": _once(path for group in groups for path in group),
        "catalogue": [plan.config.sources],
    }


def report_job(plan: Plan) -> dict[str, Any]:
    """Parameters of build_report. The plugins declare the tables and draw the figures."""
    tables, figures = list(plan.config.make), list(plan.config.draw)
    return {
        "name": plan.config.results,
        "tables": tables,
        "figures": figures,
        "plugins": [
            *(plan.table_module(t) for t in tables),
            *(plugin_module(FIGURES, f) for f in figures),
        ],
    }


def _prompts(plan: Plan, table: str) -> list[str]:
    asked = {(dataset, experiment) for _, dataset, experiment in plan.asked(table)}
    return [plan.path("prompts", d, f"{e}.parquet") for d, e in sorted(asked)]


def _once(paths: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(paths))

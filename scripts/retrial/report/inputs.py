"""What the report reads, as paths from the plan; light enough for the Snakefile."""

from collections.abc import Iterable

from retrial.plan import Plan


def report_inputs(plan: Plan) -> dict[str, list[str]]:
    """The tables of the run and all results behind their cells."""
    tables = list(plan.config.make)
    built = [t for t in tables if t not in plan.consistency_tables()]
    answers = _once(path for t in built for path in plan.table_answers(t))
    behind = [
        *(path for t in built for group in plan.table_datasets(t).values() for path in group),
        *(path for t in built for group in plan.table_links(t).values() for path in group),
        *(path for t in built for path in plan.table_ratings(t)),
        *answers,
        *(_prompts(plan, t) for t in built),
    ]
    flat = (path for part in behind for path in ([part] if isinstance(part, str) else part))
    return {
        "tables": [plan.path("tables", f"{t}.parquet") for t in tables],
        "csv": [plan.path("tables", f"{t}.csv") for t in tables],
        "behind": _once(flat),
    }


def _prompts(plan: Plan, table: str) -> list[str]:
    asked = {(dataset, experiment) for _, dataset, experiment in plan.asked(table)}
    return [plan.path("prompts", d, f"{e}.parquet") for d, e in sorted(asked)]


def _once(paths: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(paths))

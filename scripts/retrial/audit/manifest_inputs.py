"""What the manifest waits for: every result of the run, as paths from the plan.

The manifest reads the folder itself. Its inputs only make sure that it is written after all else,
and again whenever a result or its sidecar changes. Light enough for the Snakefile.
"""

from collections.abc import Iterator

from retrial.config import HubModel, PackagedModel
from retrial.plan import RECORDED, Plan
from retrial.record import SUFFIX


def manifest_inputs(plan: Plan) -> list[str]:
    """Tables, figures, the report and all results behind them, each with its sidecar.

    What they read from outside the results folder (templates, an adapter made elsewhere) is not.
    """
    inside = f"{plan.config.results}/"
    named = dict.fromkeys([*_targets(plan), *_behind(plan)])
    kept = [path for path in named if path.startswith(inside)]
    sidecars = [f"{path}{SUFFIX}" for path in kept]
    adapters = (path for path in dict.fromkeys(_adapters(plan)) if path.startswith(inside))
    return [*kept, *sidecars, *adapters]


def _targets(plan: Plan) -> Iterator[str]:
    yield from plan.table_targets(plan.config.make)
    yield from plan.figure_targets(plan.config.draw)
    yield plan.path("report", "index.html")
    yield plan.path("report", "files.json")


def _tables(plan: Plan) -> list[str]:
    """The tables of the run, and those that its figures and checks read."""
    read = [t for name in plan.config.make for t in plan.config.tables[name].recomputed]
    drawn = [t for name in plan.config.draw for t in plan.config.figures[name].tables]
    return list(dict.fromkeys([*plan.config.make, *read, *drawn]))


def _behind(plan: Plan) -> Iterator[str]:
    for table in _tables(plan):
        yield plan.path("tables", f"{table}.parquet")
        for kind in ("datasets", "human"):
            yield from plan.table_datasets(table)[kind]
        for kind in ("recorded", "links"):
            yield from plan.table_links(table)[kind]
        yield from plan.table_ratings(table)
        yield from plan.table_answers(table)
        for judge, dataset, experiment in plan.asked(table):
            yield plan.path("prompts", dataset, f"{experiment}.parquet")
            if experiment != RECORDED:
                yield from _asking(plan, judge, dataset, experiment)
    for figure in plan.config.draw:
        yield from plan.figure_inputs(figure)["files"]


def _asking(plan: Plan, judge: str, dataset: str, experiment: str) -> Iterator[str]:
    """What a live judge is asked with: labels, examples, embeddings, models."""
    yield plan.human(dataset)
    yield from _model(plan, judge)
    yield from plan.example_files(dataset, experiment)
    for selector in plan.selectors(experiment).values():
        yield from plan.embeddings(dataset, selector)
        encoder = plan.config.selectors[selector].encoder
        yield from _model(plan, encoder) if encoder else ()


def _model(plan: Plan, name: str) -> Iterator[str]:
    spec = plan.config.judges.get(name) or plan.config.encoders[name]
    if isinstance(getattr(spec, "source", None), PackagedModel | HubModel):
        yield plan.model(name)


def _adapters(plan: Plan) -> Iterator[str]:
    for table in _tables(plan):
        for judge in plan.config.tables[table].judges:
            yield from plan.judge_adapter(plan.config.judges[judge])

"""Which ids a configuration names, so that each can be looked up in its catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from retrial.config.judges import RecordingJudge, TransformersJudge, TunedAdapter

if TYPE_CHECKING:
    from retrial.config.whole import Config

Reference = tuple[str, Iterable[str], Mapping[str, Any], str]
"""Where ids stand, the ids, the catalogue that must hold them, and what they are ids of."""


def references(config: Config) -> Iterator[Reference]:
    """Every id that the configuration names."""
    yield from _of_items(config)
    yield from _of_judges(config)
    for key, experiment in config.experiments.items():
        where = f"experiments.{key}.conditions"
        yield where, experiment.conditions, config.conditions, "condition"
    yield from _of_tables(config)
    yield from _of_figures(config)
    for key, form in config.forms.items():
        yield f"forms.{key}.dataset", [form.dataset], config.datasets, "dataset"
    yield "draw", config.draw, config.figures, "figure"
    yield "make", config.make, config.tables, "table"


def _of_items(config: Config) -> Iterator[Reference]:
    for key, selector in config.selectors.items():
        yield f"selectors.{key}.encoder", _given(selector.encoder), config.encoders, "encoder"
    for key, condition in config.conditions.items():
        where = f"conditions.{key}.selector"
        yield where, _given(condition.selector), config.selectors, "selector"
    for key, dataset in config.datasets.items():
        where = f"datasets.{key}.generator"
        yield where, _given(dataset.generator), config.generators, "generator"
    for key, generator in config.generators.items():
        where = f"generators.{key}.story_set"
        yield where, [generator.story_set], config.story_sets, "story set"
    for key, training_set in config.training_sets.items():
        yield f"training_sets.{key}.datasets", training_set.datasets, config.datasets, "dataset"


def _of_judges(config: Config) -> Iterator[Reference]:
    for key, judge in config.judges.items():
        if isinstance(judge, RecordingJudge):
            wanted = [f.condition for f in judge.files]
            yield f"judges.{key}.files", wanted, config.conditions, "condition"
            yield f"judges.{key}.released", _given(judge.released), config.datasets, "dataset"
        elif isinstance(judge, TransformersJudge) and isinstance(judge.adapter, TunedAdapter):
            yield f"judges.{key}.adapter", [judge.adapter.tuning], config.tunings, "tuning"
    for key, tuning in config.tunings.items():
        yield f"tunings.{key}.judge", [tuning.judge], config.judges, "judge"
        where = f"tunings.{key}.training_set"
        yield where, [tuning.training_set], config.training_sets, "training set"


def _of_tables(config: Config) -> Iterator[Reference]:
    for key, table in config.tables.items():
        yield f"tables.{key}.judges", table.judges, config.judges, "judge"
        yield f"tables.{key}.datasets", table.datasets, config.datasets, "dataset"
        yield f"tables.{key}.experiments", table.experiments, config.experiments, "experiment"
        yield f"tables.{key}.conditions", table.conditions, config.conditions, "condition"
        wanted = _given(table.published_judge)
        yield f"tables.{key}.published_judge", wanted, config.judges, "judge"
        if table.experiments and set(table.experiments) <= config.experiments.keys():
            asked = [c for e in table.experiments for c in config.experiments[e].conditions]
            where = f"tables.{key}.conditions (of its experiments)"
            yield where, table.conditions, dict.fromkeys(asked), "condition"
        own = dict.fromkeys(table.experiments)
        for entry in table.only:
            yield f"tables.{key}.only", [entry.judge], dict.fromkeys(table.judges), "judge"
            where = f"tables.{key}.only ({entry.judge})"
            yield where, entry.experiments, own, "experiment"
        yield f"tables.{key}.recomputed", table.recomputed, config.tables, "table"


def _of_figures(config: Config) -> Iterator[Reference]:
    for key, figure in config.figures.items():
        yield f"figures.{key}.tables", figure.tables, config.tables, "table"
        yield f"figures.{key}.judges", figure.judges, config.judges, "judge"
        yield f"figures.{key}.datasets", figure.datasets, config.datasets, "dataset"
        where = f"figures.{key}.training_sets"
        yield where, figure.training_sets, config.training_sets, "training set"
        yield f"figures.{key}.tunings", figure.tunings, config.tunings, "tuning"
        yield f"figures.{key}.generators", figure.generators, config.generators, "generator"
        conditions = figure.conditions
        yield f"figures.{key}.conditions", conditions, config.conditions, "condition"


def _given(name: str | None) -> list[str]:
    return [name] if name else []


def faults(config: Config) -> Iterator[str]:
    """What is wrong though every id is defined: parts that don't go together."""
    seen: dict[str, str] = {}
    for kind in ("judges", "encoders", "generators"):
        for name in getattr(config, kind):
            if name in seen:
                yield f"{kind}.{name}: one of the {seen[name]} has this id too; give it another"
            seen[name] = kind
    for key, selector in config.selectors.items():
        if selector.method == "encoder" and selector.encoder is None:
            yield f"selectors.{key}: the encoder method needs `encoder`"
    for key, dataset in config.datasets.items():
        if dataset.source and dataset.paths:
            yield f"datasets.{key}: give `source` or `paths`, not both"
        if misnamed := [path for path in dataset.exports if not path.endswith(".ratings.json")]:
            yield f"datasets.{key}.exports: the name of {misnamed[0]} must end in .ratings.json"
        if dataset.exports and dataset.raters != "persons":
            yield f"datasets.{key}: with `exports`, raters are persons, not {dataset.raters}"
        if dataset.exports and key not in (form.dataset for form in config.forms.values()):
            yield f"datasets.{key}.exports: no form of the configuration is about this dataset"
    for key, tuning in config.tunings.items():
        base = config.judges.get(tuning.judge)
        if base is not None and (not isinstance(base, TransformersJudge) or base.adapter):
            yield f"tunings.{key}.judge: {tuning.judge} can't be tuned; name a plain model"
    for key, judge in config.judges.items():
        if isinstance(judge, TransformersJudge):
            yield from _adapter_faults(config, key, judge)


def _adapter_faults(config: Config, key: str, judge: TransformersJudge) -> Iterator[str]:
    if not isinstance(judge.adapter, TunedAdapter):
        return
    tuning = config.tunings.get(judge.adapter.tuning)
    base = config.judges.get(tuning.judge) if tuning else None
    if isinstance(base, TransformersJudge) and base.source != judge.source:
        yield (
            f"judges.{key}: its adapter {judge.adapter.tuning} was tuned on another model; "
            f"give it the source of {tuning.judge if tuning else ''}"
        )

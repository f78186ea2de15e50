"""Which file each stage makes, from what, and with which parameters.

Pure functions of the configuration, light enough for the Snakefile: a rule asks the plan for
its inputs and its parameters. Parameters leave out what is at its default, so that a new
configuration field reruns nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrial.code_digest import code_digest
from retrial.config import Config, HubModel, PackagedModel, RecordingJudge, Section

SCRIPTS = Path(__file__).parent.parent
CONSISTENCY = "_consistency"
RECORDED = "recorded"
"""The experiment of recordings: everything that was ever asked of them."""
READERS, METHODS = "retrial.items.readers", "retrial.examples.methods"
TABLES, FIGURES = "retrial.tables", "retrial.figures"
BACKENDS, PARSERS = "retrial.judging.backends", "retrial.scoring.parsers"


def plugin_module(package: str, name: str) -> str:
    """The module of a plugin: ids are written with `-`, modules with `_`."""
    return f"{package}.{name.replace('-', '_')}"


def leaves(section: Section, *leave_out: str) -> dict[str, Any]:
    """What a section sets, without defaults and without the fields that no result depends on."""
    return section.model_dump(mode="json", exclude_defaults=True, exclude=set(leave_out))


@dataclass(frozen=True)
class Plan:
    """The files and jobs of one configuration."""

    config: Config

    def path(self, *parts: str) -> str:
        """A path below the results folder."""
        return "/".join((self.config.results, *parts))

    def raw(self, source: str, file: str) -> str:
        """A downloaded file."""
        return f"{self.config.raw}/{source}/{file}"

    def items(self, dataset: str) -> str:
        """The items of a dataset."""
        return self.path("items", f"{dataset}.parquet")

    def human(self, dataset: str) -> str:
        """People's ratings of a dataset."""
        return self.path("ratings", "human", f"{dataset}.parquet")

    def ratings(self, judge: str, dataset: str, experiment: str) -> str:
        """A judge's ratings."""
        return self.path("ratings", judge, dataset, f"{experiment}.parquet")

    def model(self, name: str) -> str:
        """The lock of a prepared model: its folder, revision and file digests."""
        return self.path("models", f"{name}.json")

    def store(self, judge: str) -> str:
        """The answer store of a judge."""
        return f"{self.config.store or self.path('store')}/{judge}"

    def dataset_sources(self, dataset: str) -> list[str]:
        """The downloads that a dataset is read from."""
        spec = self.config.datasets[dataset]
        return [self.raw(spec.source, f) for f in spec.files] if spec.source else []

    def example_files(self, dataset: str, experiment: str) -> list[str]:
        """The chosen examples that an experiment's prompts need."""
        names = self.selectors(experiment).values()
        return [self.path("examples", dataset, f"{n}.parquet") for n in dict.fromkeys(names)]

    def selectors(self, experiment: str) -> dict[str, str]:
        """The selector of each condition of an experiment that has one."""
        conditions = self.config.experiments[experiment].conditions
        found = {c: self.config.conditions[c].selector for c in conditions}
        return {c: s for c, s in found.items() if s}

    def embeddings(self, dataset: str, selector: str) -> list[str]:
        """The embeddings that a selector compares by, if it does."""
        encoder = self.config.selectors[selector].encoder
        return [self.path("embeddings", dataset, f"{encoder}.parquet")] if encoder else []

    def recordings(self, names: Iterable[str]) -> dict[str, RecordingJudge]:
        """Those of the judges that are recordings."""
        judges = {name: self.config.judges[name] for name in names}
        return {n: j for n, j in judges.items() if isinstance(j, RecordingJudge)}

    def live_judges(self) -> list[str]:
        """The judges that can be asked."""
        return [n for n in self.config.judges if not self.recordings([n])]

    def families(self) -> list[str]:
        """The families of all recordings: each is a dataset of its own."""
        return list(dict.fromkeys(r.family for r in self.recordings(self.config.judges).values()))

    def family_answers(self, family: str) -> list[str]:
        """The answers of all recordings of a family."""
        judges = [n for n, r in self.recordings(self.config.judges).items() if r.family == family]
        return [self.path("answers", n, family, f"{RECORDED}.parquet") for n in judges]

    def family_released(self, family: str) -> str:
        """The dataset that a family's order is inferred against."""
        recorded = self.recordings(self.config.judges).values()
        return next(r.released for r in recorded if r.family == family and r.released)

    def recorded_files(self, judge: str) -> list[str]:
        """The downloads that a recording is read from."""
        spec = self.recordings([judge])[judge]
        return [self.raw(spec.source, f.file) for f in spec.files]

    def figure_targets(self, figures: Iterable[str]) -> list[str]:
        """Every figure and the points that it draws."""
        return [self.path("figures", f"{f}.{kind}") for f in figures for kind in ("parquet", "png")]

    def figure_inputs(self, figure: str) -> dict[str, list[str]]:
        """The cells that a figure reads, and the ratings and links where it reads those."""
        spec = self.config.figures[figure]
        asked = self.recordings(spec.judges)
        files = [self.ratings(j, r.family, RECORDED) for j, r in asked.items()]
        files += [self.items(r.family) for r in asked.values()]
        files += [self.path("links", f"{r.family}.parquet") for r in asked.values() if r.released]
        for dataset in spec.datasets:
            files += [self.items(dataset), self.human(dataset)]
        return {
            "tables": [self.path("tables", f"{t}.parquet") for t in spec.tables],
            "files": list(dict.fromkeys(files)),
        }

    def figure_job(self, figure: str) -> dict[str, Any]:
        """Parameters of draw_figure."""
        spec = self.config.figures[figure]
        recorded = self.recordings(spec.judges)
        return {
            "figure": figure,
            "spec": leaves(spec),
            "judges": {j: self.config.judges[j].label for j in spec.judges},
            "recordings": {
                j: {"family": r.family, "released": r.released} for j, r in recorded.items()
            },
        }

    def asked(self, table: str) -> list[tuple[str, str, str]]:
        """(judge, dataset, experiment) of every set of ratings behind a table, in order."""
        spec = self.config.tables[table]
        recorded = self.recordings(spec.judges)
        return [
            asked
            for judge in spec.judges
            for asked in (
                [(judge, recorded[judge].family, RECORDED)]
                if judge in recorded
                else [(judge, d, e) for d in spec.datasets for e in spec.experiments]
            )
        ]

    def table_ratings(self, table: str) -> list[str]:
        """The judges' ratings behind a table, in the order of its lists."""
        return [self.ratings(*asked) for asked in self.asked(table)]

    def table_answers(self, table: str) -> list[str]:
        """The answers behind a table's ledger columns and texts."""
        return [self.path("answers", j, d, f"{e}.parquet") for j, d, e in self.asked(table)]

    def table_links(self, table: str) -> dict[str, list[str]]:
        """Items of the recordings behind a table, and the links to the released items."""
        recorded = self.recordings(self.config.tables[table].judges).values()
        families = list(dict.fromkeys(r.family for r in recorded))
        linked = list(dict.fromkeys(r.family for r in recorded if r.released))
        return {
            "recorded": [self.items(f) for f in families],
            "links": [self.path("links", f"{f}.parquet") for f in linked],
        }

    def consistency_tables(self) -> list[str]:
        """The tables that check a study's printed values by arithmetic."""
        return [t for t in self.config.tables if t.endswith(CONSISTENCY)]

    def consistency_inputs(self, table: str) -> dict[str, list[str]]:
        """A study's published values, and the recomputed tables that its checks need."""
        study = table.removesuffix(CONSISTENCY)
        published = sorted(Path(self.config.published).glob(f"{study}*.csv"))
        spec = self.config.tables[table]
        return {
            "published": [p.as_posix() for p in published],
            "recomputed": [self.path("tables", f"{t}.parquet") for t in spec.recomputed],
        }

    def published_file(self, table: str) -> list[str]:
        """The paper's values of a table, where they are at hand: its own file or its study's."""
        names = (table, table.split("_")[0])
        paths = (Path(self.config.published) / f"{name}.csv" for name in names)
        return [path.as_posix() for path in paths if path.exists()][:1]

    def table_datasets(self, table: str) -> dict[str, list[str]]:
        """Items and human ratings behind a table."""
        names = self.config.tables[table].datasets
        rated = [n for n in names if self.config.datasets[n].raters != "none"]
        return {"datasets": [self.items(n) for n in names], "human": [self.human(n) for n in rated]}

    def table_targets(self, tables: Iterable[str]) -> list[str]:
        """Every rendering of these tables."""
        kinds = ("parquet", "csv", "html", "png")
        return [self.path("tables", f"{t}.{kind}") for t in tables for kind in kinds]

    # Parameters of the jobs, one method a rule.

    def items_job(self, dataset: str) -> dict[str, Any]:
        """Parameters of build_items."""
        spec = self.config.datasets[dataset]
        return {"dataset": dataset, "spec": leaves(spec, "label", "judged")}

    def model_job(self, name: str) -> dict[str, Any]:
        """Parameters of prepare_model, for a judge or an encoder."""
        judge = self.config.judges.get(name)
        spec = judge if judge is not None else self.config.encoders[name]
        source = getattr(spec, "source", None)
        assert isinstance(source, PackagedModel | HubModel), f"{name} has no model to prepare"
        return {"source": leaves(source), "cache": self.config.models}

    def examples_job(self, dataset: str, selector: str) -> dict[str, Any]:
        """Parameters of choose_examples."""
        spec = self.config.selectors[selector]
        judged = self.config.datasets[dataset].judged
        return {
            "dataset": dataset,
            "selector": selector,
            "spec": leaves(spec),
            "judged": leaves(judged) if judged else None,
        }

    def prompts_job(
        self, dataset: str, experiment: str, templates: Mapping[str, str]
    ) -> dict[str, Any]:
        """Parameters of build_prompts; `templates` maps template ids to their digests."""
        spec = self.config.experiments[experiment]
        judged = self.config.datasets[dataset].judged
        used = {c: self.config.conditions[c] for c in spec.conditions}
        return {
            "attributes": spec.attributes,
            "conditions": {c: leaves(v, "label") for c, v in used.items()},
            "shared": [c for c, s in self.selectors(experiment).items() if self.is_shared(s)],
            "templates": {v.template: templates[v.template] for v in used.values()},
            "folder": self.config.prompts,
            "judged": leaves(judged) if judged else None,
        }

    def is_shared(self, selector: str) -> bool:
        """Whether all items of a replicate get the same examples."""
        return self.config.selectors[selector].method == "random-draw"

    def judging_job(self, judge: str) -> dict[str, Any]:
        """Parameters of ask_judge."""
        spec = self.config.judges[judge]
        assert not isinstance(spec, RecordingJudge), f"{judge} is a recording: nobody can ask it"
        asked = leaves(spec, "label", "note", "parameters_billion", "resources")
        return {
            "judge": judge,
            "spec": asked,
            "folder": self.config.prompts,
            "chunk": self.config.chunk,
            "store": self.store(judge),
        }

    def parsers(self) -> list[str]:
        """The parsers that read every text answer: the configured, the published, the robust."""
        return list(dict.fromkeys([self.config.scoring.parser, "chiang2023", "robust"]))

    def rating_job(self) -> dict[str, Any]:
        """Parameters of rate_answers."""
        scoring = self.config.scoring
        return {"parsers": self.parsers(), "top_k": scoring.top_k, "low_mass": scoring.low_mass}

    def recording_job(self, judge: str) -> dict[str, Any]:
        """Parameters of read_recording."""
        spec = self.recordings([judge])[judge]
        return {"judge": judge, "spec": leaves(spec, "label", "note", "released")}

    def table_job(self, table: str) -> dict[str, Any]:
        """Parameters of build_table: its lists, the labels they print, and the statistics."""
        spec = self.config.tables[table]
        judges = {j: self.config.judges[j].label for j in spec.judges}
        return {
            "table": table,
            "spec": leaves(spec),
            "statistics": self.config.statistics.model_dump(mode="json"),
            "judges": judges,
            "recordings": {
                name: {
                    "family": r.family,
                    "released": r.released,
                    "conditions": [f.condition for f in r.files],
                }
                for name, r in self.recordings(spec.judges).items()
            },
            "judge_notes": {j: self.config.judges[j].note for j in spec.judges},
            "datasets": {d: leaves(self.config.datasets[d], "options") for d in spec.datasets},
            "conditions": {c: leaves(self.config.conditions[c]) for c in spec.conditions},
            "replicates": {
                c: self.config.selectors[s].replicates
                for c in spec.conditions
                if (s := self.config.conditions[c].selector)
            },
        }

    def rendering_job(self, table: str) -> dict[str, Any]:
        """Parameters of render_table: the table's own, for its titles and notes."""
        return {**self.table_job(table), "plugins": [self.table_module(table)]}

    def table_module(self, table: str) -> str:
        """The module that declares a table."""
        return plugin_module(TABLES, table)

    def code(self, script: str, *plugins: str) -> str:
        """The digest of the code that an adapter script runs."""
        return code_digest(SCRIPTS / script, plugins)

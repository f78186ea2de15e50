"""The jobs that build tables."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from retrial.config import TunedAdapter
from retrial.plan.judging import Judging
from retrial.plan.paths import RECORDED, TABLES, leaves, plugin_module

CONSISTENCY, CLAIMS = "_consistency", "_claims"


class Tables(Judging):
    """What each table is made from."""

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
                else [
                    (judge, dataset, experiment)
                    for dataset in spec.datasets
                    for experiment in spec.asked_in(judge)
                ]
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
        """The paper's values of a table, where they are at hand: its own file or its study's.

        A table of claims is about all tables of its study.
        """
        study = table.split("_")[0]
        if table.endswith(CLAIMS):
            found = sorted(Path(self.config.published).glob(f"{study}*.csv"))
            return [path.as_posix() for path in found]
        paths = (Path(self.config.published) / f"{name}.csv" for name in (table, study))
        return [path.as_posix() for path in paths if path.exists()][:1]

    def table_datasets(self, table: str) -> dict[str, list[str]]:
        """Items and human ratings behind a table."""
        names = self.config.tables[table].datasets
        rated = [n for n in names if self.config.datasets[n].raters != "none"]
        return {"datasets": [self.items(n) for n in names], "human": [self.human(n) for n in rated]}

    def table_job(self, table: str) -> dict[str, Any]:
        """Parameters of build_table: its lists, the labels they print, and the statistics."""
        spec = self.config.tables[table]
        judges = {j: self.config.judges[j].label for j in spec.judges}
        return {
            "table": table,
            "spec": {
                **leaves(spec, "only"),
                "only": {entry.judge: entry.experiments for entry in spec.only},
            },
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
            "experiments": {e: self.config.experiments[e].conditions for e in spec.experiments},
            "parameters_billion": self.sizes(spec.judges),
            "tunings": self.tuned_judges(spec.judges),
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

    def sizes(self, judges: Iterable[str]) -> dict[str, float]:
        """Billions of parameters of those judges whose size the configuration says."""
        said = {j: getattr(self.config.judges[j], "parameters_billion", None) for j in judges}
        return {judge: size for judge, size in said.items() if size}

    def tuned_judges(self, judges: Iterable[str]) -> dict[str, dict[str, str]]:
        """How the training set of each tuned judge was drawn: it may look at test labels."""
        adapters = {j: getattr(self.config.judges[j], "adapter", None) for j in judges}
        tunings = {
            j: self.config.tunings[adapter.tuning]
            for j, adapter in adapters.items()
            if isinstance(adapter, TunedAdapter)
        }
        return {
            j: {"draw": self.config.training_sets[tuning.training_set].draw}
            for j, tuning in tunings.items()
        }

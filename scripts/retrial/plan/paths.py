"""Where everything lies, and what a job's parameters are made of."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrial.code_digest import code_digest
from retrial.config import Config, Section

SCRIPTS = Path(__file__).parents[2]
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
class Paths:
    """The files of one configuration."""

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

    def template_file(self, template: str) -> str:
        """A prompt template."""
        return f"{self.config.prompts}/{template}.yaml"

    def human(self, dataset: str) -> str:
        """People's ratings of a dataset."""
        return self.path("ratings", "human", f"{dataset}.parquet")

    def ratings(self, judge: str, dataset: str, experiment: str) -> str:
        """A judge's ratings."""
        return self.path("ratings", judge, dataset, f"{experiment}.parquet")

    def stories(self, generator: str) -> str:
        """The stories of a generator, and people's on the same prompts."""
        return self.path("stories", f"{generator}.parquet")

    def model(self, name: str) -> str:
        """The lock of a prepared model: its folder, revision and file digests."""
        return self.path("models", f"{name}.json")

    def store(self, judge: str) -> str:
        """The answer store of a judge."""
        return f"{self.config.store or self.path('store')}/{judge}"

    def table_targets(self, tables: Iterable[str]) -> list[str]:
        """Every rendering of these tables."""
        kinds = ("parquet", "csv", "html", "png")
        return [self.path("tables", f"{t}.{kind}") for t in tables for kind in kinds]

    def figure_targets(self, figures: Iterable[str]) -> list[str]:
        """Every figure and the points that it draws."""
        return [self.path("figures", f"{f}.{kind}") for f in figures for kind in ("parquet", "png")]

    def code(self, script: str, *plugins: str) -> str:
        """The digest of the code that an adapter script runs."""
        return code_digest(SCRIPTS / script, plugins)

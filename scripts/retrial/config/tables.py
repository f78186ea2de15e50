"""Sections of what is shown: statistics, tables, figures."""

from typing import Literal

from pydantic import Field, PositiveInt

from retrial.config.section import Id, Section, TableId

Reading = Literal["expectation", "log-literal", "robust", "chiang2023"]
LabelRule = Literal["mean", "max", "majority", "median", "first"]


class Statistics(Section):
    """Choices of the tables."""

    label_rule: LabelRule = "mean"
    human_threshold: float = 3.0
    judge_rule: Literal["le-3", "lt-3.5", "round"] = "le-3"
    resamples: PositiveInt = 2000
    level: float = Field(0.95, gt=0, lt=1)
    seed: int = 1


class AskedIn(Section):
    """The experiments of one judge of a table."""

    judge: Id
    experiments: list[Id]


class Table(Section):
    """What a table shows: lists of ids."""

    judges: list[Id] = []
    datasets: list[Id] = []
    experiments: list[Id] = []
    conditions: list[Id] = []
    reading: Reading | None = None
    items: list[str] = Field([], description="keys of the items that an example table shows")
    recomputed: list[TableId] = Field(
        [], description="tables of recomputed values that a consistency table is checked against"
    )
    only: list[AskedIn] = Field([], description="judges not asked in all of the experiments")
    published_judge: Id | None = Field(None, description="the judge that the paper's values are of")

    def asked_in(self, judge: str) -> list[str]:
        """The experiments of a judge: its own, where `only` says, else all of the table's."""
        own = {entry.judge: entry.experiments for entry in self.only}
        return own.get(judge, self.experiments)


class Figure(Section):
    """What a figure draws: cells of tables, and ratings where a table has none."""

    tables: list[TableId] = []
    judges: list[Id] = []
    datasets: list[Id] = []
    reading: Reading | None = None
    conditions: list[Id] = []
    training_sets: list[Id] = []
    tunings: list[Id] = []
    generators: list[Id] = []

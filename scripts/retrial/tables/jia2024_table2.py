"""jia2024 Table 2: in-context examples for judging dialogues, on the four USS subsets."""

from collections.abc import Iterator, Mapping
from typing import Any

from retrial.tables.declare import (
    CellSpec,
    Comparison,
    Constant,
    Declaration,
    HumanCeiling,
    JudgeAgainstHuman,
    Ledger,
    SampleSpec,
)
from retrial.tables.description import Description
from retrial.tables.jia2024 import CEILING, CONSTANT, NOTE_LEDGER, NOTE_REFERENCES, Ask, DialogueJob
from retrial.tables.jia2024_columns import (
    CLASSIFICATION,
    COLUMNS,
    CORRELATIONS,
    LEDGER,
    all_groups,
    as_columns,
)

PUBLISHED_N = {"CCPE": 50, "MWOZ": 100, "Redial": 100, "SGD": 100}
"""Test items in the paper: a random tenth of each subset (section 4)."""


class _Table(DialogueJob):
    """The table's job, read once; each method yields cells of one kind of row."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        super().__init__(job)
        self.experiment = self.only_experiment()

    def cells(self) -> Iterator[CellSpec]:
        for dataset in self.datasets:
            for judge in self.judges:
                for condition in self.conditions:
                    yield from self._condition(judge, dataset, condition)
            yield from self._references(dataset)

    def block(self, dataset: str) -> str:
        return str(self.job["datasets"][dataset]["label"])

    def key(self, judge: str, dataset: str, condition: str, note: str = "") -> str:
        """As in data/published for the paper's judge (else the first); others are named."""
        key = f"{self.block(dataset)} / {self.label(condition)}{note}"
        return key if judge == self.unnamed else f"{key} / {self.job['judges'][judge]}"

    def _condition(self, judge: str, dataset: str, condition: str) -> Iterator[CellSpec]:
        chosen = self.judge(Ask(judge, self.experiment, condition), dataset)
        human = self.human(dataset)
        several = self.job["replicates"].get(condition, 1) > 1
        pairs = JudgeAgainstHuman(chosen, human, self.label_rule, "mean-of-metrics")
        yield from self._row(self.key(judge, dataset, condition), dataset, pairs, judge)
        if several:
            mean = JudgeAgainstHuman(chosen, human, self.label_rule, "mean-rating")
            row = self.key(judge, dataset, condition, " (mean rating)")
            yield from self._row(row, dataset, mean, judge)

    def _row(
        self, row: str, dataset: str, sample: JudgeAgainstHuman, judge: str
    ) -> Iterator[CellSpec]:
        yield from self._metrics(row, dataset, sample, judge)
        answers = f"answers/{judge}/{dataset}/{self.experiment}.parquet"
        for column, _, form in LEDGER:
            counted = Ledger(sample.judge, answers)
            metric = column.replace("_", "-")
            yield CellSpec(row, column, self.block(dataset), metric, counted, form)

    def _references(self, dataset: str) -> Iterator[CellSpec]:
        judge = self.judge(Ask(self.judges[0], self.experiment, self.conditions[0]), dataset)
        human, training = self.human(dataset), self.human(dataset, "train")
        ceiling = HumanCeiling(human, judge)
        constant = Constant(human, judge, training, self.label_rule, self.threshold)
        for name, sample in ((CEILING, ceiling), (CONSTANT, constant)):
            yield from self._metrics(f"{self.block(dataset)} / {name}", dataset, sample, None)

    def _metrics(
        self, row: str, dataset: str, sample: SampleSpec, judge: str | None
    ) -> Iterator[CellSpec]:
        def compare(column: str) -> Comparison:
            return self._comparison(dataset, column, judge)

        yield from self.metrics(row, self.block(dataset), sample, as_columns(COLUMNS), compare)

    def _comparison(self, dataset: str, column: str, judge: str | None) -> Comparison:
        n = PUBLISHED_N.get(self.block(dataset))
        if n is None:
            return Comparison("none", reason="the paper has no such dataset")
        if judge != self.published_judge and column != "defect_rate":
            named = self.job["judges"].get(judge, "no model") if judge else "no model"
            return Comparison("none", reason=f"another judge: {named}")
        return Comparison("new-sample", published_n=n)


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job (see Plan.table_job)."""
    table = _Table(job)
    references = frozenset(
        f"{table.block(d)} / {name}" for d in table.datasets for name in (CEILING, CONSTANT)
    )
    judges = ", ".join(job["judges"].values())
    labels = ", ".join(table.block(dataset) for dataset in table.datasets)
    description = Description(
        title=f"jia2024 Table 2: in-context examples on {labels}, judged by {judges}",
        groups=all_groups(),
        notes=tuple(_notes(table)),
        ledger_columns=tuple((column, label) for column, label, _ in LEDGER),
        best=dict.fromkeys((*CLASSIFICATION, *CORRELATIONS), "high"),
        row_header="examples",
        reference_rows=references,
    )
    return Declaration(job["table"], tuple(table.cells()), description)


def _notes(table: _Table) -> Iterator[str]:
    yield from table.judge_notes()
    yield table.note_defect()
    yield (
        "Random rows: mean of the metric over the draws of examples; (mean rating): the metric of "
        "each dialogue's mean rating over the draws. The paper does not say which it prints."
    )
    yield NOTE_REFERENCES
    yield NOTE_LEDGER

"""jia2024 Table 2: in-context examples for judging dialogues, on the four USS subsets."""

from collections.abc import Iterator, Mapping
from typing import Any

from retrial.errors import RetrialError
from retrial.tables.declare import (
    CellSpec,
    Comparison,
    Constant,
    Declaration,
    HumanCeiling,
    JudgeAgainstHuman,
    Ledger,
    SampleSpec,
    Selection,
)
from retrial.tables.description import ColumnGroup, Description

PARTS = (("precision", "P"), ("recall", "R"), ("f1", "F1"))
CLASSES = (("defect", "Defect"), ("nondefect", "Non-defect"),
           ("weighted", "Weighted avg."), ("macro", "Macro avg."))  # fmt: skip
CLASSIFICATION = tuple(f"{name}_{part}" for name, _ in CLASSES for part, _ in PARTS)
CORRELATIONS = ("spearman", "pearson")
COLUMNS = ("defect_rate", *CLASSIFICATION, *CORRELATIONS)
LEDGER = (("items_scored", "n", "d"), ("prompts_cut", "cut", ".0%"),
          ("items_cut", "item cut", ".0%"), ("rating_mass", "mass", ".3f"))  # fmt: skip

NEEDED = ("judges", "datasets", "experiments", "conditions")
OVERALL = (("attribute", "overall"),)

PUBLISHED_N = {"CCPE": 50, "MWOZ": 100, "Redial": 100, "SGD": 100}
"""Test items in the paper: a random tenth of each subset (section 4)."""


class _Table:
    """The table's job, read once; each method yields cells of one kind of row."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        self.job = job
        spec = job["spec"]
        if empty := [n for n in NEEDED if not spec.get(n)]:
            raise RetrialError(f"tables.{job['table']}: list at least one of {', '.join(empty)}")
        if len(spec["experiments"]) > 1:
            raise RetrialError(f"tables.{job['table']}.experiments: this table shows one of them")
        self.judges: list[str] = spec["judges"]
        self.datasets: list[str] = spec["datasets"]
        self.conditions: list[str] = spec["conditions"]
        self.experiment: str = spec["experiments"][0]
        self.published_judge: str | None = spec.get("published_judge")
        first = self.published_judge if self.published_judge in self.judges else self.judges[0]
        self.unnamed = first
        self.reading: str = spec.get("reading", "expectation")
        statistics = job["statistics"]
        self.label_rule = statistics["label_rule"]
        self.threshold = statistics["human_threshold"]
        self.judge_rule = statistics["judge_rule"]

    def cells(self) -> Iterator[CellSpec]:
        for dataset in self.datasets:
            for judge in self.judges:
                for condition in self.conditions:
                    yield from self._condition(judge, dataset, condition)
            yield from self._references(dataset)

    def block(self, dataset: str) -> str:
        return str(self.job["datasets"][dataset]["label"])

    def row(self, judge: str, dataset: str, condition: str, note: str = "") -> str:
        """As in data/published for the paper's judge (else the first); others are named."""
        key = f"{self.block(dataset)} / {self.job['conditions'][condition]['label']}{note}"
        return key if judge == self.unnamed else f"{key} / {self.job['judges'][judge]}"

    def _condition(self, judge: str, dataset: str, condition: str) -> Iterator[CellSpec]:
        chosen = self._judge(judge, dataset, condition)
        human = self._human(dataset)
        several = self.job["replicates"].get(condition, 1) > 1
        pairs = JudgeAgainstHuman(chosen, human, self.label_rule, "mean-of-metrics")
        row = self.row(judge, dataset, condition)
        yield from self._metrics(row, dataset, pairs, judge)
        yield from self._ledger(row, dataset, judge, chosen)
        if several:
            pooled = JudgeAgainstHuman(chosen, human, self.label_rule, "mean-rating")
            pooled_row = self.row(judge, dataset, condition, " (mean rating)")
            yield from self._metrics(pooled_row, dataset, pooled, judge)
            yield from self._ledger(pooled_row, dataset, judge, chosen)

    def _references(self, dataset: str) -> Iterator[CellSpec]:
        judge = self._judge(self.judges[0], dataset, self.conditions[0])
        human, training = self._human(dataset), self._human(dataset, "train")
        ceiling = HumanCeiling(human, judge)
        constant = Constant(human, judge, training, self.label_rule, self.threshold)
        for name, sample in (("Human ceiling", ceiling), ("Constant", constant)):
            yield from self._metrics(f"{self.block(dataset)} / {name}", dataset, sample, None)

    def _metrics(
        self, row: str, dataset: str, sample: SampleSpec, judge: str | None
    ) -> Iterator[CellSpec]:
        for column in COLUMNS:
            classified = column not in CORRELATIONS
            rules = {"human_threshold": self.threshold, "judge_rule": self.judge_rule}
            yield CellSpec(
                row=row,
                column=column,
                block=self.block(dataset),
                metric=column.replace("_", "-"),
                sample=sample,
                format=".0%" if column == "defect_rate" else ".2f",
                parameters=rules if classified else {},
                comparison=self._comparison(dataset, column, judge),
            )

    def _comparison(self, dataset: str, column: str, judge: str | None) -> Comparison:
        n = PUBLISHED_N.get(self.block(dataset))
        if n is None:
            return Comparison("none", reason="the paper has no such dataset")
        if judge != self.published_judge and column != "defect_rate":
            named = self.job["judges"].get(judge, "no model") if judge else "no model"
            return Comparison("none", reason=f"another judge: {named}")
        return Comparison("new-sample", published_n=n)

    def _ledger(self, row: str, dataset: str, judge: str, chosen: Selection) -> Iterator[CellSpec]:
        answers = f"answers/{judge}/{dataset}/{self.experiment}.parquet"
        for column, _, form in LEDGER:
            metric = column.replace("_", "-")
            yield CellSpec(row, column, self.block(dataset), metric, Ledger(chosen, answers), form)

    def _judge(self, judge: str, dataset: str, condition: str) -> Selection:
        where = (("attribute", "overall"), ("condition", condition), ("reading", self.reading))
        return Selection("judge", f"ratings/{judge}/{dataset}/{self.experiment}.parquet", where)

    def _human(self, dataset: str, split: str = "test") -> Selection:
        if split == "test" and "split" not in self.job["datasets"][dataset]:
            return Selection("human", f"ratings/human/{dataset}.parquet", OVERALL)
        items = f"items/{dataset}.parquet"
        file = f"ratings/human/{dataset}.parquet"
        role = "human" if split == "test" else "training"
        return Selection(role, file, OVERALL, items, split)


def declare(job: Mapping[str, Any]) -> Declaration:
    """The table of a build_table job (see Plan.table_job)."""
    table = _Table(job)
    references = frozenset(
        f"{table.block(d)} / {name}"
        for d in table.datasets
        for name in ("Human ceiling", "Constant")
    )
    groups = [ColumnGroup("", (("defect_rate", "Defect rate"),))]
    groups += [
        ColumnGroup(title, tuple((f"{name}_{part}", short) for part, short in PARTS))
        for name, title in CLASSES
    ]
    groups.append(ColumnGroup("Correlation", (("spearman", "Spearman"), ("pearson", "Pearson"))))
    judges = ", ".join(job["judges"].values())
    labels = ", ".join(table.block(dataset) for dataset in table.datasets)
    description = Description(
        title=f"jia2024 Table 2: in-context examples on {labels}, judged by {judges}",
        groups=tuple(groups),
        notes=tuple(_notes(job)),
        ledger_columns=tuple((column, label) for column, label, _ in LEDGER),
        best=dict.fromkeys((*CLASSIFICATION, *CORRELATIONS), "high"),
        row_header="examples",
        reference_rows=references,
    )
    return Declaration(job["table"], tuple(table.cells()), description)


def _notes(job: Mapping[str, Any]) -> Iterator[str]:
    statistics = job["statistics"]
    yield from (f"{job['judges'][j]}: {note}" for j, note in job["judge_notes"].items() if note)
    yield (
        f"Defect: {statistics['label_rule']} of the raters at most "
        f"{statistics['human_threshold']:g}; predicted defect: rule {statistics['judge_rule']} on "
        "the judge's score (a choice: the paper does not say what a score between 3 and 4 is)."
    )
    yield (
        "Random rows: mean of the metric over the draws of examples; (mean rating): the metric of "
        "each dialogue's mean rating over the draws. The paper does not say which it prints."
    )
    yield (
        "Human ceiling: one rater against the mean of the others. Constant: every dialogue gets "
        "the majority class of the training split."
    )
    yield (
        "n: items scored; cut: prompts that lost turns to the context length; item cut: of the "
        "judged dialogue itself; mass: mean probability on the rating tokens."
    )

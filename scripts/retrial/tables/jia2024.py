"""What the jia2024 tables share: their columns, the judges as they were asked, pooled items.

Pooled items are a selection over several datasets and never a dataset of their own: every
selection keeps its file, and an item counts once whatever dataset it is of.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retrial.errors import RetrialError
from retrial.tables.declare import (
    CellSpec,
    Comparison,
    Constant,
    HumanCeiling,
    JudgeAgainstHuman,
    Ledger,
    SampleSpec,
    Selection,
)
from retrial.tables.jia2024_columns import LEDGER, Column, is_classified

CEILING, CONSTANT = "Human ceiling", "Constant"

NEEDED = ("judges", "datasets", "experiments", "conditions")
OVERALL = ("attribute", "overall")
BINARY = "-binary"
"""Ending of the templates that ask for 0 (a defect) or 1."""
BINARY_RULE = "lt-0.5"
"""A probability of non-defect below one half is a predicted defect."""

INTERNAL = "the paper's dialogues are Amazon's own and not released"
"""Why nothing is compared with the values of Tables 1, 3 and 4."""

NOTE_INTERNAL = f"Nothing is comparable with print: {INTERNAL}."
NOTE_REFERENCES = (
    "Human ceiling: one rater against the mean of the others. Constant: every dialogue gets the "
    "majority class of the training split."
)
NOTE_LEDGER = (
    "n: items scored; cut: prompts that lost turns to the context length; item cut: of the judged "
    "dialogue itself; mass: mean probability on the rating tokens."
)


@dataclass(frozen=True)
class Ask:
    """A judge as it was asked: the experiment that asked it, and the condition."""

    judge: str
    experiment: str
    condition: str


class DialogueJob:
    """A build_table job of the study, read once."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        self.job = job
        spec = job["spec"]
        if empty := [name for name in NEEDED if not spec.get(name)]:
            raise RetrialError(f"tables.{job['table']}: list at least one of {', '.join(empty)}")
        self.judges: list[str] = spec["judges"]
        self.datasets: list[str] = spec["datasets"]
        self.conditions: list[str] = spec["conditions"]
        self.experiments: list[str] = spec["experiments"]
        self.published_judge: str | None = spec.get("published_judge")
        first = self.published_judge if self.published_judge in self.judges else self.judges[0]
        self.unnamed = first
        """The judge whose rows are written as the paper's; rows of others name them."""
        statistics = job["statistics"]
        self.label_rule: str = statistics["label_rule"]
        self.threshold: float = statistics["human_threshold"]
        self.judge_rule: str = statistics["judge_rule"]

    # Who was asked what.

    def asks(self) -> list[Ask]:
        """Every judge in every condition of the table in which it was asked, in order.

        Raises RetrialError for a judge without any.
        """
        found: list[Ask] = []
        for judge in self.judges:
            own = self.job["spec"].get("only", {}).get(judge, self.experiments)
            asked = [
                Ask(judge, experiment, condition)
                for condition in self.conditions
                for experiment in own
                if condition in self._conditions_of(experiment)
            ]
            if not asked:
                raise RetrialError(
                    f"tables.{self.job['table']}: {judge} is asked in none of the table's "
                    f"conditions ({', '.join(self.conditions)}); name one of {', '.join(own)}'s"
                )
            found += asked
        return found

    def _conditions_of(self, experiment: str) -> Sequence[str]:
        if len(self.experiments) == 1:
            return self.conditions
        found: Sequence[str] = self.job["experiments"][experiment]
        return found

    def only_experiment(self) -> str:
        """The experiment of a table that shows one. Raises RetrialError when it lists more."""
        if len(self.experiments) > 1:
            table = self.job["table"]
            raise RetrialError(f"tables.{table}.experiments: this table shows one of them")
        return self.experiments[0]

    def row(self, ask: Ask) -> str:
        """The judge's label; the condition's too where it is not the table's first."""
        label = str(self.job["judges"][ask.judge])
        if ask.condition == self.conditions[0]:
            return label
        return f"{label} / {self.label(ask.condition)}"

    def label(self, condition: str) -> str:
        """How tables name a condition."""
        return str(self.job["conditions"][condition]["label"])

    def is_binary(self, ask: Ask) -> bool:
        """Whether the judge was asked for 0 or 1 and not for a rating."""
        template: str = self.job["conditions"][ask.condition].get("template", "")
        return template.endswith(BINARY)

    def rules(self, ask: Ask | None = None) -> dict[str, Any]:
        """How people's labels and a judge's scores become classes."""
        rule = BINARY_RULE if ask is not None and self.is_binary(ask) else self.judge_rule
        return {"human_threshold": self.threshold, "judge_rule": rule}

    # Where the ratings are.

    def reading(self, condition: str) -> str:
        """The reading of the condition's answers: of text where they are generated."""
        method = self.job["conditions"][condition].get("method", "logits")
        usual = "robust" if method == "generation" else "expectation"
        return self.job["spec"].get("reading") or usual

    def judge(self, ask: Ask, dataset: str) -> Selection:
        """A judge's ratings of one dataset."""
        where: tuple[tuple[str, str], ...] = (
            OVERALL,
            ("condition", ask.condition),
            ("reading", self.reading(ask.condition)),
        )
        if self.is_binary(ask):
            where = (*where, ("scale", "0-1"))
        return Selection("judge", f"ratings/{ask.judge}/{dataset}/{ask.experiment}.parquet", where)

    def human(self, dataset: str, split: str = "test") -> Selection:
        """People's ratings of one dataset's test or training items."""
        file = f"ratings/human/{dataset}.parquet"
        if split == "test" and "split" not in self.job["datasets"][dataset]:
            return Selection("human", file, (OVERALL,))
        role = "human" if split == "test" else "training"
        return Selection(role, file, (OVERALL,), f"items/{dataset}.parquet", split)

    def pooled_judge(self, ask: Ask) -> tuple[Selection, ...]:
        """A judge's ratings of all datasets."""
        return tuple(self.judge(ask, dataset) for dataset in self.datasets)

    def pooled_human(self, split: str = "test") -> tuple[Selection, ...]:
        """People's ratings of all datasets."""
        return tuple(self.human(dataset, split) for dataset in self.datasets)

    def answers(self, ask: Ask) -> tuple[str, ...]:
        """The answers behind a judge's ratings of all datasets."""
        return tuple(
            f"answers/{ask.judge}/{dataset}/{ask.experiment}.parquet" for dataset in self.datasets
        )

    # Samples and cells.

    def sample(self, ask: Ask) -> JudgeAgainstHuman:
        """A judge against people on the pooled items; an item's score is its answers' mean."""
        return JudgeAgainstHuman(self.pooled_judge(ask), self.pooled_human(), self.label_rule)

    def references(self) -> Iterator[tuple[str, SampleSpec]]:
        """The human ceiling and the constant predictor on the pooled items, by row key."""
        judge, human = self.pooled_judge(self.asks()[0]), self.pooled_human()
        yield CEILING, HumanCeiling(human, judge)
        training = self.pooled_human("train")
        yield CONSTANT, Constant(human, judge, training, self.label_rule, self.threshold)

    def metrics(
        self, row: str, block: str, sample: SampleSpec, columns: Sequence[Column],
        compare: Callable[[str], Comparison | None], ask: Ask | None = None,
    ) -> Iterator[CellSpec]:  # fmt: skip
        """The measured cells of a row."""
        for column in columns:
            yield CellSpec(
                row=row,
                column=column.key,
                block=block,
                metric=column.metric,
                sample=sample,
                format=column.format,
                parameters=self.rules(ask) if is_classified(column.metric) else {},
                comparison=compare(column.key),
            )

    def ledger(
        self, row: str, ask: Ask, columns: Sequence[tuple[str, str, str]] = LEDGER
    ) -> Iterator[CellSpec]:
        """The counts of a row on the pooled items."""
        sample = Ledger(self.pooled_judge(ask), self.answers(ask))
        for key, _, form in columns:
            yield CellSpec(row, key, "", key.replace("_", "-"), sample, form)

    def datasets_named(self) -> str:
        """The datasets by label, in words."""
        labels = [str(self.job["datasets"][dataset]["label"]) for dataset in self.datasets]
        return ", ".join(labels) + (" (pooled)" if len(labels) > 1 else "")

    def note_pooled(self) -> Iterator[str]:
        """What pooling means, where there is more than one dataset."""
        if len(self.datasets) > 1:
            yield (
                f"Pooled over {len(self.datasets)} datasets: every dialogue counts once, and "
                "differences between the datasets are part of a correlation."
            )

    def judge_notes(self) -> Iterator[str]:
        """What the configuration says of the judges; one note for all of whom it is the same."""
        labels: dict[str, list[str]] = {}
        for judge, note in self.job["judge_notes"].items():
            labels.setdefault(note, []).append(self.job["judges"][judge])
        yield from (f"{', '.join(names)}: {note}" for note, names in labels.items() if note)

    def note_defect(self) -> str:
        """How labels and scores become classes, in words."""
        return (
            f"Defect: {self.label_rule} of the raters at most {self.threshold:g}; predicted "
            f"defect: rule {self.judge_rule} on the judge's score (a choice: the paper does not "
            "say what a score between 3 and 4 is)."
        )


def internal(column: str) -> Comparison:
    """No value of an internal dataset is comparable."""
    return Comparison("none", reason=INTERNAL)

"""What a table lists, found by the names in print: judges, conditions and datasets."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from retrial.errors import RetrialError
from retrial.tables.arms import Arm
from retrial.tables.declare import JudgeAgainstHuman
from retrial.tables.jia2024 import Ask, DialogueJob

ZERO = "Zero-shot"


class NotListedError(RetrialError):
    """A comparison needs what the table does not list; the message says what."""


class Lists(DialogueJob):
    """The table's lists, looked up by labels without regard to case."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        """Read the job. Raises RetrialError when a list is empty, or a judge asked nothing."""
        super().__init__(job)
        self._asked = self.asks()

    def judge_named(self, label: str) -> str:
        """The id of a listed judge. Raises NotListedError."""
        return _found(label, self.judges, self.judge_label, "judge")

    def condition_named(self, label: str) -> str:
        """The id of a listed condition. Raises NotListedError."""
        return _found(label, self.conditions, self.label, "condition")

    def dataset_named(self, label: str) -> str:
        """The id of a listed dataset. Raises NotListedError."""
        return _found(label, self.datasets, self.dataset_label, "dataset")

    def dataset_label(self, dataset: str) -> str:
        """How tables name a dataset."""
        return str(self.job["datasets"][dataset]["label"])

    def judge_label(self, judge: str) -> str:
        """How tables name a judge."""
        return str(self.job["judges"][judge])

    def has_judge(self, label: str) -> bool:
        """Whether a judge is listed."""
        return any(self.judge_label(j).lower() == label.lower() for j in self.judges)

    def asked(self, judge: str, condition: str) -> Ask:
        """A judge as it was asked, in the first experiment that did. Raises NotListedError."""
        for ask in self._asked:
            if (ask.judge, ask.condition) == (judge, condition):
                return ask
        raise NotListedError(f"{self.judge_label(judge)} is not asked {self.label(condition)}")

    def main_judge(self, conditions: Iterable[str]) -> str:
        """The paper's judge, else the first that was asked all conditions, named by labels.

        Raises NotListedError for a condition that is not listed, or when nobody was asked them.
        """
        wanted = {self.condition_named(label) for label in conditions}
        for judge in dict.fromkeys((self.unnamed, *self.judges)):
            if wanted <= {ask.condition for ask in self._asked if ask.judge == judge}:
                return str(judge)
        raise NotListedError("no judge of the lists is asked " + ", ".join(sorted(wanted)))

    def size(self, judge: str) -> float | None:
        """Billions of parameters, where the configuration states them."""
        found: float | None = self.job.get("parameters_billion", {}).get(judge)
        return found

    def arm(self, judge: str, condition: str, dataset: str | None = None) -> Arm:
        """A judge in a condition, by ids, on one dataset or pooled.

        With several draws of the examples the metric is averaged over them. Raises
        NotListedError.
        """
        ask = self.asked(judge, condition)
        if dataset is None:
            chosen, people = self.pooled_judge(ask), self.pooled_human()
        else:
            chosen, people = (self.judge(ask, dataset),), (self.human(dataset),)
        return Arm(JudgeAgainstHuman(chosen, people, self.label_rule, "mean-of-metrics"))


def _found(label: str, ids: list[str], labelled: Callable[[str], str], what: str) -> str:
    for name in ids:
        if labelled(name).lower() == label.lower():
            return name
    raise NotListedError(f"{what} {label} is not in the table's lists")

"""How many prompts each judge will be asked, and how long they are, from the real items."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from retrial.config import Condition, OpenAIJudge, RecordingJudge, TransformersJudge
from retrial.items.build import build_items, judged_ids
from retrial.judging.store import AnswerStore
from retrial.judging.templates import load_template
from retrial.plan import Plan
from retrial.record import ITEMS, read

CHARACTERS_PER_TOKEN = 4.0
"""Of English text under the vocabularies of the studies' models, about."""
LOGITS_ROOM = 8
"""Tokens kept free for a rating that is read."""


@dataclass(frozen=True)
class Lengths:
    """Characters of a dataset: its judged items', in all, and a training item's on average."""

    judged: int
    characters: int
    training_mean: float


@dataclass(frozen=True)
class Asking:
    """What one judge is asked about one dataset in one experiment.

    `prompt_tokens` are those of all prompts, each cut to the context; `answer_tokens` the most
    that may be generated. None where the dataset's files are not here yet.
    """

    judge: str
    dataset: str
    experiment: str
    prompts: int | None
    prompt_tokens: int | None
    answer_tokens: int | None


class Workload:
    """Counts the prompts of the tables that a configuration makes."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.config = plan, plan.config
        self._lengths: dict[str, Lengths | None] = {}

    def askings(self, tables: list[str]) -> list[Asking]:
        """Every judging job behind these tables, each once; recordings ask nothing.

        A condition of several experiments is counted with the first: its answers are stored.
        """
        asked = dict.fromkeys(a for t in tables for a in self.plan.asked(t))
        seen: set[tuple[str, str, str]] = set()
        return [
            self._asking(*a, seen)
            for a in asked
            if not isinstance(self.config.judges[a[0]], RecordingJudge)
        ]

    def stored(self, judge: str) -> int:
        """How many answers the judge's store holds already, for whatever was asked."""
        store = AnswerStore(Path(self.plan.store(judge)))
        return sum(read_rows(path) for path in store.files())

    def _asking(
        self, judge: str, dataset: str, experiment: str, seen: set[tuple[str, str, str]]
    ) -> Asking:
        lengths = self.lengths(dataset)
        if lengths is None:
            return Asking(judge, dataset, experiment, None, None, None)
        spec = self.config.judges[judge]
        assert isinstance(spec, TransformersJudge | OpenAIJudge)
        prompts = tokens = answers = 0
        for name in self.config.experiments[experiment].conditions:
            if (judge, dataset, name) in seen:
                continue
            seen.add((judge, dataset, name))
            condition = self.config.conditions[name]
            count, each, samples = self._condition(condition, lengths, spec.context_tokens)
            prompts += count
            tokens += count * each
            if condition.sampling:
                answers += count * samples * condition.sampling.answer_tokens
        return Asking(judge, dataset, experiment, prompts, tokens, answers)

    def _condition(
        self, condition: Condition, lengths: Lengths, context: int
    ) -> tuple[int, int, int]:
        """Prompts, tokens of each, and samples of each."""
        template = load_template(Path(self.config.prompts), condition.template)
        selector = self.config.selectors.get(condition.selector or "")
        examples = selector.count if selector else 0
        replicates = selector.replicates if selector else 1
        mean = lengths.characters / max(lengths.judged, 1)
        characters = len(template.instruction) + mean + examples * lengths.training_mean
        room = condition.sampling.answer_tokens if condition.sampling else LOGITS_ROOM
        each = min(int(characters / CHARACTERS_PER_TOKEN) + 1, context - room)
        drawn = condition.sampling and condition.sampling.temperature > 0
        samples = condition.sampling.samples if condition.sampling and drawn else 1
        return lengths.judged * replicates, each, samples

    def lengths(self, dataset: str) -> Lengths | None:
        """The dataset's lengths: from its items, or its downloads; None while it has neither."""
        if dataset not in self._lengths:
            items = self._items(dataset)
            self._lengths[dataset] = None if items is None else self._measure(dataset, items)
        return self._lengths[dataset]

    def _items(self, dataset: str) -> pa.Table | None:
        made = Path(self.plan.items(dataset))
        if made.is_file():
            return read(made, ITEMS)
        spec = self.config.datasets[dataset]
        files = [Path(path) for path in self.plan.dataset_sources(dataset)]
        if not all(path.is_file() for path in files):
            return None
        return build_items(dataset, spec, files)[0]

    def _measure(self, dataset: str, items: pa.Table) -> Lengths:
        judged = set(judged_ids(items, self.config.datasets[dataset].judged))
        sizes = {row["item_id"]: _characters(row) for row in items.to_pylist()}
        splits = dict(zip(items["item_id"].to_pylist(), items["split"].to_pylist(), strict=True))
        training = [size for item, size in sizes.items() if splits[item] == "train"]
        return Lengths(
            judged=len(judged),
            characters=sum(size for item, size in sizes.items() if item in judged),
            training_mean=sum(training) / len(training) if training else 0.0,
        )


def read_rows(path: Path) -> int:
    """Rows of a Parquet file, from its footer; 0 where it is damaged."""
    import pyarrow.parquet as pq

    try:
        rows: int = pq.read_metadata(path).num_rows
    except (OSError, pa.ArrowInvalid):
        return 0
    return rows


def _characters(row: Mapping[str, Any]) -> int:
    texts = [turn["speaker"] + turn["text"] + ": \n" for turn in row["turns"] or ()]
    return sum(map(len, texts)) + sum(len(row[n] or "") for n in ("text", "context", "text_b"))

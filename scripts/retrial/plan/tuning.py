"""The jobs that draw training sets and tune judges."""

from collections.abc import Mapping
from typing import Any

from retrial.config import Judge, TransformersJudge, TunedAdapter, Tuning
from retrial.plan.paths import leaves
from retrial.plan.stories import Stories

ADAPTER_FILES = ("adapter_config.json", "adapter_model.safetensors")
"""What peft writes."""


class Tunings(Stories):
    """Training sets and adapters."""

    def training_set(self, name: str) -> str:
        """A drawn training set."""
        return self.path("training", f"{name}.parquet")

    def training_datasets(self, name: str) -> dict[str, list[str]]:
        """Items and human ratings that a training set is drawn from."""
        names = self.config.training_sets[name].datasets
        return {
            "datasets": [self.items(n) for n in names],
            "human": [self.human(n) for n in names],
        }

    def adapter(self, tuning: str, file: str) -> str:
        """A file of a tuned adapter: its lock adapter.json, peft's files, or its training log."""
        return self.path("adapters", tuning, file)

    def judge_adapter(self, judge: Judge) -> list[str]:
        """What ask_judge needs of a judge's adapter: its lock, or the files of a folder."""
        if not isinstance(judge, TransformersJudge) or judge.adapter is None:
            return []
        if isinstance(judge.adapter, TunedAdapter):
            files = ("adapter.json", *ADAPTER_FILES)
            return [self.adapter(judge.adapter.tuning, f) for f in files]
        return [f"{judge.adapter.folder}/{f}" for f in ADAPTER_FILES]

    def tuned(self, tuning: str) -> tuple[Tuning, TransformersJudge]:
        """A tuning and its base judge."""
        spec = self.config.tunings[tuning]
        base = self.config.judges[spec.judge]
        assert isinstance(base, TransformersJudge), f"{spec.judge} can't be tuned"
        return spec, base

    # Parameters of the jobs.

    def training_set_job(self, name: str) -> dict[str, Any]:
        """Parameters of draw_training_set."""
        statistics = self.config.statistics
        return {
            "set": name,
            "spec": leaves(self.config.training_sets[name], "label"),
            "statistics": {
                "label_rule": statistics.label_rule,
                "human_threshold": statistics.human_threshold,
            },
        }

    def tuning_job(self, name: str, templates: Mapping[str, str]) -> dict[str, Any]:
        """Parameters of tune_judge; `templates` maps template ids to their digests."""
        spec, base = self.tuned(name)
        return {
            "tuning": name,
            "spec": leaves(spec, "gpus", "minutes"),
            "judge": leaves(base, "label", "note", "parameters_billion", "resources"),
            "folder": self.config.prompts,
            "template_sha256": templates[spec.template],
            "work": self.path("work"),
        }

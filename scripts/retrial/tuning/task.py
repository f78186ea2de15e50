"""What a tuning is given, and the digest that names all that decides its adapter."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from retrial.config import TransformersJudge, Tuning
from retrial.digest import content_id
from retrial.judging.backends.transformers import TransformersBackend
from retrial.judging.model_files import ModelFiles
from retrial.judging.templates import Template
from retrial.tuning.learning_items import LearningItems, learning_items

TUNING_VERSION = 1
"""Raised when the same inputs give another adapter."""

UNDECISIVE = {"judge", "training_set", "template", "checkpoint_steps", "gpus", "minutes"}
"""Settings that decide nothing themselves: what the ids name is in the items' digest."""


@dataclass(frozen=True)
class Task:
    """A base judge and its files, a training set, the items of its datasets, and a template."""

    tuning: str
    spec: Tuning
    judge: TransformersJudge
    base: ModelFiles
    template: Template
    training_set: pa.Table
    items: Sequence[pa.Table]

    @property
    def context_tokens(self) -> int:
        """The most tokens that prompt and rating may have."""
        return self.spec.context_tokens or self.judge.context_tokens

    @cached_property
    def learning(self) -> LearningItems:
        """The training set as the judge reads it."""
        judge = self.judge.model_copy(update={"context_tokens": self.context_tokens})
        backend = TransformersBackend(judge, self.base, threads=1)
        return learning_items(self.spec, self.training_set, self.items, self.template, backend)

    @cached_property
    def digest(self) -> str:
        """Names everything that decides the adapter."""
        decisive = {
            "spec": self.spec.model_dump(mode="json", exclude=UNDECISIVE),
            "base": self.base.asked_digest,
            "items": self.learning.digest,
            "version": TUNING_VERSION,
        }
        return content_id(decisive)

"""Fine-tuning of a story generator: whole weights, on story tokens (chiang2023, section 3.1).

A training resumes from its checkpoint and ends with the same weights as an undisturbed one:
every random choice is a function of the step. Its perplexity on the validation stories is
logged before the first step and after each epoch.
"""

import json
import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import exp, isfinite
from pathlib import Path
from typing import Any

import pyarrow as pa
import torch

from retrial.config.stories import Learning
from retrial.digest import canonical_json, content_id
from retrial.errors import RetrialError
from retrial.job_lock import only_one
from retrial.judging.model_files import (
    ModelFiles,
    build_folder,
    check_files,
    describe_folder,
    read_folder,
)
from retrial.progress import progress as show_progress
from retrial.record import GENERATOR_LOG, from_rows, write_atomically
from retrial.stories.checkpoint import DamagedError, Progress, resume, save
from retrial.stories.encode import Examples, in_batches, padded
from retrial.stories.loss import mean_loss, story_loss
from retrial.stories.material import Material, encode_material
from retrial.tuning.schedule import Schedule

log = logging.getLogger("retrial")

TRAINING_VERSION = 1
"""Raised when the same inputs give other weights."""
CLIP = 1.0
"""Largest norm of a step's gradient."""


@dataclass(frozen=True)
class Trained:
    """A trained generator: its files, and the rows of its log."""

    files: ModelFiles
    log: pa.Table


@dataclass(frozen=True)
class Task:
    """What a training is given. `pairs` is a file of the story pairs contract."""

    generator: str
    learning: Learning
    base: ModelFiles
    pairs: Path

    @cached_property
    def material(self) -> Material:
        """The stories as tokens. Raises RetrialError when there are none to learn from."""
        return encode_material(self.base, self.learning, self.pairs)

    @cached_property
    def digest(self) -> str:
        """Names everything that decides the weights; texts by the tokens that are made of them."""
        decisive = {
            "learning": self.learning.model_dump(mode="json", exclude={"checkpoint_steps"}),
            "base": self.base.asked_digest,
            "train": self.material.train.digest,
            "valid": self.material.valid.digest,
            "version": TRAINING_VERSION,
        }
        return content_id(decisive)


def train_generator(task: Task, work: Path, results: Path, threads: int | None = None) -> Trained:
    """The fine-tuned model in `<results>/<digest>`, and its log.

    Checkpoints lie in `<work>/<digest>` and are deleted at the end. What is finished is used as
    it is. Raises RetrialError for damaged files, when there is nothing to learn from, for a loss
    that is not finite, a full disk, and when the same training runs elsewhere.
    """
    check_files(task.base)
    digest = task.digest
    place, target = work / digest, results / digest
    finished = place / "log.json"
    ready = read_folder(target)
    if ready is not None and finished.is_file():
        return Trained(ready, _table(task, json.loads(finished.read_text("utf-8"))))
    if threads:
        torch.set_num_threads(threads)
    with only_one(work / f"{digest}.lock"):
        trainer = Trainer(task, place / "checkpoint.pt")
        rows = trainer.run()
        files = build_folder(target, lambda folder: trainer.publish(folder, digest))
        write_atomically(finished, canonical_json(rows).encode())
        trainer.path.unlink(missing_ok=True)
    return Trained(files, _table(task, rows))


class Trainer:
    """One training, from its checkpoint to its last step."""

    def __init__(self, task: Task, path: Path) -> None:
        self.task, self.path, self.learning = task, path, task.learning
        self.tokenizer, self.pad = task.material.tokenizer, task.material.end
        self.train, self.valid = task.material.train, task.material.valid
        self.schedule = Schedule(self.learning, len(self.train))
        self._start()
        try:
            self.progress = resume(path, self.model, self.optimiser)
        except DamagedError:
            self._start()

    def _start(self) -> None:
        self.progress = Progress()
        self.model: Any = _load(self.task.base, self.learning)
        self.optimiser: Any = torch.optim.AdamW(
            self.model.parameters(), lr=self.learning.rate, weight_decay=self.learning.weight_decay
        )

    def run(self) -> list[dict[str, Any]]:
        """Trains to the end; the rows of the log."""
        if self.progress.step == 0:
            self.progress.rows = [self._validate(0)]
        left = self.schedule.steps - self.progress.step
        with show_progress(f"training {self.task.generator}", left, "steps") as advance:
            for step in range(self.progress.step, self.schedule.steps):
                self._step(step)
                self._after(step)
                advance(1)
        return self.progress.rows

    def publish(self, folder: Path, digest: str) -> ModelFiles:
        """Writes model and tokenizer to a folder, with what is known about them."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        base = self.task.base
        note = f"{base.model} at {base.revision}, fine-tuned on {self.task.pairs.name}"
        return describe_folder(
            folder, model=self.task.generator, revision=digest, licence=base.licence, note=note
        )

    def _step(self, step: int) -> None:
        began = time.monotonic()
        rows = self.schedule.rows(step)
        total = sum(_story_tokens(self.train, i) for i in rows)
        torch.manual_seed(self.schedule.seed(step))
        for part in in_batches(rows, self.learning.micro_batch):
            loss, _ = story_loss(
                self.model, padded(self.train, part, self.pad), self.learning.precision
            )
            (loss / total).backward()  # type: ignore[no-untyped-call]
            self.progress.loss += float(loss.detach())
        if not isfinite(self.progress.loss):
            raise RetrialError(
                f"generator {self.task.generator}: the loss of step {step + 1} is not finite; "
                "lower `rate`, or compute in float32"
            )
        for group in self.optimiser.param_groups:
            group["lr"] = self.schedule.rate(step)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.progress.step = step + 1
        self.progress.tokens += total
        self.progress.seconds += time.monotonic() - began

    def _after(self, step: int) -> None:
        """Logs and saves where the step asks for it."""
        done, now = step + 1, self.progress
        ends = self.schedule.ends_epoch(step)
        if ends or done % self.learning.log_steps == 0:
            loss = now.loss / now.tokens
            now.rows.append(self._row(done, "train", loss, now.tokens, now.seconds))
            now.loss, now.tokens, now.seconds = 0.0, 0, 0.0
        if ends:
            now.rows.append(self._validate(done))
        if done % self.learning.checkpoint_steps == 0 or done == self.schedule.steps:
            save(self.path, self.model, self.optimiser, now)

    def _validate(self, done: int) -> dict[str, Any]:
        began = time.monotonic()
        learning = self.learning
        loss, tokens = mean_loss(
            self.model, self.valid, self.pad, batch=learning.micro_batch, precision="float32"
        )
        row = self._row(done, "valid", loss, tokens, time.monotonic() - began)
        log.info("step %d: validation perplexity %.2f", done, row["perplexity"])
        return row

    def _row(self, done: int, split: str, loss: float, tokens: int, took: float) -> dict[str, Any]:
        return {
            "step": done,
            "epoch": done / self.schedule.per_epoch,
            "split": split,
            "loss": loss,
            "perplexity": exp(loss),
            "rate": self.schedule.rate(done - 1) if done else 0.0,
            "tokens": tokens,
            "seconds": took,
        }


def _load(base: ModelFiles, learning: Learning) -> Any:
    """The base model in training mode, its weights in float32 whatever the computation's format."""
    from transformers import AutoModelForCausalLM
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
    auto: Any = AutoModelForCausalLM
    model = auto.from_pretrained(base.folder, dtype=torch.float32, local_files_only=True)
    if learning.gradient_checkpointing:
        model.gradient_checkpointing_enable()
    return model.to("cuda" if torch.cuda.is_available() else "cpu").train()


def _story_tokens(examples: Examples, i: int) -> int:
    return int(examples.offsets[i + 1] - examples.offsets[i] - examples.starts[i])


def _table(task: Task, rows: Iterable[dict[str, Any]]) -> pa.Table:
    return from_rows(({"generator": task.generator, **row} for row in rows), GENERATOR_LOG)

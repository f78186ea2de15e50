"""Tuning a judge with LoRA on people's labels (jia2024, sections 4.3 and 5.4).

The study states no settings; all are choices of the configuration. A tuning resumes from its
last whole checkpoint and ends with the same adapter as an undisturbed one.
"""

import logging
import math
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import torch

from retrial.digest import canonical_json, sha256_text
from retrial.errors import RetrialError
from retrial.job_lock import only_one
from retrial.judging.adapters import SETTINGS, WEIGHTS
from retrial.judging.forward import effective_strategy
from retrial.judging.models import LoadedJudge, load_judge
from retrial.progress import progress
from retrial.record import TRAINING_LOG, from_rows
from retrial.tuning.checkpoint import State, load, save
from retrial.tuning.learning_items import LearningItem
from retrial.tuning.lora import AdapterFiles, Lora
from retrial.tuning.loss import mean_loss, micro_batches, rating_logits, rating_loss
from retrial.tuning.schedule import Schedule
from retrial.tuning.task import Task

CLIP = 1.0
"""Largest norm of a step's gradient."""
PROBES = 8
"""Most items whose logits are compared with and without the adapter; one that moves is enough."""

log = logging.getLogger("retrial")


@dataclass(frozen=True)
class Tuned:
    """An adapter: peft's files, the lock that says what it belongs to, and the training log.

    `facts` are what is to be known about the run: its request, items, device and library.
    `discard` deletes the checkpoints; call it when all of this is written.
    """

    files: AdapterFiles
    lock: dict[str, Any]
    log: pa.Table
    facts: dict[str, Any]
    work: Path

    def discard(self) -> None:
        """Deletes the work folder."""
        shutil.rmtree(self.work, ignore_errors=True)


def tune_judge(task: Task, work: Path, threads: int | None = None) -> Tuned:
    """The adapter of a tuning; checkpoints lie in `<work>/<digest of the request>`.

    Raises RetrialError for damaged model files, a loss that is not finite, an adapter that
    changes nothing, a full disk, and when the same tuning runs elsewhere.
    """
    place = work / task.digest
    with only_one(work / f"{task.digest}.lock"):
        trainer = Trainer(task, place, threads)
        rows = trainer.run()
        files = trainer.lora.files()
    table = from_rows(({"tuning": task.tuning, **row} for row in rows), TRAINING_LOG)
    return Tuned(files, _lock(task, files), table, trainer.facts, place)


class Trainer:
    """One tuning, from its last whole checkpoint to its last step."""

    def __init__(self, task: Task, folder: Path, threads: int | None = None) -> None:
        self.task, self.folder, self.spec = task, folder, task.spec
        learning = task.learning
        self.train, self.held_out = learning.train, learning.held_out
        spread = torch.cuda.is_available() and torch.cuda.device_count() > 1
        self.judge: LoadedJudge = load_judge(
            task.base,
            dtype=self.spec.dtype,
            device="auto" if spread else None,
            context=task.context_tokens,
            threads=threads,
        )
        self.lora = Lora(self.judge, self.spec, task.base)
        self.optimiser: Any = torch.optim.AdamW(
            self.lora.parameters, lr=self.spec.rate, weight_decay=0.0
        )
        self.schedule = Schedule(self.spec, len(self.train))
        self.size = self._micro_batch()
        self.state = load(folder, task.digest) or State()
        if self.state.step:
            self.lora.put(self.state.adapter)
            self.optimiser.load_state_dict(self.state.optimiser)

    def run(self) -> list[dict[str, Any]]:
        """Tunes to the end; the rows of the log."""
        if not self.state.step:
            self.state.rows = self._validate(0)
        left = self.schedule.steps - self.state.step
        self.judge.model.train()
        with progress(f"tuning {self.task.tuning}", left, "steps") as advance:
            for step in range(self.state.step, self.schedule.steps):
                self.state.rows.append(self._step(step))
                self._after(step + 1)
                advance(1)
        self._check_effect()
        return self.state.rows

    @property
    def facts(self) -> dict[str, Any]:
        """What is to be known about the run."""
        return {
            "base": self.task.base.asked_digest,
            "request": self.task.digest,
            "trained_on": len(self.train),
            "held_out": len(self.held_out),
            "trained_weights": sum(p.numel() for p in self.lora.parameters),
            "device": self.judge.device,
            "engine": self.judge.engine().split(" / ")[0],
        }

    def _micro_batch(self) -> int:
        """Recurrent layers would read the padding: their items go one by one."""
        if self.judge.architecture == "seq2seq" or self.spec.micro_batch == 1:
            return self.spec.micro_batch
        longest = max(item.tokens for item in (*self.train, *self.held_out))
        one_by_one = effective_strategy(self.judge, "batched", longest) == "plain"
        return 1 if one_by_one else self.spec.micro_batch

    def _step(self, step: int) -> dict[str, Any]:
        """One optimiser step; its row of the log."""
        began = time.monotonic()
        torch.manual_seed(self.schedule.seed(step))
        batch = [self.train[i] for i in self.schedule.rows(step)]
        wanted = sum(len(item.rating) for item in batch)
        total = 0.0
        for rows in micro_batches(batch, self.size):
            loss, _ = rating_loss(self.judge, rows)
            (loss / wanted).backward()  # type: ignore[no-untyped-call]
            total += float(loss.detach())
        if not math.isfinite(total):
            raise RetrialError(
                f"tuning {self.task.tuning}: the loss of step {step + 1} is not finite; lower "
                "`rate`, or compute in float32"
            )
        for group in self.optimiser.param_groups:
            group["lr"] = self.schedule.rate(step)
        torch.nn.utils.clip_grad_norm_(self.lora.parameters, CLIP)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        return self._row(step + 1, "train", total / wanted, batch, began)

    def _after(self, done: int) -> None:
        """Validates and saves where the step asks for it."""
        self.state.step = done
        if self.schedule.ends_epoch(done - 1):
            self.state.rows += self._validate(done)
        if done % self.spec.checkpoint_steps == 0 or done == self.schedule.steps:
            self.state.adapter = self.lora.state()
            self.state.optimiser = self.optimiser.state_dict()
            save(self.folder, self.task.digest, self.state)

    def _validate(self, done: int) -> list[dict[str, Any]]:
        if not self.held_out:
            return []
        began = time.monotonic()
        loss = mean_loss(self.judge, self.held_out, self.size)
        log.info("step %d: held-out loss %.4f", done, loss)
        return [self._row(done, "held-out", loss, self.held_out, began)]

    def _row(
        self, done: int, split: str, loss: float, items: Sequence[LearningItem], began: float
    ) -> dict[str, Any]:
        tokens, seconds = sum(i.tokens for i in items), time.monotonic() - began
        return {
            "step": done,
            "epoch": done / self.schedule.per_epoch,
            "split": split,
            "loss": loss,
            "rate": self.schedule.rate(done - 1) if done else 0.0,
            "tokens": tokens,
            "seconds": seconds,
            "tokens_per_second": tokens / max(seconds, 1e-9),
        }

    def _check_effect(self) -> None:
        """Raises RetrialError for an adapter that changes nothing."""
        probes = micro_batches((*self.held_out, *self.train)[:PROBES], self.size)
        if self.lora.is_untouched() or not any(self._moves(batch) for batch in probes):
            raise RetrialError(
                f"tuning {self.task.tuning}: the adapter changes no answer after "
                f"{self.schedule.steps} steps; raise `rate`, `alpha` or `epochs`, or compute in "
                "float32"
            )

    @torch.no_grad()
    def _moves(self, batch: Sequence[LearningItem]) -> bool:
        """Whether the adapter changes a logit of these items."""
        self.judge.model.eval()
        tuned = rating_logits(self.judge, batch)
        with self.lora.without():
            return not torch.equal(tuned, rating_logits(self.judge, batch))


def _lock(task: Task, files: AdapterFiles) -> dict[str, Any]:
    """What the adapter belongs to, and the digests of its files."""
    digests = {
        SETTINGS: sha256(files.settings).hexdigest(),
        WEIGHTS: sha256(files.weights).hexdigest(),
    }
    return {
        "tuning": task.tuning,
        "base": task.base.asked_digest,
        "base_model": task.base.model,
        "revision": task.base.revision,
        "request": task.digest,
        "files": digests,
        "digest": sha256_text(canonical_json(digests)),
    }

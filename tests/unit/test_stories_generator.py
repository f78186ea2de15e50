"""Fine-tuning of a generator: what is learned, and that an interruption changes nothing."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from math import log as ln
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from story_models import ascii_tokenizer, pairs, pairs_file, tiny_files
from tiny_models import gpt2_like, tiny_model

from retrial.config.stories import Learning
from retrial.errors import RetrialError
from retrial.judging.model_files import ModelFiles
from retrial.stories import checkpoint
from retrial.stories.encode import StoryEncoder, padded
from retrial.stories.generator import Task, Trainer, train_generator
from retrial.stories.lock import read_lock
from retrial.stories.loss import mean_loss, story_loss
from retrial.stories.pairs import Pair
from retrial.tuning.schedule import Schedule

LEARNING = Learning(
    max_tokens=60, prompt_tokens=16, epochs=2, rate=1e-3, batch=4, micro_batch=2,
    checkpoint_steps=2, log_steps=2, seed=3,
)  # fmt: skip


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    return tiny_files(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def task(base: ModelFiles, tmp_path_factory: pytest.TempPathFactory) -> Task:
    rows = [*pairs(10), *pairs(3, "valid"), *pairs(2, "test")]
    file = pairs_file(tmp_path_factory.mktemp("pairs") / "p.parquet", rows)
    return Task("tiny-writer", LEARNING, base, file)


def weights(files: ModelFiles) -> dict[str, torch.Tensor]:
    return load_file(files.path / "model.safetensors")


def test_a_sequence_is_prompt_separator_story_end() -> None:
    tokenizer = gpt2_like()
    encoder = StoryEncoder(tokenizer, LEARNING, 128)
    tokens, start = encoder.sequence(Pair("train", "[ WP ] One .", "Ca n't .", "s", 1))
    assert tokenizer.decode(tokens[:start]) == "One.\n\n"
    assert tokenizer.decode(tokens[start:]) == "Can't.<|endoftext|>"
    raw = StoryEncoder(tokenizer, replace_learning(clean=False), 128)
    tokens, start = raw.sequence(Pair("train", "[ WP ] One .", "Ca n't .", "s", 1))
    assert tokenizer.decode(tokens) == "[ WP ] One .\n\nCa n't .<|endoftext|>"


def replace_learning(**changes: object) -> Learning:
    return Learning.model_validate({**LEARNING.model_dump(), **changes})


def test_long_sequences_are_cut_and_long_prompts_too() -> None:
    encoder = StoryEncoder(gpt2_like(), LEARNING, 40)
    tokens, start = encoder.sequence(Pair("train", "p " * 50, "s " * 90, "s", 1))
    assert len(tokens) == 40
    assert start == LEARNING.prompt_tokens + len(encoder.separator)
    assert tokens[-1] != encoder.end
    with pytest.raises(RetrialError, match="no room for a story"):
        StoryEncoder(gpt2_like(), LEARNING, 17)


def test_the_loss_is_that_of_the_story_tokens_alone() -> None:
    """Against the log-probabilities of each sequence by itself, without padding."""
    tokenizer = gpt2_like()
    model = tiny_model("gpt2", len(tokenizer))
    examples = StoryEncoder(tokenizer, LEARNING, 128).examples(pairs(3))
    expected = 0.0
    count = 0
    for i in range(3):
        ids = torch.from_numpy(examples.sequence(i).astype(np.int64))[None]
        with torch.no_grad():
            logits = model(ids).logits.double().log_softmax(-1)
        for place in range(int(examples.starts[i]), ids.shape[1]):
            expected -= float(logits[0, place - 1, ids[0, place]])
            count += 1
    total, tokens = story_loss(model, padded(examples, range(3), 0), "float32")
    assert tokens == count
    assert float(total.detach()) == pytest.approx(expected, rel=1e-5)
    mean, tokens = mean_loss(model, examples, 0, batch=2)
    assert (mean, tokens) == (pytest.approx(expected / count, rel=1e-5), count)


def test_the_schedule_shows_each_story_once_an_epoch() -> None:
    schedule = Schedule(LEARNING, 10)
    assert (schedule.per_epoch, schedule.steps) == (3, 6)
    for epoch in range(2):
        seen = [i for step in range(3) for i in schedule.rows(3 * epoch + step)]
        assert sorted(seen) == list(range(10))
    assert schedule.rows(0) != schedule.rows(3)
    assert [schedule.ends_epoch(s) for s in range(6)] == [False, False, True] * 2


def test_the_rate_rises_and_falls() -> None:
    schedule = Schedule(replace_learning(warmup=0.5, epochs=4), 8)
    rates = [schedule.rate(s) / LEARNING.rate for s in range(8)]
    assert rates == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0, 0.75, 0.5, 0.25])


def test_a_killed_training_ends_as_an_undisturbed_one(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = train_generator(task, tmp_path / "work", tmp_path / "whole")

    class Killed(BaseException):
        pass

    original = Trainer._step
    for last in (0, 3):  # between the first checkpoint and the second; before any

        def step(self: Trainer, number: int, last: int = last) -> None:
            if number > last:
                raise Killed
            original(self, number)

        monkeypatch.setattr(Trainer, "_step", step)
        with pytest.raises(Killed):
            train_generator(task, tmp_path / "killed", tmp_path / "again")
    monkeypatch.setattr(Trainer, "_step", original)
    again = train_generator(task, tmp_path / "killed", tmp_path / "again")
    assert {n: f.sha256 for n, f in again.files.files.items()} == {
        n: f.sha256 for n, f in whole.files.files.items()
    }
    drop = ["seconds"]
    assert again.log.drop_columns(drop).equals(whole.log.drop_columns(drop))


def test_training_lowers_the_loss_and_logs_it(task: Task, tmp_path: Path) -> None:
    longer = replace(task, learning=replace_learning(epochs=6))
    trained = train_generator(longer, tmp_path / "work", tmp_path / "out")
    rows = trained.log.to_pylist()
    valid = [row for row in rows if row["split"] == "valid"]
    assert [row["epoch"] for row in valid] == [0, 1, 2, 3, 4, 5, 6]
    assert valid[0]["step"] == 0 and valid[0]["rate"] == 0
    assert valid[-1]["loss"] < valid[0]["loss"] - 1
    assert all(ln(row["perplexity"]) == pytest.approx(row["loss"]) for row in rows)
    steps = [row["step"] for row in rows if row["split"] == "train"]
    assert steps == sorted({*range(2, 19, 2), *range(3, 19, 3)})
    encoder = StoryEncoder(ascii_tokenizer(), LEARNING, 128)
    tokens = sum(len(t) - start for t, start in map(encoder.sequence, pairs(10)))
    assert sum(row["tokens"] for row in rows if row["split"] == "train") == 6 * tokens


def test_what_is_finished_is_not_trained_again(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = train_generator(task, tmp_path / "work", tmp_path / "out")
    assert not list((tmp_path / "work").rglob("checkpoint*"))
    monkeypatch.setattr("retrial.stories.generator.Trainer", None)
    again = train_generator(task, tmp_path / "work", tmp_path / "out")
    assert again.files == first.files and again.log.equals(first.log)


def test_a_damaged_checkpoint_costs_time_only(task: Task, tmp_path: Path) -> None:
    whole = train_generator(task, tmp_path / "work", tmp_path / "whole")
    path = tmp_path / "damaged" / task.digest / "checkpoint.pt"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"not a checkpoint")
    again = train_generator(task, tmp_path / "damaged", tmp_path / "again")
    assert again.files.digest == whole.files.digest
    assert path.with_name("checkpoint.pt.damaged").is_file()


def test_a_failed_save_leaves_the_old_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = torch.nn.Linear(2, 2)
    optimiser = torch.optim.AdamW(model.parameters())
    path = tmp_path / "checkpoint.pt"
    checkpoint.save(path, model, optimiser, checkpoint.Progress(step=3))

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(torch, "save", fail)
    with pytest.raises(RetrialError, match=r"disk full.*make room"):
        checkpoint.save(path, model, optimiser, checkpoint.Progress(step=4))
    assert checkpoint.resume(path, model, optimiser).step == 3
    assert [p.name for p in tmp_path.iterdir()] == ["checkpoint.pt"]


@pytest.mark.parametrize("change", [{"rate": 2e-3}, {"seed": 4}, {"clean": False}])
def test_what_decides_the_weights_is_in_the_digest(task: Task, change: dict[str, object]) -> None:
    assert replace(task, learning=replace_learning(**change)).digest != task.digest
    same = replace(task, learning=replace_learning(checkpoint_steps=7), generator="other")
    assert same.digest == task.digest


def test_a_story_that_is_encoded_otherwise_is_another_training(task: Task, tmp_path: Path) -> None:
    rows = [*pairs(10), *pairs(3, "valid")]
    same = pairs_file(tmp_path / "same.parquet", rows)  # without the test split
    assert replace(task, pairs=same).digest == task.digest
    rows[4] = replace(rows[4], story="Number four .")
    other = pairs_file(tmp_path / "other.parquet", rows)
    assert replace(task, pairs=other).digest != task.digest


def test_gradient_checkpointing_and_bfloat16_learn_much_the_same(
    task: Task, tmp_path: Path
) -> None:
    plain = train_generator(task, tmp_path / "w", tmp_path / "o")
    losses = plain.log["loss"].to_pylist()
    for change, tolerance in (
        ({"gradient_checkpointing": True}, 1e-3),
        ({"precision": "bfloat16"}, 0.05),
    ):
        other = replace(task, learning=replace_learning(**change))
        found = train_generator(other, tmp_path / "w", tmp_path / "o").log["loss"].to_pylist()
        assert found == pytest.approx(losses, rel=tolerance)


def test_a_loss_that_is_not_finite_is_named(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(model: torch.nn.Module, *_: object) -> tuple[torch.Tensor, int]:
        return next(model.parameters()).sum() * float("nan"), 1

    monkeypatch.setattr("retrial.stories.generator.story_loss", broken)
    with pytest.raises(RetrialError, match="loss of step 1 is not finite"):
        train_generator(task, tmp_path / "w", tmp_path / "o")


def test_nothing_to_learn_from_is_named(task: Task, tmp_path: Path) -> None:
    empty = replace(task, pairs=pairs_file(tmp_path / "p.parquet", pairs(2, "valid")))
    with pytest.raises(RetrialError, match="0 stories to learn from and 2 to validate on"):
        train_generator(empty, tmp_path / "w", tmp_path / "o")


def test_a_lock_is_read_where_it_was_moved(task: Task, tmp_path: Path) -> None:
    trained = train_generator(task, tmp_path / "work", tmp_path / "here")
    (tmp_path / "here" / "generator.json").write_text(trained.files.to_json(), "utf-8")
    moved = tmp_path / "there"
    (tmp_path / "here").rename(moved)
    files = read_lock(moved / "generator.json")
    assert files.path.parent == moved and weights(files)
    assert json.loads((moved / "generator.json").read_text("utf-8"))["revision"] == task.digest
    (files.path / "model.safetensors").unlink()
    with pytest.raises(RetrialError, match=r"model\.safetensors is missing"):
        read_lock(moved / "generator.json")


KILLED = """
import os, signal, sys
from pathlib import Path
from retrial.config.stories import Learning
from retrial.judging.model_files import ModelFiles
from retrial.stories.generator import Task, Trainer, train_generator
step = Trainer._step
def killed(self, number):
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    step(self, number)
Trainer._step = killed
base, learning, pairs, work, out = sys.argv[1:]
task = Task("g", Learning.model_validate_json(learning), ModelFiles.from_json(base), Path(pairs))
train_generator(task, Path(work), Path(out), 1)
"""


def test_a_process_that_is_killed_is_no_loss(task: Task, tmp_path: Path) -> None:
    """Killed after one checkpoint and one more step, with the lock left behind.

    One thread throughout: how sums are split among threads moves their last digit.
    """
    whole = train_generator(task, tmp_path / "work", tmp_path / "whole", 1)
    killed, out = tmp_path / "killed", tmp_path / "again"
    given = [
        task.base.to_json(),
        LEARNING.model_dump_json(),
        str(task.pairs),
        str(killed),
        str(out),
    ]
    scripts = Path(__file__).parents[2] / "scripts"
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *given], env={**os.environ, "PYTHONPATH": str(scripts)}
    )
    assert done.returncode == -signal.SIGKILL
    assert (killed / f"{task.digest}.lock").is_file()
    assert (killed / task.digest / "checkpoint.pt").is_file()
    again = train_generator(task, killed, out, 1)
    assert again.files.digest == whole.files.digest
    assert again.log.drop_columns(["seconds"]).equals(whole.log.drop_columns(["seconds"]))

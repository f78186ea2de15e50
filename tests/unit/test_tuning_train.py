"""Tuning: that it learns, that an interruption changes nothing, and what it leaves behind."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load, save_file
from tuning_cases import task, tiny_base

from retrial.errors import RetrialError
from retrial.judging.adapters import SETTINGS, WEIGHTS, adapter_digest, check_adapter
from retrial.judging.model_files import ModelFiles
from retrial.judging.models import load_judge
from retrial.tuning import train
from retrial.tuning.loss import mean_loss, rating_logits
from retrial.tuning.schedule import Schedule
from retrial.tuning.task import Task
from retrial.tuning.train import Trainer, Tuned, tune_judge


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    return tiny_base(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def undisturbed(base: ModelFiles, tmp_path_factory: pytest.TempPathFactory) -> Tuned:
    return tune_judge(task(base), tmp_path_factory.mktemp("work"), 1)


def kill_after(monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    """The process dies in the step after so many."""
    whole = Trainer._step

    def dying(self: Trainer, step: int):
        if step == steps:
            raise KeyboardInterrupt
        return whole(self, step)

    monkeypatch.setattr(Trainer, "_step", dying)


def states(work: Path) -> list[Path]:
    return sorted(work.glob("*/step-*.pt"))


def written(tuned: Tuned, folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / SETTINGS).write_bytes(tuned.files.settings)
    (folder / WEIGHTS).write_bytes(tuned.files.weights)
    (folder / "adapter.json").write_text(json.dumps(tuned.lock))
    return folder


def decisive(tuned: Tuned) -> list[dict[str, object]]:
    """The log without what the clock says."""
    return tuned.log.drop_columns(["seconds", "tokens_per_second"]).to_pylist()


def test_the_same_task_gives_the_same_bytes(base, undisturbed, tmp_path):
    again = tune_judge(task(base), tmp_path, 1)
    assert again.files == undisturbed.files and again.lock == undisturbed.lock
    assert decisive(again) == decisive(undisturbed)


@pytest.mark.parametrize("steps", [1, 2, 3, 5])
def test_a_killed_tuning_ends_with_the_adapter_of_an_undisturbed_one(
    base, undisturbed, tmp_path, monkeypatch, steps
):
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        kill_after(patch, steps)
        tune_judge(task(base), tmp_path, 1)
    assert len(states(tmp_path)) == min(steps // 2, 2)
    again = tune_judge(task(base), tmp_path, 1)
    assert again.files == undisturbed.files
    assert decisive(again) == decisive(undisturbed)


@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: b"", lambda b: b[::-1]])
def test_of_a_damaged_checkpoint_the_one_before_is_taken(
    base, undisturbed, tmp_path, monkeypatch, damage, caplog
):
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        kill_after(patch, 5)
        tune_judge(task(base), tmp_path, 1)
    first, last = states(tmp_path)
    last.write_bytes(damage(last.read_bytes()))
    with caplog.at_level("INFO", "retrial"):
        again = tune_judge(task(base), tmp_path, 1)
    assert "is damaged" in caplog.text and f"from {first}" in caplog.text
    assert again.files == undisturbed.files


def test_a_finished_tuning_whose_outputs_were_lost_learns_nothing_anew(base, tmp_path, monkeypatch):
    first = tune_judge(task(base), tmp_path, 1)
    monkeypatch.setattr(train, "rating_loss", None)
    second = tune_judge(task(base), tmp_path, 1)
    assert second.files == first.files and second.log.equals(first.log)
    second.discard()
    assert not states(tmp_path) and not list(tmp_path.iterdir())


def test_a_checkpoint_of_another_request_is_never_taken(base, tmp_path, caplog):
    """Not from its own folder, and not where someone puts it into ours."""
    other, ours = task(base, seed=9), task(base)
    tune_judge(other, tmp_path, 1)
    (tmp_path / ours.digest).mkdir()
    for path in states(tmp_path):
        (tmp_path / ours.digest / path.name).write_bytes(path.read_bytes())
    trainer = Trainer(ours, tmp_path / ours.digest, 1)
    assert trainer.state.step == 0 and "is of another tuning" in caplog.text


def test_a_full_disk_leaves_the_checkpoint_before_it(base, undisturbed, tmp_path, monkeypatch):
    from retrial.tuning import checkpoint

    whole, calls = checkpoint.write_atomically, []

    def full(path: Path, data: bytes) -> None:
        calls.append(path)
        if len(calls) == 2:
            (path.parent / f".{path.name}.x.part").write_bytes(data[:10])
            raise OSError(28, "No space left on device")
        whole(path, data)

    with monkeypatch.context() as patch, pytest.raises(RetrialError, match="No space left"):
        patch.setattr(checkpoint, "write_atomically", full)
        tune_judge(task(base), tmp_path, 1)
    assert [p.name[:13] for p in states(tmp_path)] == ["step-00000002"]
    assert tune_judge(task(base), tmp_path, 1).files == undisturbed.files
    assert not list(tmp_path.glob("*/.*.part"))


def test_the_loss_falls_where_the_words_say_the_label(base, tmp_path):
    tuned = tune_judge(task(base, 40, epochs=8, rate=2e-2, dropout=0.0), tmp_path, 1)
    log = tuned.log.to_pylist()
    for split in ("train", "held-out"):
        losses = [r["loss"] for r in log if r["split"] == split]
        assert np.mean(losses[-2:]) < 0.6 * losses[0]
    assert losses[0] == pytest.approx(tuned.log.to_pylist()[0]["loss"])


def test_the_log_holds_every_step_and_the_held_out_loss_of_every_epoch(base, undisturbed):
    made, log = task(base), undisturbed.log.to_pylist()
    schedule = Schedule(made.spec, len(made.learning.train))
    assert schedule.steps == 6
    steps = [r for r in log if r["split"] == "train"]
    assert [r["step"] for r in steps] == [1, 2, 3, 4, 5, 6]
    assert [r["step"] for r in log if r["split"] == "held-out"] == [0, 3, 6]
    assert [r["rate"] for r in steps] == [schedule.rate(s) for s in range(6)]
    for row in steps[:3]:
        rows = schedule.rows(row["step"] - 1)
        assert row["tokens"] == sum(made.learning.train[i].tokens for i in rows)
        assert row["tokens_per_second"] == pytest.approx(row["tokens"] / row["seconds"])


def test_the_first_held_out_loss_is_that_of_the_base(base, undisturbed):
    judge = load_judge(base, threads=1)
    expected = mean_loss(judge, task(base).learning.held_out, 2)
    assert undisturbed.log.to_pylist()[0]["loss"] == pytest.approx(expected, rel=1e-6)


def test_the_judge_that_asks_with_the_adapter_is_the_one_that_was_tuned(
    base, undisturbed, tmp_path
):
    folder = written(undisturbed, tmp_path / "adapter")
    check_adapter(folder, base)
    assert adapter_digest(folder) == undisturbed.lock["digest"]
    judge = load_judge(base, adapter=folder, threads=1)
    last = undisturbed.log.to_pylist()[-1]
    assert last["split"] == "held-out"
    found = mean_loss(judge, task(base).learning.held_out, 2)
    assert found == pytest.approx(last["loss"], rel=1e-4)


def test_the_settings_name_the_base_and_no_place_on_this_machine(base, undisturbed, tmp_path):
    settings = json.loads(undisturbed.files.settings)
    assert settings["base_model_name_or_path"] == "tiny/llama" and settings["revision"] == "r1"
    for text in (undisturbed.files.settings.decode(), json.dumps(undisturbed.lock)):
        assert base.folder not in text and str(tmp_path.parent) not in text
    assert settings["target_modules"] == sorted(settings["target_modules"])
    assert "lm_head" not in settings["target_modules"]
    assert undisturbed.lock["base"] == base.asked_digest


def test_without_the_lock_the_settings_alone_are_accepted_by_the_judge(base, undisturbed, tmp_path):
    folder = written(undisturbed, tmp_path / "adapter")
    (folder / "adapter.json").unlink()
    check_adapter(folder, base)


def test_an_adapter_that_changes_nothing_is_an_error(base, tmp_path, monkeypatch):
    with pytest.raises(RetrialError, match="changes no answer after 6 steps; raise `rate`"):
        tune_judge(task(base, rate=1e-30), tmp_path, 1)
    monkeypatch.setattr(torch.optim.AdamW, "step", lambda self: None)
    with pytest.raises(RetrialError, match="changes no answer"):
        tune_judge(task(base), tmp_path, 1)


def test_a_loss_that_is_not_finite_stops_before_the_weights_are_spoilt(base, tmp_path, monkeypatch):
    whole = train.rating_loss

    def spoilt(judge, rows):
        loss, tokens = whole(judge, rows)
        return loss * float("nan"), tokens

    monkeypatch.setattr(train, "rating_loss", spoilt)
    with pytest.raises(RetrialError, match="the loss of step 1 is not finite"):
        tune_judge(task(base), tmp_path, 1)
    assert not states(tmp_path)


def test_micro_batches_and_gradient_checkpointing_change_no_adapter(base, tmp_path):
    """The same gradient, summed otherwise: weights agree to rounding."""
    one = load(tune_judge(task(base, micro_batch=1, dropout=0), tmp_path, 1).files.weights)
    for changes in ({"micro_batch": 4}, {"micro_batch": 1, "gradient_checkpointing": True}):
        made = tune_judge(task(base, dropout=0, **changes), tmp_path, 1)
        other = load(made.files.weights)
        assert one.keys() == other.keys()
        assert all(torch.allclose(one[k], other[k], atol=2e-5) for k in one)


def test_gradient_checkpointing_with_dropout_repeats_its_random_numbers(base, tmp_path):
    plain, kept = (
        load(tune_judge(task(base, gradient_checkpointing=g), tmp_path, 1).files.weights)
        for g in (False, True)
    )
    assert all(torch.allclose(plain[k], kept[k], atol=2e-5) for k in plain)


@pytest.mark.parametrize(
    ("kind", "targets"), [("gpt2", []), ("falcon", []), ("t5", []), ("mamba", ["in_proj"])]
)
def test_other_architectures_learn_too(kind, targets, tmp_path):
    base = tiny_base(tmp_path / kind, kind)
    tuned = tune_judge(task(base, targets=targets), tmp_path / "work", 1)
    folder = written(tuned, tmp_path / "adapter")
    check_adapter(folder, base)
    items = task(base).learning.held_out
    with torch.no_grad():
        plain, adapted = (
            rating_logits(load_judge(base, adapter=a, context=128, threads=1), items)
            for a in (None, folder)
        )
    assert not torch.equal(plain, adapted)


def test_targets_that_the_model_lacks_are_named(base, tmp_path):
    with pytest.raises(RetrialError, match="no LoRA layers on tiny/llama"):
        tune_judge(task(base, targets=["no_such_layer"]), tmp_path, 1)


def test_only_the_named_targets_learn(base, tmp_path):
    tuned = tune_judge(task(base, targets=["q_proj"]), tmp_path, 1)
    assert all(".q_proj." in name for name in load(tuned.files.weights))


def test_a_pattern_chooses_layers_and_the_judge_reads_the_adapter(base, tmp_path):
    pattern = r".*layers[.]1[.].*(q|down)_proj"
    tuned = tune_judge(task(base, targets=[pattern]), tmp_path, 1)
    modules = {name.split(".lora_")[0].split("layers.")[1] for name in load(tuned.files.weights)}
    assert modules == {"1.self_attn.q_proj", "1.mlp.down_proj"}
    folder = written(tuned, tmp_path / "adapter")
    check_adapter(folder, base)
    assert load_judge(base, adapter=folder, threads=1).model is not None
    with pytest.raises(RetrialError, match="no LoRA layers"):
        tune_judge(task(base, targets=[".*layers[.]7[.].*"]), tmp_path, 1)


def test_the_digest_is_of_what_decides_and_of_nothing_else(base):
    digest = task(base).digest
    for same in ({"checkpoint_steps": 7}, {"minutes": 5}, {"gpus": 2}, {"judge": "other"}):
        assert task(base, **same).digest == digest
    for other in ({"seed": 4}, {"rate": 1e-3}, {"rank": 3}, {"held_out": 0.3}, {"epochs": 1}):
        assert task(base, **other).digest != digest
    assert task(base, 14).digest != digest


def test_the_schedule_rises_falls_and_gives_each_item_once_an_epoch(base):
    made: Task = task(base, epochs=3, batch=5, warmup=0.25)
    schedule = Schedule(made.spec, 12)
    assert (schedule.per_epoch, schedule.steps) == (3, 9)
    rates = [schedule.rate(step) for step in range(9)]
    peak = int(np.argmax(rates))
    assert peak == 3 and rates[peak] == made.spec.rate
    assert rates[:4] == sorted(rates[:4]) and rates[3:] == sorted(rates[3:], reverse=True)
    assert all(rate > 0 for rate in rates)
    for epoch in range(3):
        rows = [i for step in range(epoch * 3, epoch * 3 + 3) for i in schedule.rows(step)]
        assert sorted(rows) == list(range(12))
    assert [schedule.ends_epoch(s) for s in range(3)] == [False, False, True]
    assert schedule.rows(0) != schedule.rows(3)


def test_a_damaged_base_is_refused(base, tmp_path):
    broken = tiny_base(tmp_path / "broken")
    save_file({}, Path(broken.folder) / "model.safetensors")
    with pytest.raises(RetrialError, match="bytes, recorded were"):
        tune_judge(task(broken), tmp_path / "work", 1)

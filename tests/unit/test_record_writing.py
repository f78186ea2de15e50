"""Atomic writes and sidecars: what is left behind when writing fails."""

import errno
import hashlib
import json
import os
from pathlib import Path

import pytest
from core_rows import rating

from retrial.record import (
    RATINGS,
    ContractError,
    Run,
    from_rows,
    read,
    sidecar_path,
    write_atomically,
)
from retrial.record.sidecar import git_state


def full_disk(*args, **kwargs):
    raise OSError(errno.ENOSPC, "No space left on device")


def left(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


@pytest.mark.parametrize(("owner", "name"), [(os, "fsync"), (Path, "replace")])
@pytest.mark.parametrize("failure", [full_disk, KeyboardInterrupt])
def test_a_failed_write_leaves_no_output_and_no_part(tmp_path, monkeypatch, owner, name, failure):
    def fail(*args, **kwargs):
        raise failure() if failure is KeyboardInterrupt else OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(owner, name, fail)
    with pytest.raises((OSError, KeyboardInterrupt)):
        write_atomically(tmp_path / "out", b"new")
    assert left(tmp_path) == []


def test_a_failed_write_keeps_the_old_file_whole(tmp_path, monkeypatch):
    path = tmp_path / "out"
    write_atomically(path, b"old")
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert left(tmp_path) == ["out"]


def test_writing_makes_folders_and_replaces(tmp_path):
    path = tmp_path / "a" / "b" / "out"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert left(path.parent) == ["out"]


def test_no_output_without_its_sidecar(tmp_path, monkeypatch):
    """The data is never in place before the sidecar that names it."""
    output, seen = tmp_path / "out.txt", []
    replace = Path.replace

    def watched(self, target):
        seen.append((Path(target).name, output.exists()))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", watched)
    Run(rule="r", root=tmp_path).write_text(output, "text")
    assert seen == [("out.txt.prov.json", False), ("out.txt", False)]


@pytest.mark.parametrize("failing", ["out.txt", "out.txt.prov.json"])
def test_a_failure_at_either_rename_leaves_no_output(tmp_path, monkeypatch, failing):
    replace = Path.replace

    def fails(self, target):
        if Path(target).name == failing:
            full_disk()
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OSError, match="No space"):
        Run(rule="r", root=tmp_path).write_text(tmp_path / "out.txt", "text")
    assert not (tmp_path / "out.txt").exists()
    assert not [name for name in left(tmp_path) if name.endswith(".part")]


def sidecar_of(path: Path) -> dict:
    return json.loads(sidecar_path(path).read_text(encoding="utf-8"))


def test_a_sidecar_names_the_data_its_inputs_and_its_job(tmp_path):
    root, outside = tmp_path / "results", tmp_path / "elsewhere"
    write_atomically(root / "in.txt", "é".encode())
    write_atomically(outside, b"far")
    inputs = (root / "in.txt", outside)
    run = Run("rate", root, inputs, {"k": 5, "a": "é"}, {"rate.py": "00"}, "abcd")
    run.facts = {"revision": "v1"}
    run.write_bytes(root / "tables" / "out.bin", b"data", rows=7)
    found = sidecar_of(root / "tables" / "out.bin")
    assert found["output"] == {
        "path": "tables/out.bin",
        "sha256": hashlib.sha256(b"data").hexdigest(),
        "bytes": 4,
        "rows": 7,
    }
    assert found["inputs"] == [
        {"path": "in.txt", "sha256": hashlib.sha256("é".encode()).hexdigest()},
        {"path": outside.as_posix(), "sha256": hashlib.sha256(b"far").hexdigest()},
    ]
    assert found["parameters"] == {"k": 5, "a": "é"}
    assert found["facts"] == {"revision": "v1"}
    job = found["job"]
    assert (job["rule"], job["code_digest"], job["code"]) == ("rate", "abcd", {"rate.py": "00"})
    assert job["started"] <= job["ended"]


def test_paths_below_a_linked_folder_are_relative_to_the_root(tmp_path):
    real, root = tmp_path / "scratch", tmp_path / "results"
    real.mkdir()
    root.mkdir()
    (root / "tables").symlink_to(real)
    Run("r", root).write_text(root / "tables" / "t.csv", "x")
    assert sidecar_of(root / "tables" / "t.csv")["output"]["path"] == "tables/t.csv"


def test_a_path_that_leaves_the_root_is_not_taken_for_one_below(tmp_path):
    root = tmp_path / "results"
    root.mkdir()
    write_atomically(tmp_path / "raw", b"x")
    Run("r", root, (root / ".." / "raw",)).write_text(root / "o", "x")
    assert Path(sidecar_of(root / "o")["inputs"][0]["path"]).is_absolute()


def test_secrets_of_the_environment_stay_out(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.setenv("HF_TOKEN", "hf_very_secret")
    Run("r", tmp_path).write_text(tmp_path / "o", "x")
    assert "very" not in sidecar_path(tmp_path / "o").read_text()


def test_parameters_without_a_json_form_are_refused_before_the_output(tmp_path):
    with pytest.raises(ValueError):
        Run("r", tmp_path, parameters={"x": float("nan")}).write_text(tmp_path / "o", "x")
    assert left(tmp_path) == []


def test_a_table_against_its_contract_is_never_written(tmp_path):
    run, path = Run("r", tmp_path), tmp_path / "o.parquet"
    table = from_rows([rating("i", 3)], RATINGS)
    with pytest.raises(ContractError, match=r"o\.parquet: the ratings contract misses score"):
        run.write_table(path, table.drop_columns(["score"]), RATINGS)
    assert left(tmp_path) == []
    run.write_table(path, table, RATINGS)
    assert read(path, RATINGS).equals(table)
    assert sidecar_of(path)["output"]["rows"] == 1


def test_outside_a_checkout_the_git_state_is_null(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert git_state() == {"commit": None, "dirty": None}

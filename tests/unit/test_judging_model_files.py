"""Prepared folders: whole or absent, and errors that name the file."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from retrial.errors import RetrialError
from retrial.judging.model_files import (
    DESCRIPTION,
    STALE_SECONDS,
    ModelFiles,
    build_folder,
    check_files,
    describe_folder,
    read_folder,
)


def fill(folder: Path) -> ModelFiles:
    """A folder with two files."""
    (folder / "weights").write_bytes(b"12345")
    (folder / "sub").mkdir()
    (folder / "sub" / "config").write_bytes(b"{}")
    return describe_folder(folder, model="m", revision="1", licence="MIT")


def test_description_survives_a_round_trip(tmp_path: Path) -> None:
    files = fill(tmp_path)
    assert ModelFiles.from_json(files.to_json()) == files
    assert sorted(files.files) == ["sub/config", "weights"]
    assert json.loads(files.to_json())["digest"] == files.digest


def test_digest_is_of_the_contents_not_of_the_place(tmp_path: Path) -> None:
    here, there = tmp_path / "a", tmp_path / "b"
    here.mkdir()
    there.mkdir()
    assert fill(here).digest == fill(there).digest
    (there / "weights").write_bytes(b"12346")
    changed = describe_folder(there, model="m", revision="1")
    assert changed.digest != describe_folder(here, model="m", revision="1").digest


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"digest": "x", "files": {"a": 1}}'])
def test_text_that_is_no_description(text: str) -> None:
    with pytest.raises(RetrialError, match="not a description"):
        ModelFiles.from_json(text)


def test_an_edited_description_is_refused(tmp_path: Path) -> None:
    text = fill(tmp_path).to_json()
    digest = json.loads(text)["files"]["weights"]["sha256"]
    with pytest.raises(RetrialError, match="edited by hand"):
        ModelFiles.from_json(text.replace(digest, "0" * 64))


def test_checks_name_the_file(tmp_path: Path) -> None:
    files = fill(tmp_path)
    check_files(files, digests=True)
    (tmp_path / "weights").write_bytes(b"54321")
    check_files(files)
    with pytest.raises(RetrialError, match="weights is not the recorded file"):
        check_files(files, digests=True)
    (tmp_path / "weights").write_bytes(b"1234")
    with pytest.raises(RetrialError, match="weights has 4 bytes, recorded were 5"):
        check_files(files)
    (tmp_path / "sub" / "config").unlink()
    with pytest.raises(RetrialError, match="config is missing"):
        check_files(files)


def test_a_folder_is_built_once_and_rebuilt_when_damaged(tmp_path: Path) -> None:
    target, built = tmp_path / "model", []

    def build(folder: Path) -> ModelFiles:
        built.append(folder)
        return fill(folder)

    files = build_folder(target, build)
    assert files.folder == str(target) and build_folder(target, build) == files
    assert len(built) == 1
    (target / "weights").write_bytes(b"")
    assert build_folder(target, build) == files
    assert len(built) == 2 and (target / "weights").read_bytes() == b"12345"
    (target / DESCRIPTION).unlink()
    assert build_folder(target, build) == files
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_a_build_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def build(folder: Path) -> ModelFiles:
        fill(folder)
        raise RuntimeError("no space")

    with pytest.raises(RuntimeError, match="no space"):
        build_folder(tmp_path / "model", build)
    assert list(tmp_path.iterdir()) == []


def test_a_moved_cache_is_found_at_its_new_place(tmp_path: Path) -> None:
    build_folder(tmp_path / "old" / "model", fill)
    (tmp_path / "old").rename(tmp_path / "new")
    found = read_folder(tmp_path / "new" / "model")
    assert found is not None and found.folder == str(tmp_path / "new" / "model")


def test_remains_of_killed_builds_are_swept_after_a_day(tmp_path: Path) -> None:
    old, young = tmp_path / ".model.old", tmp_path / ".model.young"
    old.mkdir()
    young.mkdir()
    past = time.time() - STALE_SECONDS - 60
    os.utime(old, (past, past))
    build_folder(tmp_path / "model", fill)
    assert not old.exists() and young.exists()


BUILDER = """
import sys, time
from pathlib import Path
from retrial.judging.model_files import build_folder, describe_folder
def build(folder):
    (folder / "weights").write_bytes(b"12345")
    print("building", flush=True)
    sys.stdin.readline()
    return describe_folder(folder, model="m", revision="1")
print(build_folder(Path(sys.argv[1]), build).digest, flush=True)
"""


def start_builder(target: Path) -> "subprocess.Popen[str]":
    """A process that has begun to build the folder and waits for a line to go on."""
    process = subprocess.Popen(
        [sys.executable, "-c", BUILDER, str(target)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "building\n"
    return process


def test_two_builders_and_a_killed_one(tmp_path: Path) -> None:
    target = tmp_path / "model"
    killed, first, second = (start_builder(target) for _ in range(3))
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert not target.exists()
    digests = {p.communicate("go\n", timeout=60)[0] for p in (first, second)}
    assert len(digests) == 1
    found = read_folder(target)
    assert found is not None and digests == {found.digest + "\n"}

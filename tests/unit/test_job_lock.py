import json
import multiprocessing
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from retrial.errors import RetrialError
from retrial.job_lock import only_one

QUICK = {"beat": 0.05, "patience": 0.6}


def leave_behind(path: Path, **changed: object) -> None:
    """The lock of a job that was killed."""
    holder = {"host": "elsewhere", "pid": 1, "slurm_job": "77", "since": "", "token": "old"}
    path.write_text(json.dumps({**holder, **changed}), encoding="utf-8")


def dead_process() -> int:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def test_the_lock_is_there_during_the_work_and_gone_after_it(tmp_path: Path) -> None:
    path = tmp_path / "locks" / "job.lock"
    with only_one(path, **QUICK):
        assert json.loads(path.read_text())["pid"] == os.getpid()
    assert not path.exists()


def test_a_failed_job_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "job.lock"
    with pytest.raises(ValueError, match="work"), only_one(path, **QUICK):
        raise ValueError("work")
    assert not path.exists()


def test_a_living_holder_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "job.lock"
    ready, done = threading.Event(), threading.Event()

    def hold() -> None:
        with only_one(path, **QUICK):
            ready.set()
            done.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    ready.wait()
    try:
        with (
            pytest.raises(RetrialError, match=f"process {os.getpid()} on"),
            only_one(path, **QUICK),
        ):
            pytest.fail("two jobs held the lock")
        assert path.exists()
    finally:
        done.set()
        holder.join()


def test_a_killed_holder_of_this_host_is_replaced_at_once(tmp_path: Path) -> None:
    path = tmp_path / "job.lock"
    leave_behind(path, host=socket.gethostname(), pid=dead_process())
    before = time.monotonic()
    with only_one(path, beat=10, patience=600):
        assert json.loads(path.read_text())["token"] != "old"
    assert time.monotonic() - before < 60


@pytest.mark.parametrize("left", ["{}", "", '{"host": '], ids=["empty", "nothing", "cut"])
def test_a_lock_that_says_nothing_and_stands_still_is_replaced(tmp_path: Path, left: str) -> None:
    path = tmp_path / "job.lock"
    path.write_text(left)
    with only_one(path, **QUICK):
        assert json.loads(path.read_text())["pid"] == os.getpid()


def test_a_silent_holder_elsewhere_is_replaced_after_the_wait(tmp_path: Path) -> None:
    path = tmp_path / "job.lock"
    leave_behind(path)
    with only_one(path, **QUICK):
        assert json.loads(path.read_text())["token"] != "old"
    assert list(tmp_path.iterdir()) == []


def test_a_holder_elsewhere_that_beats_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "job.lock"
    leave_behind(path)
    stop = threading.Event()

    def beat() -> None:
        while not stop.wait(0.05):
            os.utime(path)

    beating = threading.Thread(target=beat)
    beating.start()
    try:
        with pytest.raises(RetrialError, match="Slurm job 77"), only_one(path, **QUICK):
            pytest.fail("two jobs held the lock")
    finally:
        stop.set()
        beating.join()


def compete(path: Path, start: "multiprocessing.synchronize.Barrier", log: Path) -> None:
    start.wait()
    try:
        with only_one(path, **QUICK):
            with log.open("a") as file:
                file.write("in\n")
            time.sleep(1.0)
            with log.open("a") as file:
                file.write("out\n")
    except RetrialError:
        pass


def test_of_several_that_find_a_stale_lock_never_two_work_at_once(tmp_path: Path) -> None:
    path, log = tmp_path / "job.lock", tmp_path / "log"
    leave_behind(path)
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(4)
    workers = [context.Process(target=compete, args=(path, start, log)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    lines = log.read_text().split()
    assert lines == ["in", "out"] * (len(lines) // 2)
    assert lines

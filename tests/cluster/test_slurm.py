"""`snakemake --profile slurm` on a real Slurm: what it asks for, and what it survives."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from checkout import Checkout

pytestmark = pytest.mark.cluster

ANSWERS = "results/tiny/answers/smollm2-135m/chitchat/in-context.parquet"
STORE = "results/tiny/store/smollm2-135m"
PRINTED = ("row", "column", "value", "ci_low", "ci_high", "n", "verdict")


def command(*arguments: str) -> list[str]:
    """The cluster run as it is typed, of the tests' small configuration."""
    snakemake = str(Path(sys.executable).with_name("snakemake"))
    overlays = ["--configfile", "profiles/tiny/overlay.yaml", "cluster-overlay.yaml"]
    quick = ["--latency-wait", "5"]
    return [snakemake, "--profile", "slurm", *quick, *arguments, *overlays]


def run(checkout: Checkout, *arguments: str, seconds: float = 600) -> tuple[int, str]:
    """Exit status and both streams. A run that hangs is interrupted, so that its jobs end."""
    running = start(checkout, *arguments)
    try:
        told, _ = running.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        running.send_signal(signal.SIGINT)
        told, _ = running.communicate(timeout=120)
        pytest.fail(f"the run did not end in {seconds} s\n{told[-4000:]}")
    return running.returncode, told


def start(checkout: Checkout, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        command(*arguments),
        cwd=checkout.folder,
        env=checkout.clean_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def jobs() -> list[dict[str, str]]:
    """What Slurm knows of every job, finished ones included."""
    told = subprocess.run(
        ["scontrol", "show", "job", "--oneliner"], capture_output=True, text=True, check=True
    )
    lines = [line for line in told.stdout.splitlines() if line.startswith("JobId")]
    return [dict(f.split("=", 1) for f in line.split() if "=" in f) for line in lines]


def of_rule(rule: str) -> list[dict[str, str]]:
    found = [job for job in jobs() if rule in job.get("Comment", "") + job.get("StdOut", "")]
    return sorted(found, key=lambda job: int(job["JobId"]))


@pytest.fixture(scope="module")
def first_run(on_cluster: Checkout) -> str:
    """What Snakemake said in the first whole run on the cluster."""
    status, told = run(on_cluster)
    assert status == 0, told[-6000:]
    return told


def test_the_judge_gets_its_gpu_and_twice_the_memory_after_running_out(first_run: str) -> None:
    asked = of_rule("rule_ask_judge")
    assert [job["JobState"] for job in asked] == ["FAILED", "COMPLETED"], first_run[-3000:]
    assert ["mem=1000M" in job["TRES"] for job in asked] == [True, False]
    assert "mem=2000M" in asked[1]["TRES"]
    assert [job.get("TresPerJob") for job in asked] == ["gres:gpu:1"] * 2
    assert [job["TimeLimit"] for job in asked] == ["00:10:00", "00:20:00"]


def test_local_rules_stay_off_the_cluster(first_run: str) -> None:
    assert of_rule("rule_build_table") == []
    assert of_rule("rule_ask_judge")


def test_the_cells_are_those_of_a_local_run(
    first_run: str, on_cluster: Checkout, local_run: Checkout
) -> None:
    name = "results/tiny/tables/jia2024_table2.parquet"
    here, there = (pq.read_table(c.folder / name) for c in (local_run, on_cluster))
    assert there.select(PRINTED).equals(here.select(PRINTED))
    printed = [(c.folder / name).with_suffix(".csv").read_text() for c in (local_run, on_cluster)]
    assert printed[0] == printed[1]


def test_a_second_run_has_nothing_to_do(first_run: str, on_cluster: Checkout) -> None:
    status, told = run(on_cluster)
    assert status == 0
    assert "Nothing to be done" in told


def test_a_failed_job_names_the_log_that_says_why(first_run: str, on_cluster: Checkout) -> None:
    prompts = on_cluster.folder / "results/tiny/prompts/chitchat/in-context.parquet"
    whole, changed = prompts.read_bytes(), prompts.stat()
    (on_cluster.folder / ANSWERS).unlink()
    prompts.write_bytes(whole[:-40])
    os.utime(prompts, ns=(changed.st_atime_ns, changed.st_mtime_ns))
    try:
        status, told = run(on_cluster, "--retries", "0", ANSWERS)
        assert status != 0
        named = [line for line in told.splitlines() if "ask_judge" in line and ".log" in line]
        paths = {p for line in named for p in re.findall(r"[^\s'\"(),]+\.log", line)}
        logs = [on_cluster.folder / path for path in paths]
        texts = [log.read_text(encoding="utf-8") for log in logs if log.is_file()]
        assert any(f"{prompts.name}: not readable as Parquet" in text for text in texts), told
    finally:
        prompts.write_bytes(whole)
        os.utime(prompts, ns=(changed.st_atime_ns, changed.st_mtime_ns))


def test_a_cancelled_job_loses_no_answer_and_asks_none_twice(
    first_run: str, on_cluster: Checkout
) -> None:
    store = on_cluster.folder / STORE
    for checkpoint in store.glob("*.parquet"):
        checkpoint.unlink()
    (on_cluster.folder / ANSWERS).unlink(missing_ok=True)
    enough = ["--set-resources", "ask_judge:mem_mb=3000", "--retries", "0"]
    running = start(on_cluster, *enough, ANSWERS)
    try:
        until = time.monotonic() + 180
        while not list(store.glob("*.parquet")):
            assert running.poll() is None and time.monotonic() < until
            time.sleep(0.5)
        kept = {p.name: p.read_bytes() for p in store.glob("*.parquet")}
        (asking,) = [job for job in of_rule("rule_ask_judge") if job["JobState"] == "RUNNING"]
        subprocess.run(["scancel", asking["JobId"]], check=True)
        told, _ = running.communicate(timeout=180)
    finally:
        if running.poll() is None:
            running.send_signal(signal.SIGINT)
            running.wait(timeout=120)
    assert running.returncode != 0, told[-3000:]
    assert not (on_cluster.folder / ANSWERS).exists()

    status, told = run(on_cluster, *enough[:2])
    assert status == 0, told[-4000:]
    assert kept.items() <= {p.name: p.read_bytes() for p in store.glob("*.parquet")}.items()
    asked = [i for p in store.glob("*.parquet") for i in pq.read_table(p)["request_id"].to_pylist()]
    assert len(asked) == len(set(asked))

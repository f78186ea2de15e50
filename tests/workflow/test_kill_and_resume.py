"""A judging job that is killed at several moments, and resumed."""

import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from checkout import Checkout

from retrial.tables.format import print_value

pytestmark = [pytest.mark.workflow, pytest.mark.model]
ANSWERS = "answers/smollm2-135m/chitchat/in-context.parquet"
PATIENCE_SECONDS = 600


def stored(checkout: Checkout, root: str) -> list[Path]:
    """The checkpoints of the judge."""
    return list((checkout.folder / root / "store/smollm2-135m").glob("*.parquet"))


def target(root: str) -> list[str]:
    """One table, below another root."""
    return [f"{root}/tables/jia2024_table2.parquet", "--config", f"results={root}"]


def run_until(checkout: Checkout, root: str, checkpoints: int) -> None:
    """Start the run and kill it, with all its processes, once so many checkpoints are there."""
    command = checkout.command("tiny", *target(root))
    process = subprocess.Popen(
        command,
        cwd=checkout.folder,
        env=checkout.clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(stored(checkout, root)) < checkpoints and process.poll() is None:
        assert time.monotonic() < deadline, "no checkpoint in time"
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def comparable(path: Path) -> pa.Table:
    """Answers without what tells one asking from another."""
    table = pq.read_table(path)
    kept = [n for n in table.column_names if n not in ("asked_at", "asked_by", "answer_sha256")]
    return table.select(kept).sort_by([("prompt_id", "ascending")])


def test_a_killed_job_asks_only_what_is_missing(tiny_run: Checkout) -> None:
    root = "results/killed"
    for checkpoints in (1, 3):
        run_until(tiny_run, root, checkpoints)
        tiny_run.snakemake("tiny", "--unlock", "--config", f"results={root}")
    before = {path: path.read_bytes() for path in stored(tiny_run, root)}
    asked_before = {row for path in before for row in pq.read_table(path)["request_id"].to_pylist()}
    assert len(asked_before) > 0
    tiny_run.snakemake("tiny", *target(root))
    assert all(path.read_bytes() == data for path, data in before.items())
    after = [
        row
        for path in stored(tiny_run, root)
        if path not in before
        for row in pq.read_table(path)["request_id"].to_pylist()
    ]
    assert not asked_before & set(after)
    assert len(after) == len(set(after))
    compare(tiny_run.folder / "results/tiny", tiny_run.folder / root)


def compare(undisturbed: Path, resumed: Path) -> None:
    """Ids and statuses identical, log-probabilities within 1e-4, printed cells equal."""
    first, second = comparable(undisturbed / ANSWERS), comparable(resumed / ANSWERS)
    logprobs = "rating_logprobs"
    assert first.drop_columns([logprobs]).equals(second.drop_columns([logprobs]))
    for one, other in zip(first[logprobs].to_pylist(), second[logprobs].to_pylist(), strict=True):
        assert [rating for rating, _ in one] == [rating for rating, _ in other]
        np.testing.assert_allclose([p for _, p in one], [p for _, p in other], rtol=0, atol=1e-4)
    tables = [
        pq.read_table(root / "tables/jia2024_table2.parquet") for root in (undisturbed, resumed)
    ]
    for left, right in zip(*(table.to_pylist() for table in tables), strict=True):
        assert (left["row"], left["column"]) == (right["row"], right["column"])
        printed = [print_value(cell["value"], cell["format"]) for cell in (left, right)]
        assert printed[0] == printed[1], (left["row"], left["column"])

"""Broken, killed and stale downloads: resumed where that is safe, else fetched again."""

import fcntl
import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sources_server import DATA, Bench, Handler, in_turn, ranges, running, status, whole

from retrial.errors import RetrialError

DIGEST = hashlib.sha256(DATA).hexdigest()
OTHER = DATA[::-1]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("NO_PROXY", "*")
    with running() as server:
        yield Bench(server, tmp_path)


def asked(bench: Bench, header: str) -> list[str | None]:
    return [request.get(header) for request in bench.server.requests]


def test_a_broken_download_goes_on_where_it_broke(bench: Bench) -> None:
    bench.server.reply = in_turn(ranges(upto=120_000, ETag='"v1"'), ranges(ETag='"v1"'))
    found = bench.fetch()
    assert found.resumed
    assert asked(bench, "Range") == [None, "bytes=120000-"]
    assert asked(bench, "If-Range") == [None, '"v1"']
    assert bench.destination.read_bytes() == DATA
    assert bench.left() == ["a.bin"]


def test_a_weak_line_may_break_more_often_than_attempts(bench: Bench) -> None:
    bench.server.reply = ranges(upto=60_000)
    bench.fetch(policy=bench.policy(attempts=2))
    assert len(bench.server.requests) == len(DATA) // 60_000
    assert bench.destination.read_bytes() == DATA


def test_a_server_without_ranges_starts_again(bench: Bench) -> None:
    cut = ranges(upto=1000)
    bench.server.reply = in_turn(cut, whole())
    found = bench.fetch()
    assert not found.resumed
    assert asked(bench, "Range") == [None, "bytes=1000-"]
    assert bench.destination.read_bytes() == DATA


@pytest.mark.parametrize(
    "odd",
    [
        status(416),
        lambda handler: handler.send(206, DATA[5:], Content_Range=f"bytes 5-9/{len(DATA)}"),
        lambda handler: handler.send(206, DATA[1000:], Content_Range="bytes 1000-2000/2001"),
        lambda handler: handler.send(206, DATA[1000:]),
    ],
)
def test_an_answer_that_does_not_continue_is_not_appended(bench: Bench, odd: object) -> None:
    bench.server.reply = in_turn(ranges(upto=1000), odd, whole())  # type: ignore[arg-type]
    assert not bench.fetch().resumed
    assert asked(bench, "Range") == [None, "bytes=1000-", None]
    assert bench.destination.read_bytes() == DATA


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.integers(1, len(DATA)), max_size=4), st.booleans())
def test_any_breaks_give_the_same_bytes(bench: Bench, cuts: list[int], honours: bool) -> None:
    def cut(length: int) -> object:
        head = DATA[:length]
        return lambda handler: handler.send(200, head, Content_Length=str(len(DATA)))

    replies = [ranges(upto=length) if honours else cut(length) for length in cuts]
    bench.server.reply = in_turn(*replies, ranges())  # type: ignore[arg-type]
    bench.destination.unlink(missing_ok=True)
    bench.fetch(policy=bench.policy(attempts=10))
    assert bench.destination.read_bytes() == DATA
    assert bench.left() == ["a.bin"]


def leave_part(bench: Bench, data: bytes) -> None:
    bench.part.parent.mkdir(parents=True, exist_ok=True)
    bench.part.write_bytes(data)


def test_a_part_left_behind_is_resumed(bench: Bench) -> None:
    leave_part(bench, DATA[:200_000])
    bench.server.reply = ranges()
    assert bench.fetch().resumed
    assert asked(bench, "Range") == ["bytes=200000-"]


def test_a_whole_part_left_behind_needs_no_network(bench: Bench) -> None:
    leave_part(bench, DATA)
    assert bench.fetch().sha256 == DIGEST
    assert bench.server.requests == []


@pytest.mark.parametrize("length", [1000, len(DATA), len(DATA) + 1])
def test_a_stale_part_is_found_out_and_fetched_again(bench: Bench, length: int) -> None:
    leave_part(bench, (OTHER + b"x")[:length])
    bench.server.reply = ranges()
    assert not bench.fetch().resumed
    assert bench.destination.read_bytes() == DATA


def test_after_a_stale_part_wrong_bytes_are_refused_once_more(bench: Bench) -> None:
    leave_part(bench, DATA[:1000])
    bench.server.reply = ranges(OTHER)
    with pytest.raises(RetrialError, match=hashlib.sha256(OTHER).hexdigest()):
        bench.fetch()
    assert asked(bench, "Range") == ["bytes=1000-", None]
    assert bench.left() == []


CHILD = """
import sys
from pathlib import Path
from retrial.sources.catalogue import SourceFile
from retrial.sources.fetch import fetch
file = SourceFile.model_validate_json(sys.argv[1])
fetch(file, Path(sys.argv[2]), mirror=None, source_id="src")
"""


@pytest.mark.parametrize("tagged", [True, False])
def test_a_killed_process_leaves_a_part_that_the_next_call_resumes(
    bench: Bench, tagged: bool
) -> None:
    go = threading.Event()
    headers: dict[str, Any] = {"ETag": '"v1"'} if tagged else {}

    def hang(handler: Handler) -> None:
        handler.send(200, DATA[:100_000], Content_Length=str(len(DATA)), **headers)
        go.wait(30)

    bench.server.reply = in_turn(hang, ranges(**headers))
    file = bench.first_use() if tagged else bench.file()
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, file.model_dump_json(), str(bench.destination)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        for _ in range(3000):
            if bench.part.exists() and bench.part.stat().st_size > 50_000:
                break
            assert child.poll() is None
            time.sleep(0.01)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
        go.set()
    assert not bench.destination.exists()
    kept = bench.part.stat().st_size
    assert bench.fetch(file).resumed
    assert asked(bench, "Range")[-1] == f"bytes={kept}-"
    assert bench.destination.read_bytes() == DATA


def test_without_digest_or_etag_halves_are_not_joined(bench: Bench) -> None:
    bench.server.reply = in_turn(ranges(OTHER, upto=1000, ETag='W/"weak"'), ranges())
    assert not bench.fetch(bench.first_use()).resumed
    assert asked(bench, "Range") == [None, None]
    assert bench.destination.read_bytes() == DATA


def test_a_changed_etag_starts_again(bench: Bench) -> None:
    def answer(handler: Handler) -> None:
        same = handler.headers.get("If-Range") == '"v2"'
        (ranges(ETag='"v2"') if same else whole(ETag='"v2"'))(handler)

    bench.server.reply = in_turn(ranges(OTHER, upto=1000, ETag='"v1"'), answer)
    assert not bench.fetch(bench.first_use()).resumed
    assert bench.destination.read_bytes() == DATA


def test_an_interrupt_keeps_the_part(bench: Bench) -> None:
    def stop(done: int, total: int | None) -> None:
        if done > 50_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bench.fetch(on_progress=stop)
    assert not bench.destination.exists()
    bench.server.reply = ranges()
    assert bench.fetch().resumed
    assert bench.destination.read_bytes() == DATA


def test_a_left_over_from_the_future_is_dated_no_later_than_now(bench: Bench) -> None:
    leave_part(bench, DATA)
    future = time.time() + 1200
    os.utime(bench.part, (future, future))
    bench.fetch()
    assert bench.destination.stat().st_mtime <= time.time()


def test_a_part_that_is_renamed_before_it_is_locked_is_let_go(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, published = fcntl.flock, bench.folder / "published-by-another"

    def renamed_first(handle: Any, how: int) -> None:
        if not published.exists():
            bench.part.rename(published)
        lock(handle, how)

    monkeypatch.setattr(fcntl, "flock", renamed_first)
    bench.fetch()
    assert published.read_bytes() == b""
    assert bench.destination.read_bytes() == DATA

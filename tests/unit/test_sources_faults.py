"""Every fault of a download, against a loopback server: a clear error, and no file left."""

import errno
import fcntl
import hashlib
import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sources_server import (
    DATA,
    PAGE,
    Bench,
    Reply,
    closed_port,
    endless,
    in_turn,
    ranges,
    running,
    stalling,
    status,
    whole,
)

from retrial.errors import RetrialError
from retrial.sources import part as part_module
from retrial.sources.retry import RetryPolicy, seconds_from_header

DIGEST = hashlib.sha256(DATA).hexdigest()
CHANGED = DATA[:1000] + b"?" + DATA[1001:]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("NO_PROXY", "*")
    with running() as server:
        yield Bench(server, tmp_path)


def lacks_length(data: bytes) -> Reply:
    """A body whose end only the closed connection marks."""
    return lambda handler: handler.send(200, data)


def page_with_encoding(handler: object) -> None:
    whole(b"not gzip at all", Content_Encoding="gzip")(handler)  # type: ignore[arg-type]


FAULTS: dict[str, tuple[Reply, str, str]] = {
    # name: (reply, what the message says, what it says of the actual state)
    "503 page": (status(503), "503 Service Unavailable", "nothing received"),
    "500": (status(500), "500 Internal Server Error", "nothing received"),
    "429": (status(429, b""), "429 Too Many Requests", "nothing received"),
    "404": (status(404), "404 Not Found", "nothing received"),
    "403": (status(403), "403 Forbidden", "nothing received"),
    "204": (status(204, b""), "204 No Content", "nothing received"),
    "truncated, length promised": (
        ranges(upto=0),
        "connection failed",
        "nothing received",
    ),
    "truncated, range ignored": (
        lambda handler: handler.send(200, DATA[:5000], Content_Length=str(len(DATA))),
        "connection failed",
        hashlib.sha256(DATA[:5000]).hexdigest(),
    ),
    "truncated, no length": (
        lacks_length(DATA[:5000]),
        "ended early",
        hashlib.sha256(DATA[:5000]).hexdigest(),
    ),
    "truncated, short length": (
        whole(DATA[:5000]),
        "does not hold the expected bytes",
        hashlib.sha256(DATA[:5000]).hexdigest(),
    ),
    "one byte changed": (
        whole(CHANGED),
        "does not hold the expected bytes",
        hashlib.sha256(CHANGED).hexdigest(),
    ),
    "proxy page": (whole(PAGE), "it is a web page", hashlib.sha256(PAGE).hexdigest()),
    "proxy page, no length": (
        lacks_length(PAGE),
        "it is a web page",
        hashlib.sha256(PAGE).hexdigest(),
    ),
    "empty": (whole(b""), "does not hold the expected bytes", "0 bytes"),
    "one byte too many": (whole(DATA + b"x"), "more than the file can hold", str(len(DATA))),
    "endless": (endless, "more than the file can hold", "download stopped"),
    "unusable encoding": (page_with_encoding, "can't be used", "nothing received"),
    "plain http redirect": (
        status(302, b"", Location="http://example.org/a.bin?token=secret"),
        "redirects to http://example.org, not to https",
        "nothing received",
    ),
    "redirect loop": (status(302, b"", Location="/a.bin"), "can't be used", "nothing received"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_a_clear_error_and_leaves_nothing(bench: Bench, fault: str) -> None:
    bench.server.reply, said, actual = FAULTS[fault]
    with pytest.raises(RetrialError) as caught:
        bench.fetch()
    message = str(caught.value)
    assert said in message
    assert actual in message.split("actual:")[1]
    assert "src/a.bin" in message
    assert f"{bench.server.base}/a.bin" in message
    assert f"{len(DATA)} bytes, sha256 {DIGEST}" in message.split("expected:")[1]
    assert "RETRIAL_MIRROR" in message.split("remedy:")[1]
    assert "secret" not in message
    assert bench.left() == []


@pytest.mark.parametrize("fault", ["404", "403", "204", "one byte changed", "endless"])
def test_a_final_answer_is_asked_for_once(bench: Bench, fault: str) -> None:
    bench.server.reply = FAULTS[fault][0]
    with pytest.raises(RetrialError):
        bench.fetch()
    assert len(bench.server.requests) == 1
    assert bench.waits == []


def test_a_passing_fault_is_retried_with_growing_waits(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.server.reply = in_turn(status(503), status(502), status(500), whole())
    with caplog.at_level(logging.WARNING):
        found = bench.fetch(policy=bench.policy(attempts=4, first_wait=0.5, longest_wait=1.0))
    assert found.sha256 == DIGEST
    assert bench.waits == [0.5, 1.0, 1.0]
    assert [record.getMessage().split(";")[0] for record in caplog.records] == [
        "src/a.bin: the server answered 503 Service Unavailable",
        "src/a.bin: the server answered 502 Bad Gateway",
        "src/a.bin: the server answered 500 Internal Server Error",
    ]


def test_attempts_end(bench: Bench) -> None:
    bench.server.reply = status(503)
    with pytest.raises(RetrialError, match="3 attempts"):
        bench.fetch()
    assert len(bench.server.requests) == 3


def test_retry_after_is_honoured(bench: Bench) -> None:
    bench.server.reply = in_turn(status(429, Retry_After="7"), whole())
    bench.fetch()
    assert bench.waits == [7.0]


def test_a_server_that_asks_for_too_long_a_wait_is_given_up(bench: Bench) -> None:
    bench.server.reply = status(429, Retry_After="86400")
    with pytest.raises(RetrialError, match="asks to wait 86400 s"):
        bench.fetch()
    assert len(bench.server.requests) == 1


def test_retry_after_may_be_a_date() -> None:
    soon = datetime.now(UTC) + timedelta(seconds=100)
    seconds = seconds_from_header(format_datetime(soon))
    assert seconds is not None
    assert 90 < seconds <= 100
    assert seconds_from_header(format_datetime(soon - timedelta(days=1))) == 0
    assert seconds_from_header("soon") is None
    assert seconds_from_header(None) is None


@given(st.integers(1, 2000), st.none() | st.floats(0, 300))
def test_waits_never_shrink_and_are_bounded(fruitless: int, asked: float | None) -> None:
    policy = RetryPolicy()
    wait = policy.wait(fruitless, asked)
    assert max(policy.first_wait, asked or 0) <= wait <= max(policy.longest_wait, asked or 0)
    assert wait <= policy.wait(fruitless + 1, asked)


def test_no_network(bench: Bench) -> None:
    url = f"http://127.0.0.1:{closed_port()}/a.bin"
    with pytest.raises(RetrialError, match="connection failed: ConnectError") as caught:
        bench.fetch(bench.file(url=url))
    assert url in str(caught.value)
    assert len(bench.waits) == 2
    assert bench.left() == []


def test_a_server_that_falls_silent(bench: Bench) -> None:
    bench.server.reply = stalling(1.0)
    with pytest.raises(RetrialError, match="ReadTimeout"):
        bench.fetch(policy=bench.policy(attempts=1, read_timeout=0.1))
    assert bench.left() == []


def test_a_full_disk(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(part_module.PartFile, "append", full)
    with pytest.raises(RetrialError, match="No space left on device"):
        bench.fetch()
    assert bench.left() == []


def test_a_file_system_without_locks_still_works(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with caplog.at_level(logging.WARNING):
        assert bench.fetch().sha256 == DIGEST
    assert "No locks available" in caplog.text
    assert bench.left() == ["a.bin"]


def test_a_download_held_by_another_is_waited_for_only_so_long(bench: Bench) -> None:
    with (
        part_module.claim_part(bench.destination, 0, bench.waits.append),
        pytest.raises(RetrialError, match="another process has held"),
    ):
        bench.fetch(policy=bench.policy(lock_patience=0.05))
    assert not bench.destination.exists()


def test_a_folder_in_the_way(bench: Bench) -> None:
    bench.destination.mkdir(parents=True)
    with pytest.raises(RetrialError, match="in the way"):
        bench.fetch()


def test_the_way_by_hand_is_told(bench: Bench) -> None:
    bench.server.reply = status(404)
    file = bench.file(by_hand="open the page in a browser")
    with pytest.raises(RetrialError) as caught:
        bench.fetch(file, mirror=bench.folder)
    remedy = str(caught.value).split("remedy:")[1]
    assert "open the page in a browser" in remedy
    assert str(bench.folder / "src" / "a.bin") in remedy

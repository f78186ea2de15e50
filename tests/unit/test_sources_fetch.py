"""Fetching that succeeds: read, mirrored, already there, first use, two at once."""

import hashlib
import logging
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sources_server import DATA, PAGE, Bench, Handler, in_turn, running, status, whole

from retrial.errors import RetrialError
from retrial.sources.fetch import first_use_path, mirror_from_environment

DIGEST = hashlib.sha256(DATA).hexdigest()
OTHER = DATA[::-1]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("NO_PROXY", "*")
    with running() as server:
        yield Bench(server, tmp_path)


def asked(bench: Bench, header: str) -> list[str | None]:
    return [request.get(header) for request in bench.server.requests]


def test_a_download(bench: Bench) -> None:
    seen: list[tuple[int, int | None]] = []
    before = time.time()
    date = "Fri, 01 Jan 2100 00:00:00 GMT"
    bench.server.reply = whole(Last_Modified=date)
    found = bench.fetch(on_progress=lambda done, total: seen.append((done, total)))
    assert (found.sha256, found.bytes, found.origin) == (DIGEST, len(DATA), "network")
    assert not found.resumed
    assert bench.destination.read_bytes() == DATA
    assert bench.left() == ["a.bin"]
    assert seen == sorted(seen)
    assert seen[-1] == (len(DATA), len(DATA))
    assert before - 1 <= bench.destination.stat().st_mtime <= time.time()
    assert asked(bench, "Accept-Encoding") == ["identity"]


def test_a_redirect_on_loopback_is_followed(bench: Bench) -> None:
    bench.server.reply = in_turn(status(302, b"", Location="/moved"), whole())
    bench.fetch()
    assert bench.server.paths == ["/a.bin", "/moved"]


def test_two_at_once_ask_once_and_agree(bench: Bench) -> None:
    start = threading.Barrier(3)

    def slow(handler: Handler) -> None:
        time.sleep(0.3)
        whole()(handler)

    def work() -> None:
        start.wait()
        origins.append(bench.fetch(policy=bench.policy(sleep=time.sleep)).origin)

    origins: list[str] = []
    bench.server.reply = slow
    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(origins) == ["network", "present", "present"]
    assert len(bench.server.requests) == 1
    assert bench.destination.read_bytes() == DATA
    assert bench.left() == ["a.bin"]


def test_a_good_file_needs_no_network_and_is_dated_no_later_than_now(bench: Bench) -> None:
    bench.destination.parent.mkdir(parents=True)
    bench.destination.write_bytes(DATA)
    future = time.time() + 1200
    os.utime(bench.destination, (future, future))
    assert bench.fetch().origin == "present"
    assert bench.server.requests == []
    assert bench.destination.stat().st_mtime <= time.time()


def test_a_damaged_file_is_fetched_again_and_said_so(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.destination.parent.mkdir(parents=True)
    bench.destination.write_bytes(OTHER)
    with caplog.at_level(logging.WARNING):
        assert bench.fetch().origin == "network"
    assert hashlib.sha256(OTHER).hexdigest() in caplog.text
    assert bench.destination.read_bytes() == DATA


def in_mirror(bench: Bench, data: bytes) -> Path:
    path = bench.folder / "mirror" / "src" / "a.bin"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return bench.folder / "mirror"


def test_the_mirror_stands_in_for_the_network(bench: Bench) -> None:
    found = bench.fetch(mirror=in_mirror(bench, DATA))
    assert (found.sha256, found.origin) == (DIGEST, "mirror")
    assert bench.server.requests == []
    assert bench.left() == ["a.bin"]


def test_a_mirror_with_a_flipped_byte_is_refused(bench: Bench) -> None:
    flipped = bytes([DATA[0] ^ 1]) + DATA[1:]
    folder = in_mirror(bench, flipped)
    with pytest.raises(RetrialError) as caught:
        bench.fetch(mirror=folder)
    assert hashlib.sha256(flipped).hexdigest() in str(caught.value)
    assert str(folder / "src" / "a.bin") in str(caught.value)
    assert bench.server.requests == []
    assert bench.left() == []


def test_a_mirror_without_the_file_lets_the_network_answer(bench: Bench) -> None:
    folder = bench.folder / "mirror"
    folder.mkdir()
    assert bench.fetch(mirror=folder).origin == "network"


def test_the_mirror_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RETRIAL_MIRROR", raising=False)
    assert mirror_from_environment() is None
    monkeypatch.setenv("RETRIAL_MIRROR", str(tmp_path))
    assert mirror_from_environment() == tmp_path.resolve()
    monkeypatch.setenv("RETRIAL_MIRROR", str(tmp_path / "none"))
    with pytest.raises(RetrialError, match="no such folder"):
        mirror_from_environment()


def test_first_use_is_recorded_and_then_enforced(bench: Bench) -> None:
    file = bench.first_use()
    bench.fetch(file)
    record = first_use_path(bench.destination)
    assert record.read_text() == f"{DIGEST}  a.bin\n"
    bench.destination.unlink()
    bench.server.reply = whole(OTHER)
    with pytest.raises(RetrialError) as caught:
        bench.fetch(file)
    assert DIGEST in str(caught.value)
    assert f"delete {record}" in str(caught.value)
    assert bench.left() == [record.name]
    record.unlink()
    assert bench.fetch(file).sha256 == hashlib.sha256(OTHER).hexdigest()


def test_a_file_placed_by_hand_is_recorded_and_then_enforced(bench: Bench) -> None:
    bench.destination.parent.mkdir(parents=True)
    bench.destination.write_bytes(DATA)
    assert bench.fetch(bench.first_use()).origin == "present"
    bench.destination.write_bytes(OTHER)
    with pytest.raises(RetrialError, match=DIGEST):
        bench.fetch(bench.first_use())
    assert bench.destination.read_bytes() == OTHER  # what a person placed is not deleted
    assert bench.server.requests == []


@pytest.mark.parametrize("body", [PAGE, b"\n  " + PAGE.lower(), b"", b"x" * 1_000_001])
def test_first_use_does_not_record_rubbish(bench: Bench, body: bytes) -> None:
    bench.server.reply = whole(body)
    with pytest.raises(RetrialError, match=r"src/a\.bin"):
        bench.fetch(bench.first_use())
    assert bench.left() == []


def test_a_reported_digest_only_warns(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        bench.fetch(bench.first_use(sha256="0" * 64))
    assert "0" * 64 in caplog.text
    assert bench.destination.read_bytes() == DATA


def test_an_unreadable_record_is_named(bench: Bench) -> None:
    bench.destination.parent.mkdir(parents=True)
    first_use_path(bench.destination).write_text("nonsense\n")
    with pytest.raises(RetrialError, match="no record of a sha256"):
        bench.fetch(bench.first_use())

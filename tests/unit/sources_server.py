"""A loopback HTTP server with every fault that a download can meet."""

import hashlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from retrial.sources.catalogue import SourceFile
from retrial.sources.fetch import FetchResult, fetch
from retrial.sources.retry import RetryPolicy

DATA = hashlib.shake_256(b"a body that no line of it repeats").digest(300_000)
PAGE = b"<!DOCTYPE html><html><body>Please log in to the network.</body></html>"

Reply = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Hands each request to the server's reply; HTTP/1.0, so that a body may lack its length."""

    server: "FaultyServer"

    def do_GET(self) -> None:
        with self.server.guard:
            self.server.requests.append(dict(self.headers))
            self.server.paths.append(self.path)
        self.server.reply(self)

    def send(self, status: int, body: bytes, **headers: str) -> None:
        """Status line, headers (underscores as dashes), then the body."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def offset(self) -> int:
        """The first byte that the Range header asks for; 0 without one."""
        value = self.headers.get("Range", "bytes=0-")
        return int(value.removeprefix("bytes=").split("-")[0])

    def log_message(self, *_: Any) -> None:
        """Nothing on stderr."""


class FaultyServer(ThreadingHTTPServer):
    """Keeps what was asked; `reply` is set by the test."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.guard = threading.Lock()
        self.requests: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.reply: Reply = whole()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_: Any) -> None:
        """A client that hangs up is part of the tests."""


@contextmanager
def running() -> Iterator[FaultyServer]:
    server = FaultyServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def whole(data: bytes = DATA, **headers: str) -> Reply:
    """The whole body with its length, whatever Range asks."""
    return lambda handler: handler.send(200, data, Content_Length=str(len(data)), **headers)


def status(code: int, body: bytes = PAGE, **headers: str) -> Reply:
    return lambda handler: handler.send(code, body, Content_Length=str(len(body)), **headers)


def ranges(data: bytes = DATA, upto: int | None = None, **headers: str) -> Reply:
    """Honours Range; each answer breaks off after `upto` bytes, its length promising more."""

    def reply(handler: Handler) -> None:
        start = handler.offset()
        rest = data[start:]
        about = {"Content_Length": str(len(rest)), **headers}
        if start:
            about["Content_Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        handler.send(206 if start else 200, rest[:upto], **about)

    return reply


def in_turn(*replies: Reply) -> Reply:
    """One reply after the other; the last one for all that follow."""
    left = list(replies)

    def reply(handler: Handler) -> None:
        with handler.server.guard:
            now = left.pop(0) if len(left) > 1 else left[0]
        now(handler)

    return reply


def endless(handler: Handler) -> None:
    handler.send(200, b"")
    while True:
        handler.wfile.write(b"x" * 65_536)


def stalling(seconds: float) -> Reply:
    def reply(handler: Handler) -> None:
        handler.send(200, DATA[:1000], Content_Length=str(len(DATA)))
        time.sleep(seconds)

    return reply


def closed_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@dataclass
class Bench:
    """A server, a place for the file, and the waits that were asked for instead of slept."""

    server: FaultyServer
    folder: Path
    waits: list[float] = field(default_factory=list)

    @property
    def destination(self) -> Path:
        return self.folder / "raw" / "src" / "a.bin"

    @property
    def part(self) -> Path:
        return self.destination.with_name(".a.bin.part")

    def policy(self, **changes: Any) -> RetryPolicy:
        base: dict[str, Any] = {
            "attempts": 3,
            "read_timeout": 5.0,
            "connect_timeout": 5.0,
            "sleep": self.waits.append,
        }
        return RetryPolicy(**{**base, **changes})

    def file(self, **changes: Any) -> SourceFile:
        base: dict[str, Any] = {
            "url": f"{self.server.base}/a.bin",
            "sha256": hashlib.sha256(DATA).hexdigest(),
            "bytes": len(DATA),
            "trust": "pinned",
        }
        return SourceFile(**{**base, **changes})

    def first_use(self, **changes: Any) -> SourceFile:
        loose = {"trust": "first-use", "sha256": None, "bytes": None, "max_bytes": 1_000_000}
        return self.file(**{**loose, **changes})

    def fetch(self, file: SourceFile | None = None, **options: Any) -> FetchResult:
        options = {"mirror": None, "policy": self.policy(), **options}
        return fetch(file or self.file(), self.destination, source_id="src", **options)

    def left(self) -> list[str]:
        """Every file in the destination's folder."""
        folder = self.destination.parent
        return sorted(path.name for path in folder.iterdir()) if folder.exists() else []

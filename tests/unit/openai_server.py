"""A loopback server of the OpenAI protocol that answers as a test tells it to."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, Mapping[str, Any] | bytes, Mapping[str, str]]
Reply = Callable[[str, Mapping[str, Any]], Answer]
"""From path and body to status, body and headers."""


class Handler(BaseHTTPRequestHandler):
    server: "Server"

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        body = json.loads(self.rfile.read(length))
        with self.server.guard:
            self.server.asked.append((self.path, body, dict(self.headers)))
        status, answer, headers = self.server.reply(self.path, body)
        raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(raw)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: Any) -> None:
        """Nothing on stderr."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, reply: Reply) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.guard, self.reply = threading.Lock(), reply
        self.asked: list[tuple[str, Mapping[str, Any], Mapping[str, str]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


@contextmanager
def serving(reply: Reply) -> Iterator[Server]:
    server = Server(reply)
    running = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    running.start()
    try:
        yield server
    finally:
        server.shutdown()
        running.join()
        server.server_close()


def chat(text: str, top: list[list[tuple[str, float]]] | None = None, **more: Any) -> Answer:
    """A chat answer; `top` lists the likeliest tokens of each position, the chosen one first."""
    content = [
        {"token": p[0][0], "logprob": p[0][1],
         "top_logprobs": [{"token": t, "logprob": v} for t, v in p]}
        for p in top or []
    ]  # fmt: skip
    choice = {"message": {"content": text}, "finish_reason": "stop",
              "logprobs": {"content": content} if top else None, **more}  # fmt: skip
    usage = {"prompt_tokens": 11, "completion_tokens": 2}
    return 200, {"choices": [choice], "model": "served", "usage": usage}, {}


def completion(text: str, top: list[list[tuple[str, float]]]) -> Answer:
    """The older shape of completions."""
    logprobs = {
        "tokens": [p[0][0] for p in top],
        "token_logprobs": [p[0][1] for p in top],
        "top_logprobs": [dict(p) for p in top],
    }
    choice = {"text": text, "finish_reason": "length", "logprobs": logprobs}
    return 200, {"choices": [choice], "model": "served"}, {}

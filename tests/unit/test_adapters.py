"""Adapters at judging time: their digest, and every way in which one can be the wrong one."""

import json
import shutil
from pathlib import Path
from typing import Any

import peft
import pytest
import torch
from core_rows import TEMPLATE, prompt
from safetensors.torch import load_file, save_file
from tiny_models import llama_like, t5_like, tiny_model

from retrial.errors import RetrialError
from retrial.judging.adapters import LOCK, SETTINGS, WEIGHTS, adapter_digest, check_adapter
from retrial.judging.backends.transformers import open_backend
from retrial.judging.model_files import ModelFiles, describe_folder
from retrial.judging.models import load_judge

SPEC = {"backend": "transformers", "source": {"package": "tiny"}, "context_tokens": 128}


def save_model(folder: Path, model: Any, tokenizer: Any, name: str = "tiny/base") -> ModelFiles:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return describe_folder(folder, model=name, revision="0")


def save_adapter(folder: Path, files: ModelFiles, trained: bool = True, **options: Any) -> Path:
    torch.manual_seed(0)
    settings = {"r": 2, "target_modules": ["q_proj", "v_proj"], **options}
    config = peft.LoraConfig(**settings, init_lora_weights=not trained)
    base = load_judge(files).model
    peft.get_peft_model(base, config).save_pretrained(str(folder))
    name_base(folder, None)
    return folder


def name_base(folder: Path, name: str | None) -> None:
    settings = json.loads((folder / SETTINGS).read_text())
    (folder / SETTINGS).write_text(json.dumps({**settings, "base_model_name_or_path": name}))


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> ModelFiles:
    tokenizer = llama_like()
    folder = tmp_path_factory.mktemp("base")
    return save_model(folder, tiny_model("llama", len(tokenizer)), tokenizer)


@pytest.fixture
def adapter(files, tmp_path) -> Path:
    return save_adapter(tmp_path / "adapter", files)


def test_a_fitting_adapter_passes(files, adapter):
    check_adapter(adapter, files)


def test_the_digest_is_of_settings_and_weights_and_of_nothing_else(adapter, tmp_path):
    digest = adapter_digest(adapter)
    moved = Path(shutil.copytree(adapter, tmp_path / "moved"))
    (moved / "README.md").write_text("other words")
    assert adapter_digest(moved) == digest
    name_base(moved, "tiny/other")
    assert adapter_digest(moved) != digest


def test_one_changed_weight_is_another_digest(adapter):
    digest = adapter_digest(adapter)
    weights = load_file(adapter / WEIGHTS)
    next(iter(weights.values()))[0, 0] += 1e-3
    save_file(weights, adapter / WEIGHTS)
    assert adapter_digest(adapter) != digest


def test_a_wrong_path_is_named(files, tmp_path):
    for ask in (lambda p: check_adapter(p, files), adapter_digest):
        with pytest.raises(RetrialError, match=r"no adapter folder .*nowhere"):
            ask(tmp_path / "nowhere")


@pytest.mark.parametrize("name", [SETTINGS, WEIGHTS])
def test_a_missing_file_is_named(files, adapter, name):
    (adapter / name).unlink()
    for ask in (lambda p: check_adapter(p, files), adapter_digest):
        with pytest.raises(RetrialError, match=f"holds no adapter \\({name} is missing"):
            ask(adapter)


def test_half_a_weights_file_is_told_from_a_whole_one(files, adapter):
    content = (adapter / WEIGHTS).read_bytes()
    (adapter / WEIGHTS).write_bytes(content[: len(content) // 2])
    with pytest.raises(RetrialError, match="not whole"):
        check_adapter(adapter, files)


def test_an_adapter_that_changes_nothing_is_refused(files, tmp_path):
    untrained = save_adapter(tmp_path / "untrained", files, trained=False)
    with pytest.raises(RetrialError, match="it changes nothing"):
        check_adapter(untrained, files)
    with pytest.raises(RetrialError, match="it changes nothing"):
        load_judge(files, adapter=untrained)


def test_one_weight_that_is_not_zero_is_a_change(files, tmp_path):
    folder = save_adapter(tmp_path / "barely", files, trained=False)
    weights = load_file(folder / WEIGHTS)
    name = next(n for n in weights if ".lora_B" in n)
    weights[name][0, 0] = 1e-4
    save_file(weights, folder / WEIGHTS)
    check_adapter(folder, files)


def test_weights_that_are_not_finite_are_refused(files, adapter):
    weights = load_file(adapter / WEIGHTS)
    next(iter(weights.values()))[0, 0] = float("nan")
    save_file(weights, adapter / WEIGHTS)
    with pytest.raises(RetrialError, match="not finite"):
        check_adapter(adapter, files)


def test_other_kinds_of_adapters_are_refused(files, adapter):
    settings = json.loads((adapter / SETTINGS).read_text())
    (adapter / SETTINGS).write_text(json.dumps({**settings, "peft_type": "IA3"}))
    with pytest.raises(RetrialError, match="only LORA"):
        check_adapter(adapter, files)


def test_a_lock_of_another_base_is_refused_though_all_shapes_fit(files, adapter):
    for base, fits in ((files.asked_digest, True), ("0" * 64, False)):
        lock = {"base": base, "base_model": "tiny/other", "files": {}}
        (adapter / LOCK).write_text(json.dumps(lock))
        if fits:
            check_adapter(adapter, files)
        else:
            with pytest.raises(RetrialError, match="tuned on tiny/other with other files"):
                check_adapter(adapter, files)


def test_weights_that_are_not_those_of_the_lock_are_refused(files, adapter):
    lock = {"base": files.asked_digest, "files": {WEIGHTS: "0" * 64}}
    (adapter / LOCK).write_text(json.dumps(lock))
    with pytest.raises(RetrialError, match=f"{WEIGHTS} is not the file that {LOCK} records"):
        check_adapter(adapter, files)


@pytest.mark.parametrize(("name", "fits"), [
    ("tiny/base", True), ("tiny/other", False), (None, True), ("/elsewhere/tiny-base", True),
])  # fmt: skip
def test_without_a_lock_the_base_is_the_named_one(files, adapter, name, fits):
    name_base(adapter, name)
    if fits:
        check_adapter(adapter, files)
    else:
        with pytest.raises(RetrialError, match="names the base tiny/other"):
            check_adapter(adapter, files)


def test_an_adapter_of_a_wider_base_is_refused(files, adapter, tmp_path):
    tokenizer = llama_like()
    model = type(tiny_model("llama"))(
        type(tiny_model("llama").config)(
            vocab_size=len(tokenizer), hidden_size=48, num_hidden_layers=2,
            num_attention_heads=4, num_key_value_heads=2, intermediate_size=32,
        )
    )  # fmt: skip
    wide = save_model(tmp_path / "wide", model, tokenizer, "tiny/wide")
    with pytest.raises(RetrialError, match="has a layer of shape"):
        check_adapter(adapter, wide)


def test_an_adapter_of_a_deeper_base_is_refused(files, adapter):
    weights = load_file(adapter / WEIGHTS)
    deeper = {n.replace("layers.1", "layers.7"): w.clone() for n, w in weights.items()}
    save_file({**weights, **deeper}, adapter / WEIGHTS)
    with pytest.raises(RetrialError, match=r"layers\.7.*has no such layer"):
        check_adapter(adapter, files)


def test_an_adapter_of_another_architecture_is_refused(adapter, tmp_path):
    tokenizer = t5_like()
    other = save_model(tmp_path / "t5", tiny_model("t5", len(tokenizer)), tokenizer)
    with pytest.raises(RetrialError, match="has no such layer"):
        check_adapter(adapter, other)


def test_an_encoder_decoder_model_takes_an_adapter_of_its_own(tmp_path):
    tokenizer = t5_like()
    files = save_model(tmp_path / "t5", tiny_model("t5", len(tokenizer)), tokenizer)
    own = save_adapter(tmp_path / "own", files, target_modules=["q", "v"])
    check_adapter(own, files)
    plain, tuned = (load_judge(files, adapter=a).model for a in (None, own))
    ids = {"input_ids": torch.tensor([[5, 6, 1]]), "decoder_input_ids": torch.tensor([[0]])}
    with torch.no_grad():
        assert (plain(**ids).logits - tuned(**ids).logits).abs().max() > 1e-3


def ask(files: ModelFiles, adapter: Path | None) -> dict[str, Any]:
    backend = open_backend(SPEC, files, 1, adapter)
    (request,) = backend.render([prompt("p", "hi", "hello")], {"t": TEMPLATE})
    (answer,) = backend.ask([request], lambda count: None)
    return {**answer, "asked": json.loads(request.about["asked"])}


def test_the_adapter_is_in_every_request_and_moves_the_answers(files, adapter):
    plain, tuned = ask(files, None), ask(files, adapter)
    assert plain["asked"]["adapter_digest"] is None
    assert tuned["asked"]["adapter_digest"] == adapter_digest(adapter)
    assert plain["request_id"] != tuned["request_id"]
    first, second = dict(plain["rating_logprobs"]), dict(tuned["rating_logprobs"])
    assert max(abs(first[r] - second[r]) for r in first) > 1e-3


def test_a_wrong_adapter_is_found_before_anything_is_asked(files, tmp_path):
    with pytest.raises(RetrialError, match="no adapter folder"):
        open_backend(SPEC, files, 1, tmp_path / "nowhere")
    untrained = save_adapter(tmp_path / "untrained", files, trained=False)
    with pytest.raises(RetrialError, match="changes nothing"):
        open_backend(SPEC, files, 1, untrained)

"""Adapters (LoRA) at judging time: their digest, and whether they belong to a base model.

A wrong adapter answers without a word of complaint: peft passes over weights of layers that
the base doesn't have, and an untrained adapter changes nothing. So each is checked before
anything is asked.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from retrial.digest import canonical_json, sha256_file, sha256_text
from retrial.errors import RetrialError
from retrial.judging.model_files import DESCRIPTION, ModelFiles, read_folder

SETTINGS, WEIGHTS, LOCK = "adapter_config.json", "adapter_model.safetensors", "adapter.json"
"""What peft writes, and the record that a tuning job puts beside it."""

PREFIX = "base_model.model."
"""What peft puts before the name of every module of the base."""

Shapes = Mapping[str, tuple[int, ...]]


def adapter_digest(folder: Path) -> str:
    """sha256 over the names and digests of the adapter's settings and weights."""
    _require_files(folder)
    return sha256_text(canonical_json(_file_digests(folder)))


def check_adapter(folder: Path, files: ModelFiles) -> None:
    """Raises RetrialError unless the folder holds a LoRA adapter of this base that does something.

    Whose adapter it is says the record of the tuning job (adapter.json: the digest of the
    base's files); without one, the base that peft's settings name; and always the shapes of
    the weights, each of which must belong to a layer of the base.
    """
    _require_files(folder)
    settings = _json(folder / SETTINGS)
    if settings.get("peft_type") != "LORA":
        kind = settings.get("peft_type")
        raise RetrialError(f"adapter {folder}: peft_type is {kind!r}; only LORA adapters are read")
    if (folder / LOCK).is_file():
        _check_lock(folder, files)
    else:
        _check_named_base(folder, str(settings.get("base_model_name_or_path") or ""), files)
    _check_shapes(folder, _base_shapes(files), files.model)
    _check_effect(folder, settings)


def _require_files(folder: Path) -> None:
    if not folder.is_dir():
        raise RetrialError(f"no adapter folder {folder}: set the judge's adapter to one")
    for name in (SETTINGS, WEIGHTS):
        if not (folder / name).is_file():
            raise RetrialError(f"{folder} holds no adapter ({name} is missing)")


def _file_digests(folder: Path) -> dict[str, str]:
    return {name: sha256_file(folder / name) for name in (SETTINGS, WEIGHTS)}


def _json(path: Path) -> dict[str, Any]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RetrialError(f"{path}: not JSON ({error})") from error
    if not isinstance(read, dict):
        raise RetrialError(f"{path}: an object is wanted, not {type(read).__name__}")
    return read


def _check_lock(folder: Path, files: ModelFiles) -> None:
    lock = _json(folder / LOCK)
    if "base" in lock and lock["base"] != files.asked_digest:
        raise RetrialError(
            f"adapter {folder}: it was tuned on {lock.get('base_model', 'another base')} with "
            f"other files than those of {files.model} (see {LOCK}); use it with its own base, or "
            "tune again"
        )
    recorded = lock.get("files", {})
    for name, digest in _file_digests(folder).items():
        if name in recorded and recorded[name] != digest:
            raise RetrialError(
                f"adapter {folder}: {name} is not the file that {LOCK} records; tune again"
            )


def _check_named_base(folder: Path, named: str, files: ModelFiles) -> None:
    """A name on the hub must be that of the base; a prepared folder must hold its files."""
    if not named or named == files.model:
        return
    local = Path(named)
    if (local / DESCRIPTION).is_file():
        other = read_folder(local)
        same = other is None or other.asked_digest == files.asked_digest
    else:
        same = local.is_absolute() or local.exists() or named.count("/") != 1
    if not same:
        raise RetrialError(
            f"adapter {folder}: {SETTINGS} names the base {named}, and this judge is "
            f"{files.model}. Where they are the same weights, correct base_model_name_or_path there"
        )


def _base_shapes(files: ModelFiles) -> Shapes:
    """The shape of every weight of the base, by module; no weights are loaded."""
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    from retrial.judging.models import load_config

    config = load_config(files)
    auto: Any = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    with torch.device("meta"):
        model = auto.from_config(config)
    return {
        name: tuple(module.weight.shape)
        for name, module in model.named_modules()
        if getattr(module, "weight", None) is not None
    }


def _weights(folder: Path) -> Iterator[tuple[str, Any]]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(folder / WEIGHTS), framework="pt") as file:
            for name in file.keys():  # noqa: SIM118 - not a mapping
                yield name, file.get_tensor(name)
    except SafetensorError as error:
        raise RetrialError(f"{folder / WEIGHTS}: not whole ({error}); copy it again") from error


def _check_shapes(folder: Path, base: Shapes, model: str) -> None:
    for name, tensor in _weights(folder):
        module, _, kind = name.removeprefix(PREFIX).partition(".lora_")
        if not kind:
            continue
        shape = base.get(module)
        fits = shape is not None and _fits(kind, tuple(tensor.shape), shape)
        if not fits:
            found = "has no such layer" if shape is None else f"has a layer of shape {shape} there"
            raise RetrialError(
                f"adapter {folder}: {name} has the shape {tuple(tensor.shape)}, but {model} "
                f"{found}; it was made for another base"
            )


def _fits(kind: str, lora: tuple[int, ...], weight: tuple[int, ...]) -> bool:
    """Whether a factor's open side is a side of the weight, whichever way round it is stored."""
    side = {"A": lora[-1], "B": lora[0], "embedding_A": lora[-1], "embedding_B": lora[0]}
    size = side.get(kind.split(".")[0])
    return size is None or size in weight


def _check_effect(folder: Path, settings: Mapping[str, Any]) -> None:
    changes = False
    for name, tensor in _weights(folder):
        if not tensor.isfinite().all():
            raise RetrialError(f"adapter {folder}: {name} holds numbers that are not finite")
        raised = ".lora_B" in name or ".lora_embedding_B" in name
        changes |= bool((raised or ".lora_" not in name) and tensor.any())
    if not changes or settings.get("lora_alpha") == 0:
        raise RetrialError(
            f"adapter {folder}: it changes nothing (its weights B are all zero, as before the "
            "first step of tuning); tune it, or take the adapter out of the judge"
        )

"""Loads a prepared model for judging. Nothing here ever asks the network."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from retrial.errors import RetrialError
from retrial.judging.adapters import check_adapter
from retrial.judging.encode import PromptEncoder
from retrial.judging.model_files import ModelFiles, check_files

Architecture = Literal["causal", "seq2seq"]
DTYPES = ("float32", "bfloat16", "float16")
STRATEGIES = ("shared-prefix", "batched", "plain")

RELATIVE_POSITIONS_CONTEXT = 1024
"""Context taken for models without a limit of their own: T0 was trained on 1024 tokens."""


@dataclass(frozen=True)
class LoadedJudge:
    """A model ready to score, with its tokenizer and what is known about it.

    `context_tokens` is the most tokens that prompt and answer may have together.
    """

    model: Any
    tokenizer: Any
    device: str
    context_tokens: int
    architecture: Architecture
    dtype: str

    def strategy(self, asked: str = "auto") -> str:
        """The scoring strategy that is used when `asked` is configured."""
        return resolve_strategy(asked, self.device, self.architecture)

    def engine(self, asked: str = "auto") -> str:
        """Library, version, number format and strategy, for the record."""
        return f"{_library()} {self.dtype} / {self.strategy(asked)}"

    @property
    def encoder(self) -> PromptEncoder:
        """Encodes prompts the way this architecture reads them."""
        return PromptEncoder(self.tokenizer, keep_end=self.architecture == "seq2seq")


def resolve_strategy(asked: str, device: str, architecture: str = "causal") -> str:
    """`auto` means batches on a GPU and a shared prefix elsewhere.

    Encoder-decoder models are always asked one prompt at a time.
    """
    if asked != "auto" and asked not in STRATEGIES:
        raise RetrialError(f"strategy {asked!r}: choose auto or one of {', '.join(STRATEGIES)}")
    if architecture == "seq2seq":
        return "plain"
    if asked != "auto":
        return asked
    return "batched" if device.startswith("cuda") else "shared-prefix"


def engine_name(
    strategy: str = "auto", device: str | None = None, architecture: Architecture = "causal"
) -> str:
    """What `LoadedJudge.engine` would say, apart from dtype, before the model is loaded."""
    used = resolve_strategy(strategy, device or default_device(), architecture)
    return f"{_library()} / {used}"


def default_device() -> str:
    """`cuda` where there is a GPU, else `cpu`."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def load_tokenizer(files: ModelFiles) -> Any:
    """The tokenizer alone, with a padding token and padding on the left."""
    from transformers import AutoTokenizer

    _stay_offline()
    tokenizer: Any = AutoTokenizer.from_pretrained(files.folder, local_files_only=True)
    tokenizer.padding_side = "left"
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    return tokenizer


def load_config(files: ModelFiles) -> Any:
    """The model's configuration, without its weights."""
    from transformers import AutoConfig

    _stay_offline()
    return AutoConfig.from_pretrained(files.folder, local_files_only=True)


def context_tokens(config: Any, asked: int | None) -> int:
    """The smaller of what the model's positions allow and what is asked for.

    Encoder-decoder models with relative positions have no limit of their own.
    """
    stated = getattr(config.get_text_config(), "max_position_embeddings", None)
    if not stated and not asked and config.is_encoder_decoder:
        return RELATIVE_POSITIONS_CONTEXT
    limits = [limit for limit in (stated, asked) if limit]
    if not limits:
        raise RetrialError(
            f"{config.model_type} models state no context length: set context_tokens for this judge"
        )
    return int(min(limits))


def load_judge(
    files: ModelFiles,
    *,
    dtype: str = "float32",
    device: str | None = None,
    adapter: Path | None = None,
    architecture: Architecture | Literal["auto"] = "auto",
    context: int | None = None,
    threads: int | None = None,
) -> LoadedJudge:
    """Loads the model in evaluation mode.

    `device` is a torch device, `auto` to spread a large model over all GPUs, or None for the
    GPU if there is one. `threads` limits the CPU threads of this process. `adapter` is a
    folder that peft wrote; it is checked against the base. Raises RetrialError for damaged
    files, a wrong adapter, and unknown settings.
    """
    import torch

    if dtype not in DTYPES:
        raise RetrialError(f"dtype {dtype!r}: choose one of {', '.join(DTYPES)}")
    check_files(files)
    _stay_offline()
    if threads:
        torch.set_num_threads(threads)
    config = load_config(files)
    found: Architecture = "seq2seq" if config.is_encoder_decoder else "causal"
    if architecture not in ("auto", found):
        raise RetrialError(f"{files.model} is a {found} model, not {architecture}")
    tokenizer = load_tokenizer(files)
    place = device or default_device()
    model = _load_model(files, found, dtype, place)
    if adapter is not None:
        check_adapter(adapter, files)
        model = _with_adapter(model, adapter, merge=dtype == "float32")
    limit = context_tokens(config, context)
    return LoadedJudge(model.eval(), tokenizer, str(model.device), limit, found, dtype)


def _load_model(files: ModelFiles, architecture: Architecture, dtype: str, device: str) -> Any:
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
    auto: Any = AutoModelForSeq2SeqLM if architecture == "seq2seq" else AutoModelForCausalLM
    spread = {"device_map": "auto"} if device == "auto" else {}
    model = auto.from_pretrained(
        files.folder, dtype=getattr(torch, dtype), local_files_only=True, **spread
    )
    return model if spread else model.to(device)


def _with_adapter(model: Any, adapter: Path, *, merge: bool) -> Any:
    """The model with its adapter; merged into the weights where that loses no precision."""
    import peft

    try:
        tuned: Any = peft.PeftModel.from_pretrained(model, str(adapter))
    except (ValueError, RuntimeError) as error:
        raise RetrialError(f"adapter {adapter} can't be put on this model: {error}") from error
    return tuned.merge_and_unload() if merge else tuned.get_base_model()


def _library() -> str:
    import transformers

    return f"transformers {transformers.__version__}"


def _stay_offline() -> None:
    """For libraries imported after this; calls also name `local_files_only`."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")

"""Turns a GGUF file into a plain fp32 model folder that loads fast and can be trained."""

import json
from pathlib import Path
from typing import Any

from retrial.errors import RetrialError

CONVERTER_VERSION = 2
"""Raised when a conversion of the same file gives other files."""

DIGIT_SPLITTING = "smollm"
"""The GGUF name of the pre-tokenizer that splits digits; transformers rebuilds it without."""


def convert_gguf(source: Path, target: Path) -> None:
    """Writes model, tokenizer and chat template of the GGUF file `source` into `target`.

    The quantised weights are expanded to fp32, so nothing is lost that the file still had.
    A model loaded from GGUF counts as quantised and refuses to be saved or trained; a plain
    one of the same configuration takes over its weights.
    """
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
    fields = read_fields(source)
    _convert_tokenizer(source, target, fields.get("tokenizer.ggml.pre", ""))
    _convert_weights(source, target)
    _forget_writer(target)


def read_fields(source: Path) -> dict[str, str]:
    """The text fields of a GGUF file's header. Raises RetrialError if it is no GGUF file."""
    import gguf

    try:
        reader = gguf.GGUFReader(source)
    except (ValueError, OSError) as error:
        raise RetrialError(f"{source} is not a readable GGUF file: {error}") from error
    text = [gguf.GGUFValueType.STRING]
    return {n: str(f.contents()) for n, f in reader.fields.items() if f.types == text}


def _convert_tokenizer(source: Path, target: Path, pre_tokenizer: str) -> None:
    from transformers import AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
    if pre_tokenizer == DIGIT_SPLITTING:
        split_digits(tokenizer)
    tokenizer.save_pretrained(target)


def split_digits(tokenizer: Any) -> None:
    """Gives a byte-level tokenizer back its digit splitting.

    Without it a digit after blanks or line ends is merged otherwise than in training.
    """
    from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence

    tokenizer.backend_tokenizer.pre_tokenizer = Sequence(
        [Digits(individual_digits=True), ByteLevel(add_prefix_space=False, use_regex=True)]
    )


def _convert_weights(source: Path, target: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    loaded: Any = AutoModelForCausalLM.from_pretrained(
        source.parent, gguf_file=source.name, dtype=torch.float32
    )
    config = loaded.config
    del config.quantization_config
    config._name_or_path = ""  # else the header's free-text name is taken for a repository
    auto: Any = AutoModelForCausalLM
    plain = auto.from_config(config, dtype=torch.float32)
    plain.load_state_dict(loaded.state_dict())
    plain.tie_weights()
    plain.generation_config = loaded.generation_config
    plain.save_pretrained(target)


def _forget_writer(target: Path) -> None:
    """Takes the writing library's version out of the settings, which decide what is answered."""
    for path in target.glob("*config.json"):
        settings = json.loads(path.read_text(encoding="utf-8"))
        settings.pop("transformers_version", None)
        path.write_text(json.dumps(settings, indent=2, sort_keys=True) + "\n", encoding="utf-8")

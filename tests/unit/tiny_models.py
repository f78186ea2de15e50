"""Small tokenizers and randomly initialised models, built on the spot for tests."""

from collections.abc import Callable
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers
from tokenizers.processors import TemplateProcessing
from tokenizers.trainers import BpeTrainer
from transformers import (
    FalconConfig,
    FalconForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MambaConfig,
    MambaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

from retrial.judging.models import Architecture, LoadedJudge

VOCABULARY = 97
FAST: Any = PreTrainedTokenizerFast  # its constructor is untyped


def gpt2_like() -> Any:
    """Byte-level BPE in which `4`, ` 4`, `10` and ` 10` are one token each, as in GPT-2."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = BpeTrainer(
        vocab_size=420, initial_alphabet=alphabet, special_tokens=["<|endoftext|>"]
    )
    numbers = " ".join(str(n) for n in range(1, 11))
    texts = [f"Rating: {n}\n{n}\n Answer: four {numbers}\n yes no" for n in range(1, 11)] * 20
    tokenizer.train_from_iterator(texts, trainer)
    end = "<|endoftext|>"
    return FAST(tokenizer_object=tokenizer, bos_token=end, eos_token=end)


def llama_like(*words: str) -> Any:
    """SentencePiece-like BPE: blanks are `▁`, digits stand alone, bytes for unknown letters."""
    words = words or ("▁Rating", "▁four", "▁one", "four", "▁yes", "▁no")
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256))]
    pieces += ["▁", ":", "\n", *"0123456789", *map(chr, range(97, 123)), *"ABRYN", "'", '"']
    merges: list[tuple[str, str]] = []
    for word in words:
        for length in range(2, len(word) + 1):
            pair = (word[: length - 1], word[length - 1])
            if pair not in merges:
                merges.append(pair)
            if word[:length] not in pieces:
                pieces.append(word[:length])
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    model = models.BPE(vocabulary, merges, unk_token="<unk>", byte_fallback=True)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    tokenizer.post_processor = TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return FAST(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


def t5_like(*pieces: str) -> Any:
    """Unigram with blanks as `▁` and the end mark behind every text."""
    letters = [*"abcdefghijklmnopqrstuvwxyzAZ:0123456789", "▁"]
    known = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    known += [(piece, -2.0) for piece in pieces] + [(c, -5.0) for c in letters]
    tokenizer = Tokenizer(models.Unigram(known, unk_id=2, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.post_processor = TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    tokenizer.add_special_tokens([AddedToken("</s>", special=True)])
    return FAST(tokenizer_object=tokenizer, eos_token="</s>", pad_token="<pad>", unk_token="<unk>")


def tiny_model(kind: str, vocabulary: int = VOCABULARY) -> Any:
    """A model of two layers whose weights are drawn wide, so that its answers differ."""
    torch.manual_seed(7)
    common: dict[str, Any] = {"vocab_size": vocabulary, "initializer_range": 0.3, "bos_token_id": 1}
    size: dict[str, Any] = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    llama: dict[str, Any] = {**common, **size, "intermediate_size": 48, "num_key_value_heads": 2}
    positions: dict[str, Any] = {"max_position_embeddings": 128}
    t5: dict[str, Any] = {
        "vocab_size": vocabulary,
        "d_model": 32,
        "d_kv": 8,
        "d_ff": 48,
        "num_layers": 2,
        "num_heads": 4,
        "initializer_factor": 3.0,
        "decoder_start_token_id": 0,
    }
    build: dict[str, Callable[[], Any]] = {
        "llama": lambda: LlamaForCausalLM(LlamaConfig(**llama, **positions)),
        "mistral": lambda: MistralForCausalLM(
            MistralConfig(**llama, **positions, sliding_window=16)
        ),
        "gpt2": lambda: GPT2LMHeadModel(
            GPT2Config(**common, n_embd=32, n_layer=2, n_head=4, n_positions=128)
        ),
        "falcon": lambda: FalconForCausalLM(FalconConfig(**common, **size, **positions)),
        "falcon-40b": lambda: FalconForCausalLM(
            FalconConfig(
                **common, **size, **positions, new_decoder_architecture=True, num_kv_heads=2
            )
        ),
        "falcon-alibi": lambda: FalconForCausalLM(
            FalconConfig(**common, **size, **positions, alibi=True)
        ),
        "mamba": lambda: MambaForCausalLM(
            MambaConfig(**common, hidden_size=32, num_hidden_layers=2, state_size=4)
        ),
        "t5": lambda: T5ForConditionalGeneration(T5Config(**t5)),
    }
    return build[kind]().eval()


def tiny_judge(kind: str, tokenizer: Any = None) -> LoadedJudge:
    """A judge around `tiny_model`, with a context of 128 tokens."""
    tokenizer = tokenizer or llama_like()
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    model = tiny_model(kind, max(VOCABULARY, len(tokenizer)))
    architecture: Architecture = "seq2seq" if kind == "t5" else "causal"
    return LoadedJudge(model, tokenizer, "cpu", 128, architecture, "float32")

"""Memory and time of a model on a GPU, by arithmetic with stated assumptions."""

from dataclasses import dataclass

BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}

OVERHEAD_GB = 2.0
"""The CUDA context and the library's own buffers."""
WORKING_SHARE = 0.15
"""Activations, and the cache of a batch of the default size, in shares of the weights."""
PREFILL_SHARE = 0.4
"""How much of a GPU's peak arithmetic reading a prompt reaches."""
DECODE_SHARE = 0.5
"""How much of its memory bandwidth writing an answer reaches."""
DECODE_ROWS = 8
"""Answers that are written side by side."""

ASSUMPTIONS = (
    "tokens: 4 characters each; prompts are cut to the judge's context",
    f"memory: weights x {1 + WORKING_SHARE:.2f} + {OVERHEAD_GB:.0f} GB",
    f"reading: 2 operations a parameter and token, at {PREFILL_SHARE:.0%} of the GPU's peak; "
    "nothing is counted for beginnings that prompts share",
    f"writing: the weights are read once a token for {DECODE_ROWS} answers, at "
    f"{DECODE_SHARE:.0%} of the bandwidth; every answer as long as it may be",
    "tuning, embedding, loading a model and waiting in a queue are not counted",
)


@dataclass(frozen=True)
class Gpu:
    """A GPU as its maker states it: memory, dense 16-bit arithmetic, bandwidth."""

    name: str
    memory_gb: int
    teraflops: float
    gigabytes_per_second: float


GPUS = (
    Gpu("V100 32 GB", 32, 125, 900),
    Gpu("L40S 48 GB", 48, 362, 864),
    Gpu("A100 80 GB", 80, 312, 2039),
    Gpu("H100 80 GB", 80, 989, 3350),
    Gpu("H200 141 GB", 141, 989, 4800),
)


def memory_gb(billions: float, dtype: str) -> float:
    """GPU memory of a judge with that many billions of parameters."""
    return billions * BYTES[dtype] * (1 + WORKING_SHARE) + OVERHEAD_GB


def gpus_needed(billions: float, dtype: str, gpu: Gpu) -> int:
    """How many of these GPUs hold the judge, its weights spread over them."""
    each = gpu.memory_gb * 0.95 - OVERHEAD_GB
    needed = billions * BYTES[dtype] * (1 + WORKING_SHARE)
    return max(1, -int(-needed // each))


def hours(billions: float, dtype: str, prompt_tokens: int, answer_tokens: int, gpu: Gpu) -> float:
    """Hours to read the prompts and write the answers, on as many of the GPUs as it needs.

    Spread over several, layers run one GPU after the other: more GPUs, no more speed. float32
    runs at half of the 16-bit arithmetic.
    """
    peak = gpu.teraflops * 1e12 * (0.5 if dtype == "float32" else 1.0)
    reading = prompt_tokens * 2 * billions * 1e9 / (peak * PREFILL_SHARE)
    weights = billions * 1e9 * BYTES[dtype]
    speed = gpu.gigabytes_per_second * 1e9 * DECODE_SHARE
    writing = answer_tokens / DECODE_ROWS * weights / speed
    return (reading + writing) / 3600

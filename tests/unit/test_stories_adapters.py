"""The adapters of the stories stage, from the sample archive to items, without Snakemake."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from story_models import tiny_files

import adapter
from retrial.digest import sha256_file
from retrial.record import GENERATOR_LOG, ITEMS, STORIES, STORY_PAIRS, read

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "data" / "sample" / "writingPrompts.tar.gz"


class Named(list[str]):
    """Files by place and by name, as Snakemake gives them."""

    def __init__(self, **files: Path) -> None:
        super().__init__(str(path) for path in files.values())
        self.__dict__.update({name: str(path) for name, path in files.items()})


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "_log_to", lambda path: None)


def run(root: Path, script: str, job: dict[str, Any], outputs: list[Path], **inputs: Path) -> None:
    recorded = [str(p) for path in outputs for p in (path, f"{path}.prov.json")]
    job_object = SimpleNamespace(
        rule=script, input=Named(**inputs), output=recorded, log=[str(root / "log")], threads=1,
        config={"results": str(root)}, params=SimpleNamespace(job=job, code="c"),
    )  # fmt: skip
    runpy.run_path(str(ROOT / "scripts" / f"{script}.py"), {"snakemake": job_object}, "__main__")


def test_from_the_archive_to_items(tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    model.write_text(tiny_files(tmp_path / "tiny").to_json(), "utf-8")
    pairs = tmp_path / "stories" / "pairs" / "sample.parquet"
    spec = {"reader": "writing-prompts", "source": "sample", "train": 6}
    reader = ["retrial.stories.readers.writing_prompts"]
    run(tmp_path, "read_story_pairs", {"spec": spec, "plugins": reader}, [pairs], archive=SAMPLE)
    assert read(pairs, STORY_PAIRS).num_rows == 6 + 2 + 4

    learning = {"max_tokens": 60, "prompt_tokens": 32, "epochs": 1, "batch": 3, "micro_batch": 3}
    lock, log = (tmp_path / "generators" / "g" / n for n in ("generator.json", "training.parquet"))
    job = {"generator": "g", "learning": learning, "work": str(tmp_path / "work")}
    run(tmp_path, "train_generator", job, [lock, log], model=model, pairs=pairs)
    assert read(log, GENERATOR_LOG)["step"].to_pylist() == [0, 2, 2]
    weights = Path(json.loads(lock.read_text("utf-8"))["folder"]) / "model.safetensors"
    assert weights.parents[1] == lock.parent.resolve()

    stories = tmp_path / "stories" / "g.parquet"
    drawing = {"prompts": 3, "story_tokens": 20}
    job = {"generator": "g", "learning": learning, "drawing": drawing}
    run(tmp_path, "write_stories", job, [stories], generator=lock, pairs=pairs)
    assert read(stories, STORIES).num_rows == 6

    items, human = tmp_path / "items" / "own.parquet", tmp_path / "ratings" / "own.parquet"
    job = {"dataset": "own", "spec": {"reader": "generated-stories"},
           "plugins": ["retrial.items.readers.generated_stories"]}  # fmt: skip
    run(tmp_path, "build_items", job, [items, human], stories=stories)
    assert read(items, ITEMS).num_rows == 6
    for output in (pairs, lock, log, stories, items):
        sidecar = json.loads(Path(f"{output}.prov.json").read_text("utf-8"))
        assert sidecar["output"]["sha256"] == sha256_file(output)
        assert sidecar["inputs"] and sidecar["job"]["code"]

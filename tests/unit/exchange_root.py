"""A small results folder made through the library, job by job, as the rules would make it."""

import contextlib
import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exchange_jobs import CHECKOUT, DATASET, EXPERIMENT, JUDGE, TABLE, Jobs

from retrial.audit.manifest import write_manifest
from retrial.code_digest import code_digest, code_files
from retrial.config import load_config
from retrial.digest import sha256_file
from retrial.exchange.bundle import Bundle, make_bundle
from retrial.plan import SCRIPTS, Plan
from retrial.record import Run

SECRET_SENTENCE = "my neighbour Ottoline hides plums under the piano"
CONFIG: dict[str, Any] = {
    "results": "results/small",
    "datasets": {
        DATASET: {
            "reader": "uss", "label": "CCPE", "source": "uss", "files": ["CCPE.txt"],
            "strata": {"subset": "CCPE"}, "raters": "positions",
            "split": {"test": 0.5, "seed": 2}, "judged": {"items": 12},
        }
    },
    "judges": {JUDGE: {"backend": "transformers", "label": "Dice", "source": {"package": "dice"}}},
    "selectors": {"bm25-1": {"method": "bm25", "count": 1}},
    "conditions": {
        "zero-shot": {"label": "Zero-shot", "template": "dialogue-overall"},
        "bm25-1": {"label": "BM25-1", "template": "dialogue-overall", "selector": "bm25-1"},
    },
    "experiments": {
        EXPERIMENT: {"attributes": ["overall"], "conditions": ["zero-shot", "bm25-1"]}
    },
    "statistics": {"resamples": 20},
    "tables": {
        TABLE: {
            "judges": [JUDGE], "datasets": [DATASET], "experiments": [EXPERIMENT],
            "conditions": ["zero-shot", "bm25-1"], "reading": "expectation",
        }
    },
}  # fmt: skip


def synthetic_source(dialogues: int = 40) -> str:
    """A file in the format of USS: dialogues of random words, each with one known sentence."""
    generator = random.Random(11)
    words = [f"word{n}" for n in range(60)]
    blocks = []
    for number in range(dialogues):
        lines = []
        for turn in range(4):
            said = " ".join(generator.choices(words, k=8)) + f" {number}-{turn}"
            said = f"{SECRET_SENTENCE} {number}" if turn == 2 else said
            rated = ",".join(str(generator.randint(1, 5)) for _ in range(3))
            lines.append(f"{('USER', 'SYSTEM')[turn % 2]}\t{said}\t\t{'' if turn % 2 else rated}")
        overall = ",".join(str(generator.randint(1, 5)) for _ in range(3))
        lines.append(f"USER\tOVERALL\t\t{overall}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


@dataclass(frozen=True)
class Project:
    """A folder with `data/` and `results/small`; `root` is the latter."""

    folder: Path

    @property
    def root(self) -> Path:
        return self.folder / "results" / "small"

    @property
    def data(self) -> Path:
        return self.folder / "data"


def config_of(file: str) -> dict[str, Any]:
    """The configuration with another file of the source."""
    dataset = {**CONFIG["datasets"][DATASET], "files": [file]}
    return {**CONFIG, "datasets": {DATASET: dataset}}


def make_project(
    folder: Path,
    source: Path | None = None,
    *,
    text: str = "",
    changes: Mapping[str, Any] | None = None,
    jobs: type[Jobs] = Jobs,
    before: Callable[[Project], None] = lambda _: None,
) -> Project:
    """Build the whole folder from a source in the format of USS (default: a synthetic one).

    `text` is another synthetic source, `changes` replace sections of the configuration, `before`
    may change the project's data before the first job.
    """
    project = Project(folder)
    name = source.name if source else "sample.txt"
    raw = project.data / "raw" / "uss" / name
    raw.parent.mkdir(parents=True)
    if source is None:
        raw.write_text(text or synthetic_source(), encoding="utf-8")
    else:
        shutil.copy(source, raw)
    for part in ("published", "prompts"):
        shutil.copytree(CHECKOUT / "data" / part, project.data / part)
    shutil.copy(CHECKOUT / "data" / "sources.yaml", project.data)
    before(project)
    with contextlib.chdir(folder):
        jobs(Plan(load_config({**config_of(name), **(changes or {})}))).run_all()
    return project


def files_of(root: Path) -> Iterator[Path]:
    """Every file below a folder, sorted."""
    return (path for path in sorted(root.rglob("*")) if path.is_file())


def add_manifest(project: Project) -> None:
    """Seal the results folder, as a job of some code."""
    script = SCRIPTS / "adapter.py"
    code = {name: sha256_file(path) for name, path in code_files(script).items()}
    run = Run("manifest", project.root, code=code, code_digest=code_digest(script))
    write_manifest(project.root, run)


def bundled(project: Project, name: str, **options: bool) -> Bundle:
    """A bundle of the project's results, beside them."""
    return make_bundle(project.root, project.folder / name, data=project.data, **options)

"""The audit of one cell over a ratings file of 100,000 rows, and of all cells of its table.

    python -m benchmarks.audit_100k FOLDER [SAMPLES]

Makes a results folder of random dialogues and random answers below FOLDER (kept, and used again),
with true ids, digests and sidecars: 1,000 dialogues, 2 readings, and 50 conditions of one sample.
With more samples of each prompt there are fewer conditions, so that a cell has more ratings.
"""

import json
import sys
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import Any

from retrial.audit.chain import audit_cell
from retrial.audit.find_cell import names_of
from retrial.audit.rows import Choice
from retrial.code_digest import ROOT, code_digest, code_files
from retrial.config import Dataset
from retrial.digest import content_id, sha256_file
from retrial.examples.labels import example_labels
from retrial.items.build import build_items, judged_ids
from retrial.judging.prompts import Asking, build_prompts
from retrial.judging.request import asked_fields, request_id
from retrial.judging.templates import load_template
from retrial.record import ANSWERS, CELLS, ITEMS, PROMPTS, RATINGS, Run, from_rows, read
from retrial.scoring.parsers import get
from retrial.scoring.ratings import rate_answers
from retrial.tables import declaration_of
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.select import Results

ITEMS_COUNT, ANSWERS_COUNT, PARSERS = 1000, 50_000, ("robust", "chiang2023")
TABLE, TEMPLATE = "jia2024_table2", "dialogue-overall"
DIALOGUES = "data/raw/own/dialogues.jsonl"
PROMPTS_FILE, ANSWERS_FILE = "prompts/own/e.parquet", "answers/j/own/e.parquet"
RATINGS_FILE, HUMAN = "ratings/j/own/e.parquet", "ratings/human/own.parquet"
STATISTICS = {"human_threshold": 3.0, "judge_rule": "le-3", "label_rule": "mean", "level": 0.95,
              "resamples": 2000, "seed": 1}  # fmt: skip
WORDS = ["music", "film", "train", "hotel", "garden", "soup", "ticket", "river", "window", "paper"]


def make(root: Path, samples: int) -> None:
    """The folder, from the source file to the table."""
    random = Random(1)
    source = root / DIALOGUES
    source.parent.mkdir(parents=True)
    source.write_text("".join(f"{json.dumps(_dialogue(n, random))}\n" for n in range(ITEMS_COUNT)))
    spec = {"paths": [DIALOGUES], "raters": "persons", "reader": "own-dialogues"}
    items, human = build_items("own", Dataset.model_validate({"label": "", **spec}), [source])
    run = _run(root, "build_items", [DIALOGUES], {"dataset": "own", "spec": spec})
    run.write_table(root / "items/own.parquet", items, ITEMS)
    run.write_table(root / HUMAN, human, RATINGS)
    template = load_template(ROOT.parent / "data/prompts", TEMPLATE)
    askings = [
        Asking(f"c{n}", TEMPLATE, template) for n in range(ANSWERS_COUNT // ITEMS_COUNT // samples)
    ]
    prompts = build_prompts(items, judged_ids(items, None), askings, ["overall"],
                            example_labels(human))  # fmt: skip
    conditions = {a.condition: {"template": TEMPLATE} for a in askings}
    job: dict[str, Any] = {"attributes": ["overall"], "conditions": conditions, "judged": None,
                           "folder": "data/prompts", "shared": []}  # fmt: skip
    run = _run(root, "build_prompts", ["items/own.parquet", HUMAN], job)
    run.write_table(root / PROMPTS_FILE, prompts, PROMPTS)
    rows = [_answer(p, s, random) for p in prompts.to_pylist() for s in range(samples)]
    run = _run(root, "ask_judge", [PROMPTS_FILE], {"judge": "j", "spec": {}})
    answers = from_rows(rows, ANSWERS)
    run.write_table(root / ANSWERS_FILE, answers, ANSWERS)
    job = {"low_mass": 0.05, "top_k": 5, "parsers": list(PARSERS)}
    ratings = rate_answers(prompts, answers, top_k=5, low_mass=0.05,
                           parsers={name: get(name) for name in PARSERS})  # fmt: skip
    run = _run(root, "rate_answers", [PROMPTS_FILE, ANSWERS_FILE], job)
    run.write_table(root / RATINGS_FILE, ratings, RATINGS)
    _table(root, conditions)


def _run(root: Path, rule: str, inputs: list[str], job: dict[str, Any]) -> Run:
    script = ROOT / f"{rule}.py"
    code = {name: sha256_file(path) for name, path in code_files(script).items()}
    paths = tuple(root / path for path in inputs)
    return Run(rule, root, paths, job, code, code_digest(script))


def _dialogue(number: int, random: Random) -> dict[str, Any]:
    speakers = ("USER", "SYSTEM") * 3
    turns = [{"speaker": s, "text": " ".join(random.choices(WORDS, k=12))} for s in speakers]
    ratings = {"r0": random.randint(1, 5)}
    return {"id": f"d{number}", "turns": turns, "ratings": ratings}


def _answer(prompt: dict[str, Any], sample: int, random: Random) -> dict[str, Any]:
    text = "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in prompt["turns"])
    text = f"{prompt['condition']}\n{text}"
    asked = asked_fields(method="generation", ratings=tuple("12345"), model="m", revision="1",
                         files_digest="d", adapter_digest=None, backend="b", dtype="float32",
                         quantisation=None, sampling={}, sample=sample)  # fmt: skip
    said = f"I would rate this dialogue a {random.randint(1, 5)} out of 5."
    back = {"text": said, "rating_logprobs": None, "finish_reason": "stop"}
    return {"request_id": request_id(text, asked), "prompt_id": prompt["prompt_id"], "judge": "j",
            "sample": sample, "method": "generation", "prompt_text": text, "asked": asked, **back,
            "prompt_tokens": 9, "answer_tokens": 9, "examples_kept": 0, "turns_dropped": 0,
            "item_turns_dropped": 0, "answer_sha256": content_id(back), "asked_at": "",
            "asked_by": "r", "engine": "e", "device": ""}  # fmt: skip


def _table(root: Path, conditions: dict[str, dict[str, str]]) -> None:
    job: dict[str, Any] = {
        "table": TABLE, "statistics": STATISTICS, "judges": {"j": "J"}, "judge_notes": {"j": ""},
        "recordings": {}, "replicates": {}, "datasets": {"own": {"label": "Own"}},
        "conditions": {n: {"label": n, **c} for n, c in conditions.items()},
        "spec": {"conditions": list(conditions), "datasets": ["own"], "experiments": ["e"],
                 "judges": ["j"], "reading": "robust"},
        "plugins": [f"retrial.tables.{TABLE}"],
    }  # fmt: skip
    cells = build_cells(declaration_of(job), Results(root), Printed.of([]),
                        Bootstrap(2000, 0.95, 1))  # fmt: skip
    inputs = ["items/own.parquet", HUMAN, RATINGS_FILE, ANSWERS_FILE]
    script = ROOT / "build_table.py"
    plugins = job["plugins"]
    code = {name: sha256_file(path) for name, path in code_files(script, plugins).items()}
    run = Run("build_table", root, tuple(root / p for p in inputs), job, code,
              code_digest(script, plugins))  # fmt: skip
    run.write_table(root / f"tables/{TABLE}.parquet", cells, CELLS)


def main() -> None:
    """Make the folder where it is not there, audit every fifth cell, and print the slowest."""
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    root = Path(sys.argv[1]) / f"samples-{samples}" / "results"
    if not root.exists():
        make(root, samples)
    print(f"{read(root / RATINGS_FILE, RATINGS).num_rows:,} ratings in one file")
    told = []
    for name in names_of(root, TABLE)[::10]:
        start, used = perf_counter(), process_time()
        found = audit_cell(root, name, Choice(sample=1))
        broken = [f"{link.what}: {link.detail}" for link in found.links() if link.broken]
        told.append((perf_counter() - start, process_time() - used, str(name), broken))
    first = told[0]
    print(f"first, with imports: {first[0]:.2f} s ({first[1]:.2f} s of CPU) {first[2]} {first[3]}")
    for wall, cpu, name, broken in sorted(told[1:], reverse=True)[:8]:
        print(f"{wall:.2f} s ({cpu:.2f} s of CPU) {name} {broken}")


if __name__ == "__main__":
    main()

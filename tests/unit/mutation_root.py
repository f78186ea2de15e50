"""A small whole results folder, made by the library: dialogues with a live judge, and stories.

Only the model is left out: a judge's log-probabilities are a function of the digest of its
prompt. All else is what the rules do, with true ids, digests and sidecars.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

from retrial.code_digest import ROOT, code_digest, code_files
from retrial.config import Condition, Dataset, Draw
from retrial.digest import content_id, sha256_file
from retrial.examples.base import SelectorSpec
from retrial.examples.choose import choose_examples
from retrial.examples.labels import example_labels
from retrial.items.build import build_items, judged_ids
from retrial.judging.prompts import Asking, build_prompts
from retrial.judging.request import asked_fields, request_id
from retrial.judging.templates import load_template
from retrial.published import load_published
from retrial.record import ANSWERS, CELLS, EXAMPLE_CHOICES, ITEMS, PROMPTS, RATINGS, Run, from_rows
from retrial.scoring.ratings import rate_answers
from retrial.tables import declaration_of
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.render.csv import render_csv
from retrial.tables.render.html import render_html
from retrial.tables.select import Results

PROJECT = ROOT.parent
STATISTICS = {"human_threshold": 3.0, "judge_rule": "le-3", "label_rule": "mean", "level": 0.95,
              "resamples": 20, "seed": 1}  # fmt: skip
TEMPLATE, FOLDER = "dialogue-overall", "data/prompts"
CONDITIONS = {"zero-shot": {"template": TEMPLATE},
              "bm25-1": {"selector": "bm25-1", "template": TEMPLATE}}  # fmt: skip
LOGITS = {"method": "logits", "sampling": None}
SPLIT = {"seed": 7, "test": 0.25}
JUDGED = {"items": 8}
WORDS = ["music", "film", "train", "hotel", "garden", "soup", "ticket", "river", "window", "paper"]


def make_root(root: Path) -> Path:
    """The folder, with its sources below it; returns it."""
    _sources(root / "data")
    stories = ["data/raw/llm-evaluation/human_eval_result.json"]
    spec = {"files": ["human_eval_result.json"], "raters": "persons",
            "reader": "chiang2023-stories", "source": "llm-evaluation"}  # fmt: skip
    _items(root, "chiang2023-stories", spec, stories)
    own = ["data/raw/own/dialogues.jsonl"]
    spec = {"paths": own, "raters": "persons", "reader": "own-dialogues",
            "split": SPLIT, "strata": {"subset": "own"}}  # fmt: skip
    _items(root, "own", spec, own)
    _examples(root)
    _prompts(root)
    _answers(root)
    _ratings(root)
    stories_job = {"datasets": {"chiang2023-stories": {"label": "stories"}},
                   "spec": {"datasets": ["chiang2023-stories"]}}  # fmt: skip
    files = ["items/chiang2023-stories.parquet", "ratings/human/chiang2023-stories.parquet"]
    _table(root, "chiang2023_table5", stories_job, [*files, "data/published/chiang2023.csv"])
    _table(root, "jia2024_table2", _dialogue_job(), [
        "items/own.parquet", "ratings/human/own.parquet", "ratings/j/own/in-context.parquet",
        "answers/j/own/in-context.parquet"])  # fmt: skip
    return root


def _sources(folder: Path) -> None:
    random = Random(5)
    stories, dialogues = folder / "raw/llm-evaluation", folder / "raw/own"
    for place in (stories, dialogues, folder / "published"):
        place.mkdir(parents=True)
    lines = [f"chiang2023,table5,teachers / {writer},{attribute}_mean,3.{digit}1,p. 1"
             for digit, writer in enumerate(("gpt2", "human-written"))
             for attribute in ("grammaticality", "relevance")]  # fmt: skip
    text = "\n".join(["study,table,row,column,printed,source", *lines, ""])
    (folder / "published" / "chiang2023.csv").write_text(text)
    entries = {
        str(number): {
            "prompt": _text(random), "story": _text(random), "human_written": number % 2,
            **{n: [random.randint(1, 5) for _ in range(3)]
               for n in ("grammar", "cohesive", "enjoy", "relevant")},
        }
        for number in range(8)
    }  # fmt: skip
    (stories / "human_eval_result.json").write_text(json.dumps(entries))
    dialogues_of = [
        {"id": f"d{n}",
         "turns": [{"speaker": s, "text": _text(random)} for s in ("USER", "SYSTEM", "USER")],
         "ratings": {f"r{rater}": random.randint(1, 5) for rater in range(1)}}
        for n in range(60)
    ]  # fmt: skip
    (dialogues / "dialogues.jsonl").write_text("".join(f"{json.dumps(x)}\n" for x in dialogues_of))


def _text(random: Random) -> str:
    return " ".join(random.choices(WORDS, k=12))


def _run(root: Path, rule: str, inputs: Iterable[str], job: dict[str, Any], **more: Any) -> Run:
    """The job's run, with the code that the rule's script runs."""
    script = ROOT / f"{rule}.py"
    plugins = job.get("plugins", ())
    code = {name: sha256_file(path) for name, path in code_files(script, plugins).items()}
    return Run(rule, root, tuple(root / path for path in inputs), job, code,
               code_digest(script, plugins), **more)  # fmt: skip


def _items(root: Path, dataset: str, spec: dict[str, Any], sources: list[str]) -> None:
    job = {"dataset": dataset, "spec": spec,
           "plugins": [f"retrial.items.readers.{spec['reader'].replace('-', '_')}"]}  # fmt: skip
    parsed = Dataset.model_validate({"label": "", **spec})
    items, human = build_items(dataset, parsed, [root / path for path in sources])
    run = _run(root, "build_items", sources, job)
    run.write_table(root / f"items/{dataset}.parquet", items, ITEMS)
    run.write_table(root / f"ratings/human/{dataset}.parquet", human, RATINGS)


def _read(root: Path, place: str, contract: Any) -> pa.Table:
    from retrial.record import read

    return read(root / place, contract)


def _judged(root: Path) -> list[str]:
    return judged_ids(_read(root, "items/own.parquet", ITEMS), Draw.model_validate(JUDGED))


def _examples(root: Path) -> None:
    spec = {"count": 1, "method": "bm25"}
    job = {"dataset": "own", "judged": JUDGED, "plugins": ["retrial.examples.methods.bm25"],
           "selector": "bm25-1", "spec": spec}  # fmt: skip
    selector = SelectorSpec("bm25-1", embeddings=None, **spec)  # type: ignore[arg-type]
    items = _read(root, "items/own.parquet", ITEMS)
    run = _run(root, "choose_examples", ["items/own.parquet"], job)
    choices = choose_examples(items, selector, _judged(root))
    run.write_table(root / "examples/own/bm25-1.parquet", choices, EXAMPLE_CHOICES)


def _prompts(root: Path) -> None:
    inputs = ["items/own.parquet", "ratings/human/own.parquet", "examples/own/bm25-1.parquet"]
    template = load_template(PROJECT / FOLDER, TEMPLATE)
    job = {"attributes": ["overall"], "conditions": CONDITIONS, "folder": FOLDER,
           "judged": JUDGED, "shared": [], "templates": {TEMPLATE: template.sha256}}  # fmt: skip
    chosen = {"bm25-1": _read(root, inputs[2], EXAMPLE_CHOICES)}
    conditions = {n: Condition.model_validate({"label": "", **c}) for n, c in CONDITIONS.items()}
    askings = [Asking(name, TEMPLATE, template, chosen.get(c.selector or ""), False)
               for name, c in conditions.items()]  # fmt: skip
    items, human = _read(root, inputs[0], ITEMS), _read(root, inputs[1], RATINGS)
    prompts = build_prompts(items, _judged(root), askings, ["overall"], example_labels(human))
    run = _run(root, "build_prompts", inputs, job)
    run.write_table(root / "prompts/own/in-context.parquet", prompts, PROMPTS)


def _answers(root: Path) -> None:
    facts = {"model": "tiny", "revision": "1", "digest": "d"}
    job = {"judge": "j", "spec": {"backend": "transformers"},
           "plugins": ["retrial.judging.backends.recording"],
           "conditions": {name: dict(LOGITS) for name in CONDITIONS}}  # fmt: skip
    place = "prompts/own/in-context.parquet"
    prompts = _read(root, place, PROMPTS).to_pylist()
    answers = from_rows([_answer(prompt) for prompt in prompts], ANSWERS)
    run = _run(root, "ask_judge", [place], job, facts=facts)
    run.write_table(root / "answers/j/own/in-context.parquet", answers, ANSWERS)


def _answer(prompt: dict[str, Any]) -> dict[str, Any]:
    shown = [*(t for e in prompt["examples"] for t in e["turns"]), *prompt["turns"]]
    text = "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in shown)
    asked = asked_fields(method="logits", ratings=tuple("12345"), model="tiny", revision="1",
                         files_digest="d", adapter_digest=None, backend="transformers",
                         dtype="float32", quantisation=None, sampling=None, sample=0)  # fmt: skip
    random = Random(request_id(text, asked))
    logprobs = [(rating, -random.random() * 4 - 1) for rating in "12345"]
    back = {"text": None, "rating_logprobs": logprobs, "finish_reason": ""}
    return {"request_id": request_id(text, asked), "prompt_id": prompt["prompt_id"], "judge": "j",
            "sample": 0, "method": "logits", "prompt_text": text, "asked": asked, **back,
            "prompt_tokens": 9, "answer_tokens": 0, "examples_kept": len(prompt["examples"]),
            "turns_dropped": 0, "item_turns_dropped": 0, "answer_sha256": content_id(back),
            "asked_at": "", "asked_by": "r", "engine": "e", "device": ""}  # fmt: skip


def _ratings(root: Path) -> None:
    inputs = ["prompts/own/in-context.parquet", "answers/j/own/in-context.parquet"]
    job = {"low_mass": 0.05, "top_k": 5, "parsers": []}
    tables = (_read(root, inputs[0], PROMPTS), _read(root, inputs[1], ANSWERS))
    ratings = rate_answers(*tables, top_k=5, low_mass=0.05, parsers={})
    run = _run(root, "rate_answers", inputs, job)
    run.write_table(root / "ratings/j/own/in-context.parquet", ratings, RATINGS)


def _dialogue_job() -> dict[str, Any]:
    return {
        "conditions": {n: {"label": n.title(), **c} for n, c in CONDITIONS.items()},
        "datasets": {"own": {"label": "Own", "split": SPLIT}},
        "judge_notes": {"j": ""}, "judges": {"j": "Tiny"}, "replicates": {"bm25-1": 1},
        "spec": {"conditions": list(CONDITIONS), "datasets": ["own"],
                 "experiments": ["in-context"], "judges": ["j"]},
    }  # fmt: skip


def _table(root: Path, table: str, job: dict[str, Any], inputs: list[str]) -> None:
    whole = {"table": table, "statistics": STATISTICS, "judges": {}, "recordings": {}, **job,
             "plugins": [f"retrial.tables.{table}"]}  # fmt: skip
    printed = Printed.of(v for p in inputs if p.endswith(".csv") for v in load_published(root / p))
    statistics = (STATISTICS["resamples"], STATISTICS["level"], STATISTICS["seed"])
    cells = build_cells(declaration_of(whole), Results(root), printed,
                        Bootstrap(*statistics))  # type: ignore[arg-type]  # fmt: skip
    run = _run(root, "build_table", inputs, whole)
    run.write_table(root / f"tables/{table}.parquet", cells, CELLS)
    rendered = _run(root, "render_table", [f"tables/{table}.parquet"], whole)
    rendered.write_text(root / f"tables/{table}.csv", render_csv(cells))
    description = declaration_of(whole).description
    rendered.write_text(root / f"tables/{table}.html", render_html(cells, description))

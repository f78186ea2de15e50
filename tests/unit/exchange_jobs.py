"""The jobs of a small run, one after the other, as the rules' adapters do them."""

import random
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from retrial.code_digest import code_digest, code_files
from retrial.config import Condition, Dataset, Draw
from retrial.digest import content_id, sha256_file
from retrial.examples.base import SelectorSpec
from retrial.examples.choose import choose_examples
from retrial.examples.labels import example_labels
from retrial.items.build import build_items, judged_ids
from retrial.judging.prompts import Asking, build_prompts
from retrial.judging.request import asked_fields, request_id
from retrial.judging.templates import Template, load_template
from retrial.plan import SCRIPTS, TABLES, Plan, plugin_module
from retrial.published import load_published
from retrial.record import (
    ANSWERS,
    CELLS,
    EXAMPLE_CHOICES,
    ITEMS,
    PROMPTS,
    RATINGS,
    Run,
    from_rows,
    read,
)
from retrial.scoring.parsers import get
from retrial.scoring.ratings import rate_answers
from retrial.tables import declaration_of
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.render.csv import render_csv
from retrial.tables.render.html import render_html
from retrial.tables.select import Results

CHECKOUT = SCRIPTS.parent
DATASET, EXPERIMENT, JUDGE, TABLE = "uss-ccpe", "in-context", "dice", "jia2024_table2"
FACTS = {"model": "dice", "revision": "r1", "digest": "d1"}


class Jobs:
    """The jobs of the plan in order; paths are relative to the project's folder.

    `facts` say which model was asked, `dice` is the seed of its answers.
    """

    facts: ClassVar[dict[str, str]] = FACTS
    dice = 5

    def __init__(self, plan: Plan) -> None:
        self.plan, self.root = plan, Path(plan.config.results)
        self.template: Template = load_template(Path("data/prompts"), "dialogue-overall")

    def run_all(self) -> None:
        self.items()
        self.examples()
        self.prompts()
        self.answers()
        self.ratings()
        self.table()
        self.renderings()

    def start(self, rule: str, inputs: list[str], job: dict[str, Any], *plugins: str) -> Run:
        script = SCRIPTS / f"{rule}.py"
        files = code_files(script, plugins)
        return Run(
            rule=rule,
            root=self.root,
            inputs=tuple(Path(p) for p in inputs),
            parameters={**job, "plugins": list(plugins)},
            code={name: sha256_file(path) for name, path in files.items()},
            code_digest=code_digest(script, plugins),
            lock=CHECKOUT / "envs" / "retrial.lock",
            facts=self.facts if rule == "ask_judge" else {},
        )

    def items(self) -> None:
        job = self.plan.items_job(DATASET)
        sources = self.plan.dataset_sources(DATASET)
        run = self.start("build_items", sources, job, "retrial.items.readers.uss")
        spec = Dataset.model_validate({"label": "", **job["spec"]})
        items, human = build_items(DATASET, spec, [Path(p) for p in sources])
        run.write_table(Path(self.plan.items(DATASET)), items, ITEMS)
        run.write_table(Path(self.plan.human(DATASET)), human, RATINGS)

    def judged(self) -> tuple[pa.Table, list[str]]:
        items = read(Path(self.plan.items(DATASET)), ITEMS)
        return items, list(judged_ids(items, Draw(items=12)))

    def examples(self) -> None:
        job = self.plan.examples_job(DATASET, "bm25-1")
        items, judged = self.judged()
        chosen = choose_examples(items, SelectorSpec("bm25-1", **job["spec"]), judged)
        run = self.start("choose_examples", [self.plan.items(DATASET)], job,
                         "retrial.examples.methods.bm25")  # fmt: skip
        place = self.plan.example_files(DATASET, EXPERIMENT)[0]
        run.write_table(Path(place), chosen, EXAMPLE_CHOICES)

    def prompts(self) -> None:
        templates = {"dialogue-overall": self.template.sha256}
        job = self.plan.prompts_job(DATASET, EXPERIMENT, templates)
        items, judged = self.judged()
        place = self.plan.example_files(DATASET, EXPERIMENT)[0]
        choices = read(Path(place), EXAMPLE_CHOICES)
        askings = []
        for name, leaves in job["conditions"].items():
            condition = Condition.model_validate({"label": "", **leaves})
            chosen = choices if condition.selector else None
            askings.append(Asking(name, condition.template, self.template, chosen, False))
        labels = example_labels(read(Path(self.plan.human(DATASET)), RATINGS))
        prompts = build_prompts(items, judged, askings, job["attributes"], labels)
        inputs = [self.plan.items(DATASET), self.plan.human(DATASET), place]
        run = self.start("build_prompts", inputs, job)
        run.write_table(Path(self.place("prompts", DATASET)), prompts, PROMPTS)

    def answers(self) -> None:
        generator = random.Random(self.dice)
        prompts = read(Path(self.place("prompts", DATASET)), PROMPTS).to_pylist()
        rows = [_answer(prompt, generator, self.facts) for prompt in prompts]
        job = self.plan.judging_job(JUDGE, EXPERIMENT)
        run = self.start("ask_judge", [self.place("prompts", DATASET)], job)
        run.write_table(
            Path(self.place("answers", JUDGE, DATASET)), from_rows(rows, ANSWERS), ANSWERS
        )

    def ratings(self) -> None:
        job = self.plan.rating_job(EXPERIMENT, {})
        inputs = [self.place("prompts", DATASET), self.place("answers", JUDGE, DATASET)]
        rated = rate_answers(
            read(Path(inputs[0]), PROMPTS),
            read(Path(inputs[1]), ANSWERS),
            top_k=job["top_k"],
            low_mass=job["low_mass"],
            parsers={name: get(name) for name in job["parsers"]},
        )
        plugins = [plugin_module("retrial.scoring.parsers", name) for name in job["parsers"]]
        run = self.start("rate_answers", inputs, job, *plugins)
        run.write_table(Path(self.plan.ratings(JUDGE, DATASET, EXPERIMENT)), rated, RATINGS)

    def table(self) -> None:
        job = {**self.plan.table_job(TABLE), "plugins": [plugin_module(TABLES, TABLE)]}
        printed = self.plan.published_file(TABLE)
        inputs = [self.plan.items(DATASET), self.plan.human(DATASET),
                  *self.plan.table_ratings(TABLE), *self.plan.table_answers(TABLE),
                  *printed]  # fmt: skip
        statistics = job["statistics"]
        cells = build_cells(
            declaration_of(job),
            Results(self.root),
            Printed.of([v for path in printed for v in load_published(Path(path))]),
            Bootstrap(statistics["resamples"], statistics["level"], statistics["seed"]),
        )
        run = self.start("build_table", inputs, job, plugin_module(TABLES, TABLE))
        run.write_table(self.root / "tables" / f"{TABLE}.parquet", cells, CELLS)

    def renderings(self) -> None:
        job, place = self.plan.rendering_job(TABLE), self.root / "tables" / f"{TABLE}.parquet"
        run = self.start("render_table", [str(place)], job, plugin_module(TABLES, TABLE))
        cells = read(place, CELLS)
        run.write_text(place.with_suffix(".csv"), render_csv(cells))
        run.write_text(
            place.with_suffix(".html"),
            render_html(cells, declaration_of(run.parameters).description),
        )

    def place(self, stage: str, *parts: str) -> str:
        return self.plan.path(stage, *parts, f"{EXPERIMENT}.parquet")


def _answer(
    prompt: dict[str, Any], generator: random.Random, facts: dict[str, str]
) -> dict[str, Any]:
    """The answer of a judge that throws dice, with true ids and digests."""
    examples = [turn["text"] for one in prompt["examples"] for turn in one["turns"]]
    text = "\n".join([*examples, *(turn["text"] for turn in prompt["turns"]), "Rating:"])
    asked = asked_fields(
        method="logits", ratings=("1", "2", "3", "4", "5"), model=facts["model"],
        revision=facts["revision"], files_digest=facts["digest"], adapter_digest=None,
        backend="transformers", dtype="float32", quantisation=None, sampling=None, sample=0,
    )  # fmt: skip
    logprobs = [(str(n), -generator.random() * 3) for n in range(1, 6)]
    back = {"text": None, "rating_logprobs": logprobs, "finish_reason": ""}
    return {
        "request_id": request_id(text, asked), "prompt_id": prompt["prompt_id"], "judge": JUDGE,
        "sample": 0, "method": "logits", "prompt_text": text, "asked": asked,
        "rating_logprobs": logprobs, "finish_reason": "", "prompt_tokens": len(text.split()),
        "answer_tokens": 0, "examples_kept": len(prompt["examples"]), "turns_dropped": 0,
        "item_turns_dropped": 0, "answer_sha256": content_id(back),
        "asked_at": "2024-01-01T00:00:00+00:00", "asked_by": "run", "engine": "dice 1",
        "device": "cpu",
    }  # fmt: skip

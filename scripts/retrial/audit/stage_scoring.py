"""Examples, prompts, story order and ratings: made again from their inputs, and compared."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from retrial.audit.compare import differences, told
from retrial.audit.sidecars import CHECKOUT
from retrial.audit.stage import Stage
from retrial.audit.stage_judging import recompute_prompts
from retrial.audit.states import Link
from retrial.record import (
    ANSWERS,
    EMBEDDINGS,
    EXAMPLE_CHOICES,
    ITEMS,
    LINKS,
    PROMPTS,
    RATINGS,
    Contract,
)


def recompute_ratings(stage: Stage) -> Iterator[Link]:
    """Every reading of every answer."""
    from retrial.scoring.job import rate_by_job

    prompts, answers = stage.first(PROMPTS, "prompts"), stage.first(ANSWERS, "answers")
    rebuilt = rate_by_job(prompts, answers, stage.job)
    yield from _compared(stage, "ratings from answers", rebuilt, RATINGS)


def recompute_examples(stage: Stage) -> Iterator[Link]:
    """The choice of in-context examples."""
    from retrial.config import Draw
    from retrial.examples.base import SelectorSpec
    from retrial.examples.choose import choose_examples
    from retrial.items.build import judged_ids

    job, items = stage.job, stage.first(ITEMS, "items")
    judged = judged_ids(items, Draw.model_validate(job["judged"]) if job["judged"] else None)
    embedded = stage.sidecar.inputs_in("embeddings")
    compared = stage.table(embedded[0], EMBEDDINGS) if embedded else None
    leaves = {name: value for name, value in job["spec"].items() if name != "encoder"}
    selector = SelectorSpec(job["selector"], embeddings=compared, **leaves)
    rebuilt = choose_examples(items, selector, judged)
    yield from _compared(stage, "examples chosen again", rebuilt, EXAMPLE_CHOICES)


def recompute_built_prompts(stage: Stage) -> Iterator[Link]:
    """Ids of prompts and, where the templates are at hand, the prompts themselves."""
    yield from recompute_prompts(stage)
    folder = _folder(stage.job["folder"])
    if folder is None:
        detail = "the prompt templates are not here, so not checked"
        yield stage.link("prompts built again", "RECORDED", detail, checked=False)
        return
    yield from _compared(stage, "prompts built again", _build_prompts(stage, folder), PROMPTS)


def _build_prompts(stage: Stage, folder: Path) -> pa.Table:
    from retrial.config import Condition, Draw
    from retrial.examples.labels import example_labels
    from retrial.items.build import judged_ids
    from retrial.judging.prompts import Asking, build_prompts
    from retrial.judging.templates import load_template

    job, items = stage.job, stage.first(ITEMS, "items")
    paths = stage.sidecar.inputs_in("examples")
    choices = {Path(p).stem: stage.table(p, EXAMPLE_CHOICES) for p in paths}
    askings = []
    for name, leaves in job["conditions"].items():
        condition = Condition.model_validate({"label": "", **leaves})
        template = load_template(folder, condition.template)
        chosen = choices[condition.selector] if condition.selector else None
        askings.append(Asking(name, condition.template, template, chosen, name in job["shared"]))
    judged = judged_ids(items, Draw.model_validate(job["judged"]) if job["judged"] else None)
    labels = example_labels(stage.first(RATINGS, "ratings/human"))
    return build_prompts(items, judged, askings, job["attributes"], labels)


def _folder(path: str) -> Path | None:
    return next((p for p in (Path(path), CHECKOUT / path) if p.is_dir()), None)


def recompute_links(stage: Stage) -> Iterator[Link]:
    """The inferred story order."""
    from retrial.links.story_order import recover_order

    answers = [stage.table(p, ANSWERS) for p in stage.sidecar.inputs_in("answers")]
    items = [stage.table(p, ITEMS) for p in stage.sidecar.inputs_in("items")]
    prompts = stage.first(PROMPTS, "prompts")
    rebuilt = recover_order(items[0], prompts, pa.concat_tables(answers), items[-1])
    yield from _compared(stage, "story order inferred again", rebuilt, LINKS)
    yield stage.link("story order", "INFERRED", f"{rebuilt.num_rows:,} links")


def _compared(stage: Stage, what: str, rebuilt: Any, contract: Contract) -> Iterator[Link]:
    recorded = stage.output(contract)
    found = list(differences(recorded, rebuilt, contract))
    yield from told(stage.place, what, found, recorded.num_rows)

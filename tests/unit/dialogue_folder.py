"""A small results folder of two datasets and two judges, for tests of the jia2024 tables."""

from pathlib import Path
from typing import Any

from core_rows import answer, human, item, prompt, rating, write

from retrial.record import RATINGS, Run, from_rows

PEOPLE = {
    "one": {"a": (1, 2, 3), "b": (4, 4, 5), "c": (3, 3, 3), "d": (5, 4, 5), "t1": (5, 5)},
    "two": {"e": (2, 1), "f": (5, 5), "g": (2, 4, 4), "t2": (1, 2), "t3": (3, 3)},
}
"""Ratings of every item, by dataset. Test means: 2, 13/3, 3, 14/3; 1.5, 5, 10/3."""
SMALL = {"a": 2.0, "b": 4.5, "c": 3.5, "d": 2.9, "e": 1.2, "f": 4.0, "g": None}
LARGE = {"a": 1.5, "b": 4.2, "c": 2.0, "d": 4.6, "e": None, "f": 4.9, "g": 3.8}
"""Scores by two judges; g was asked of the small one and e of the large one without an answer."""
BINARY = {"a": 0.2, "b": 0.9, "c": 0.5, "d": 0.7, "e": 0.1, "f": 0.4, "g": 0.6}
"""Probabilities of non-defect by a judge asked for 0 or 1."""
DATASETS = {"one": "One", "two": "Two"}
JUDGES = {"small": "Small-1b", "large": "Large-10b"}
CONDITIONS = {
    "zero-shot": {"label": "Zero-shot", "template": "dialogue-overall"},
    "zero-shot-binary": {"label": "Zero-shot-binary", "template": "dialogue-binary"},
    "rating-first": {"label": "Rating-first", "template": "r", "method": "generation"},
    "analysis-first": {"label": "Analysis-first", "template": "a", "method": "generation"},
}


def dataset_of(name: str) -> str:
    """The dataset of a test item."""
    return next(dataset for dataset, people in PEOPLE.items() if name in people)


def write_items(root: Path) -> None:
    """Both datasets: items and people's ratings; names that begin with t are for training."""
    for dataset, people in PEOPLE.items():
        rows = [item(i, "train" if i.startswith("t") else "test", dataset=dataset) for i in people]
        write(root, f"items/{dataset}.parquet", "items", *rows)
        rated = [
            human(i, str(n), float(score), dataset=dataset)
            for i, given in people.items()
            for n, score in enumerate(given)
        ]
        write(root, f"ratings/human/{dataset}.parquet", "ratings", *rated)


def write_answers(
    root: Path, judge: str, experiment: str, rows: list[tuple[str, float | None]], **fields: Any
) -> None:
    """A judge's ratings and answers of one experiment: (item, score), again for each sample."""
    for dataset in DATASETS:
        mine = [(i, score) for i, score in rows if dataset_of(i) == dataset]
        seen: dict[str, int] = {}
        ratings, answers = [], []
        for name, score in mine:
            sample = seen[name] = seen.get(name, -1) + 1
            request = f"{judge}-{experiment}-{name}-{sample}"
            cut = "length" if score is None else "stop"
            about = {"judge": judge, "dataset": dataset, "sample": sample, **fields}
            ratings.append(rating(name, score, request_id=request, **about))
            answers.append(answer(request, judge=judge, sample=sample, finish_reason=cut))
        prompts = f"prompts/{dataset}/{judge}-{experiment}.parquet"
        asked = [
            prompt(a["prompt_id"], item_id=r["item_id"])
            for a, r in zip(answers, ratings, strict=True)
        ]
        write(root, prompts, "prompts", *asked)
        answered = f"answers/{judge}/{dataset}/{experiment}.parquet"
        write(root, answered, "answers", *answers)
        run = Run("rate_answers", root, (root / prompts, root / answered))
        place = root / f"ratings/{judge}/{dataset}/{experiment}.parquet"
        run.write_table(place, from_rows(ratings, RATINGS), RATINGS)


def folder(root: Path) -> Path:
    """The results folder: two judges asked zero-shot, one of them for 0 or 1 too."""
    write_items(root)
    write_answers(root, "small", "tuning", list(SMALL.items()))
    write_answers(root, "large", "tuning", list(LARGE.items()))
    binary = {"condition": "zero-shot-binary", "scale": "0-1"}
    write_answers(root, "small", "tuning-binary", list(BINARY.items()), **binary)
    return root


def job(table: str, **spec: Any) -> dict[str, Any]:
    """The job of a table of both judges and both datasets, zero-shot unless said otherwise."""
    wanted: dict[str, Any] = {
        "judges": list(JUDGES),
        "datasets": list(DATASETS),
        "experiments": ["tuning"],
        "conditions": ["zero-shot"],
        **spec,
    }
    return {
        "table": table,
        "spec": wanted,
        "statistics": {"label_rule": "mean", "human_threshold": 3.0, "judge_rule": "le-3",
                       "resamples": 200, "level": 0.95, "seed": 1},
        "judges": {j: JUDGES[j] for j in wanted["judges"]},
        "judge_notes": dict.fromkeys(wanted["judges"], ""),
        "parameters_billion": {"large": 10.0},
        "tunings": {"large": {"draw": "near-test"}},
        "datasets": {d: {"label": DATASETS[d], "split": {}} for d in wanted["datasets"]},
        "conditions": {c: CONDITIONS[c] for c in wanted["conditions"]},
        "experiments": {"tuning": ["zero-shot"], "tuning-binary": ["zero-shot-binary"]},
        "replicates": {},
    }  # fmt: skip

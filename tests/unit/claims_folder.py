"""A small results folder for the claims and the sensitivity of jia2024, and their jobs."""

from pathlib import Path
from typing import Any

import numpy as np
from core_rows import answer, human, item, rating, write

DATASETS = {"ccpe": "CCPE", "mwoz": "MWOZ", "redial": "Redial", "sgd": "SGD"}
JUDGES = {
    "falcon": "Falcon-7b-instruct",
    "llama": "Llama-7b",
    "llama-small": "Llama-7b-sft-small",
    "llama-large": "Llama-7b-sft-large",
    "llama-13b": "Llama-13b",
}
SHOTS = tuple(f"{method}-{k}" for k in (1, 4) for method in ("random", "bm25", "bert"))
EXPERIMENTS = {
    "in-context": ["zero-shot", *SHOTS, "bm25-4-okapi"],
    "tuning": ["zero-shot"],
    "cot-order": ["rating-first", "analysis-first"],
}
LABELS = {"zero-shot": "Zero-shot", "rating-first": "Rating-first",
          "analysis-first": "Analysis-first", "bm25-4-okapi": "BM25-4 okapi"} | {
    name: name.replace("random", "Random").replace("bm25", "BM25").replace("bert", "BERT")
    for name in SHOTS
}  # fmt: skip
CONDITIONS: dict[str, dict[str, Any]] = {
    name: {"label": label, "template": "t"}
    | ({"method": "generation"} if name.endswith("-first") else {})
    for name, label in LABELS.items()
}
DRAWS = 2
"""Replicates of the random conditions."""
SIZE = 24
"""Test items of a dataset."""
NOISE = {"zero-shot": 0.8, "bert-1": 2.5, "rating-first": 2.0, "analysis-first": 0.1}
"""Spread of a judge's error by condition; 1.5 elsewhere."""
OF_JUDGE = {"llama": 6.0, "llama-small": 1.0, "llama-large": 0.2, "llama-13b": 6.0}
"""The same by judge, in the tuning experiment."""


def answers_of(scores: np.ndarray, generator: np.random.Generator) -> list[dict[str, float]]:
    """Log-probabilities of the ratings: a bump at each score, with noise."""
    ratings = np.arange(1, 6)
    logits = -((ratings - scores[:, None]) ** 2) + generator.normal(0, 0.3, (len(scores), 5))
    logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return [dict(zip("12345", map(float, row), strict=True)) for row in logs]


def folder(root: Path, size: int = SIZE) -> Path:
    """Four datasets; a judge asked in context, a base with two tuned judges, two orders."""
    generator = np.random.default_rng(11)
    for dataset in DATASETS:
        names = [f"{dataset}-{n:02}" for n in range(size)]
        truth = generator.uniform(1, 5, size)
        raters = np.clip(np.rint(truth + generator.normal(0, 0.7, (3, size))), 1, 5)
        items = [item(n, dataset=dataset) for n in names]
        write(root, f"items/{dataset}.parquet", "items", *items)
        rated = [
            human(name, str(r), float(raters[r, i]), dataset=dataset)
            for i, name in enumerate(names)
            for r in range(3)
        ]
        write(root, f"ratings/human/{dataset}.parquet", "ratings", *rated)
        for judge in JUDGES:
            for experiment in experiments_of(judge):
                _ask(root, judge, dataset, experiment, names, truth, generator)
    return root


def experiments_of(judge: str) -> list[str]:
    """Where a judge is asked."""
    return ["in-context", "cot-order"] if judge == "falcon" else ["tuning"]


def _ask(
    root: Path, judge: str, dataset: str, experiment: str, names: list[str], truth: np.ndarray,
    generator: np.random.Generator,
) -> None:  # fmt: skip
    ratings, answers = [], []
    for condition in EXPERIMENTS[experiment]:
        text = condition.endswith("-first")
        for replicate in range(DRAWS if condition.startswith("random") else 1):
            spread = OF_JUDGE.get(judge, NOISE.get(condition, 1.5))
            scores = np.clip(truth + generator.normal(0, spread, len(names)), 1, 5)
            logprobs = answers_of(scores, generator)
            for name, score, logs in zip(names, scores, logprobs, strict=True):
                request = f"{judge}-{experiment}-{condition}-{replicate}-{name}"
                about = {"judge": judge, "dataset": dataset, "condition": condition,
                         "replicate": replicate, "request_id": request}  # fmt: skip
                if text:
                    whole = float(np.rint(score))
                    ratings.append(rating(name, whole, reading="robust", **about))
                    first = None if name.endswith("0") else whole
                    ratings.append(rating(name, first, reading="chiang2023", **about))
                    fields = {"method": "generation", "text": f"{whole:g}",
                              "rating_logprobs": None}  # fmt: skip
                    answers.append(answer(request, judge=judge, **fields))
                    continue
                weights = {float(k): np.exp(v) for k, v in logs.items()}
                mean = sum(k * w for k, w in weights.items()) / sum(weights.values())
                literal = sum(float(k) * v for k, v in logs.items()) / sum(logs.values())
                ratings.append(rating(name, float(mean), rating_mass=1.0, **about))
                ratings.append(rating(name, float(literal), reading="log-literal", **about))
                answers.append(answer(request, judge=judge, rating_logprobs=list(logs.items())))
    write(root, f"ratings/{judge}/{dataset}/{experiment}.parquet", "ratings", *ratings)
    write(root, f"answers/{judge}/{dataset}/{experiment}.parquet", "answers", *answers)


def job(table: str, **spec: Any) -> dict[str, Any]:
    """The job of a table of everything in the folder, unless said otherwise."""
    wanted: dict[str, Any] = {
        "judges": list(JUDGES),
        "datasets": list(DATASETS),
        "experiments": list(EXPERIMENTS),
        "conditions": list(CONDITIONS),
        **spec,
    }
    wanted["only"] = {j: experiments_of(j) for j in wanted["judges"]}
    return {
        "table": table,
        "spec": wanted,
        "statistics": {"label_rule": "mean", "human_threshold": 3.0, "judge_rule": "le-3",
                       "resamples": 200, "level": 0.95, "seed": 3},
        "judges": {j: JUDGES[j] for j in wanted["judges"]},
        "judge_notes": dict.fromkeys(wanted["judges"], ""),
        "parameters_billion": {"falcon": 7.0, "llama": 7.0, "llama-13b": 13.0},
        "datasets": {d: {"label": DATASETS[d], "split": {}} for d in wanted["datasets"]},
        "conditions": {c: CONDITIONS[c] for c in wanted["conditions"]},
        "experiments": EXPERIMENTS,
        "replicates": {c: DRAWS for c in wanted["conditions"] if c.startswith("random")},
    }  # fmt: skip

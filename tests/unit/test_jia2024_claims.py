"""The claims of jia2024: print counted again, our differences worked out another way, verdicts."""

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from claims_folder import CONDITIONS, DATASETS, EXPERIMENTS, JUDGES, SHOTS, folder, job
from scipy import stats
from sklearn.metrics import f1_score

from retrial.config import load_config
from retrial.metrics import REGISTRY
from retrial.plan import Plan
from retrial.published import load_published
from retrial.tables import declaration_of
from retrial.tables.arms import Contrast, Decided
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.claims import (
    CONTRADICTED,
    NOT_COMPARABLE,
    NOT_DECIDABLE,
    NOT_RUN,
    SUPPORTED,
    decided,
)
from retrial.tables.jia2024_claims import CLAIMS
from retrial.tables.jia2024_tested import TESTED
from retrial.tables.render.html import render_html
from retrial.tables.select import Results

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "data" / "published"
TABLE = "jia2024_claims"
FILES = [PUBLISHED / f"jia2024_table{n}.csv" for n in (1, 2, 3, 4)]


def built(root, wanted, files=FILES):
    values = [value for path in files for value in load_published(path)]
    statistics = wanted["statistics"]
    bootstrap = Bootstrap(statistics["resamples"], statistics["level"], statistics["seed"])
    declaration = declaration_of(wanted)
    table = build_cells(declaration, Results(root), Printed.of(values), bootstrap)
    assert declaration.description.title in render_html(table, declaration.description)
    return {(row["row"], row["column"]): row for row in table.to_pylist()}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return folder(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def cells(root):
    return built(root, job(TABLE))


def printed():
    """The numbers of the paper by table, row and column, read without the project's reader."""
    found = defaultdict(lambda: defaultdict(dict))
    for path in FILES:
        with path.open(encoding="utf-8") as file:
            for line in csv.DictReader(file):
                if line["printed"]:
                    value = float(line["printed"].rstrip("%"))
                    found[line["table"]][line["row"]][line["column"]] = value
    return found


def higher(table, first, second, leave_out=("defect_rate",)):
    rows = printed()[table]
    names = [c for c in rows[first] if c not in leave_out]
    return sum(rows[first][c] > rows[second][c] for c in names), len(names)


def told(cells, claim):
    return cells[claim, "printed"]["value_text"], cells[claim, "on_print"]["value_text"]


def test_every_claim_has_a_row_and_a_way_to_be_put_to_our_ratings(cells):
    assert {row for row, _ in cells} == {claim.id for claim in CLAIMS} == set(TESTED)
    assert {claim.section for claim in CLAIMS} == {"5.1", "5.2", "5.3", "5.4", "5.5"}
    for tested in TESTED.values():
        assert {tested.metric, *tested.counted} <= REGISTRY.keys()


def test_analysis_first_wins_as_many_printed_metrics_as_an_independent_count(cells):
    won, total = higher("table4", "Analysis-first", "Rating-first")
    evidence, verdict = told(cells, "analysis-first-consistent")
    assert (won, total) == (12, 14) and f"{won} of {total}" in evidence
    assert verdict == "contradicted"


def test_few_shot_is_not_better_in_most_printed_cells(cells):
    won = total = 0
    for subset in DATASETS.values():
        for few in SHOTS:
            name = few.replace("random", "Random").replace("bm25", "BM25").replace("bert", "BERT")
            found = higher("table2", f"{subset} / {name}", f"{subset} / Zero-shot")
            won, total = won + found[0], total + found[1]
    evidence, verdict = told(cells, "few-shot-better")
    assert f"{won} of {total}" in evidence and won < total / 2
    assert verdict == "contradicted"


def test_tuning_does_not_improve_everything_in_print(cells):
    bases = ("Alpaca-7b", "Llama-7b", "Llama-13b", "Falcon-40b-instruct")
    tuned = [(f"{base}-sft-{size}", base) for base in bases for size in ("small", "large")]
    counts = [higher("table3", judge, base, ()) for judge, base in tuned]
    won, total = (sum(part) for part in zip(*counts, strict=True))
    evidence, verdict = told(cells, "tuning-raises-all")
    assert f"{won} of {total}" in evidence and verdict == "contradicted"


def test_algorithms_are_best_in_no_printed_column_of_sgd(cells):
    rows = {k: v for k, v in printed()["table2"].items() if k.startswith("SGD")}
    columns = [c for c in rows["SGD / Zero-shot"] if c != "defect_rate"]
    best = [
        c
        for c in columns
        if any(rows[r][c] == max(row[c] for row in rows.values()) for r in rows if "B" in r[5:8])
    ]
    evidence, verdict = told(cells, "algorithms-always-best")
    assert f"{len(best)}/14 (SGD)" in evidence and len(best) == 0
    assert verdict == "contradicted"


# Our ratings, by other means.


def read(root, judge, experiment, condition, reading="expectation", datasets=DATASETS):
    """Mean score by item and replicate: {dataset: {replicate: {item: score}}}."""
    found = {}
    for dataset in datasets:
        rows = pq.read_table(root / f"ratings/{judge}/{dataset}/{experiment}.parquet").to_pylist()
        found[dataset] = defaultdict(dict)
        for row in rows:
            if (row["condition"], row["reading"]) == (condition, reading):
                found[dataset][row["replicate"]][row["item_id"]] = row["score"]
    return found


def labels(root, dataset):
    rows = pq.read_table(root / f"ratings/human/{dataset}.parquet").to_pylist()
    given = defaultdict(list)
    for row in rows:
        given[row["item_id"]].append(row["score"])
    return {item: sum(scores) / len(scores) for item, scores in given.items()}


def macro(scores, people):
    ids = sorted(scores)
    truth, predicted = ([part[i] <= 3 for i in ids] for part in (people, scores))
    return f1_score(truth, predicted, labels=[False, True], average="macro")


def pooled(by_dataset):
    return {i: s for replicates in by_dataset.values() for i, s in replicates[0].items()}


def test_few_shot_against_zero_shot_is_the_mean_over_datasets_and_conditions(root, cells):
    zero = read(root, "falcon", "in-context", "zero-shot")
    found = []
    for condition in SHOTS:
        few = read(root, "falcon", "in-context", condition)
        for dataset in DATASETS:
            people = labels(root, dataset)
            values = [macro(scores, people) for scores in few[dataset].values()]
            found.append(np.mean(values) - macro(zero[dataset][0], people))
    cell = cells["few-shot-better", "difference"]
    assert len(found) == 24 and cell["value"] == pytest.approx(np.mean(found), abs=1e-12)
    assert cell["n"] == cells["few-shot-better", "items_compared"]["value"] == 96
    assert cell["ci_low"] < cell["value"] < cell["ci_high"]


def test_the_best_of_bm25_against_the_best_of_the_others(root, cells):
    found = []
    for dataset in ("ccpe", "mwoz"):
        people = labels(root, dataset)
        values = {}
        for condition in SHOTS:
            draws = read(root, "falcon", "in-context", condition)[dataset].values()
            values[condition] = np.mean([macro(scores, people) for scores in draws])
        own = max(v for c, v in values.items() if c.startswith("bm25"))
        found.append(own - max(v for c, v in values.items() if not c.startswith("bm25")))
    assert cells["bm25-excels", "difference"]["value"] == pytest.approx(np.mean(found), abs=1e-12)


def test_tuned_against_untuned_is_pooled_over_the_datasets(root, cells):
    people = {i: s for dataset in DATASETS for i, s in labels(root, dataset).items()}
    rho = {}
    for judge in ("llama", "llama-small", "llama-large"):
        scores = pooled(read(root, judge, "tuning", "zero-shot"))
        ids = sorted(scores)
        rho[judge] = stats.spearmanr([scores[i] for i in ids], [people[i] for i in ids]).statistic
    expected = (rho["llama-small"] + rho["llama-large"]) / 2 - rho["llama"]
    cell = cells["tuning-raises-correlations", "difference"]
    assert cell["value"] == pytest.approx(expected, abs=1e-12)
    assert cells["tuning-raises-correlations", "held"]["value_text"] == "4 of 4"
    assert cells["tuning-raises-correlations", "verdict"]["value_text"] == SUPPORTED
    best = rho["llama-large"] - max(rho["llama"], rho["llama-small"])
    large = cells["best-correlation-large-set", "difference"]
    assert large["value"] == pytest.approx(best, abs=1e-12)


def test_a_judge_with_another_size_stands_in_where_no_pair_of_the_paper_is_listed(root):
    wanted = job(TABLE, judges=["llama", "falcon"])
    wanted["judges"] = {"llama": "Small", "falcon": "Large"}
    wanted["parameters_billion"] = {"llama": 1.0, "falcon": 2.0}
    specs = {(c.row, c.column): c for c in declaration_of(wanted).cells}
    sample = specs["larger-is-better", "difference"].sample
    assert isinstance(sample, Contrast)
    files = [m.first[0].judged.judge[0].file.split("/")[1] for m in sample.matches]
    assert files == ["falcon"]
    assert specs["falcon-gain", "verdict"].sample.text == NOT_RUN


def test_holm_is_the_step_down_over_all_tests_of_the_table(cells):
    p = {row: cell["value"] for (row, column), cell in cells.items() if column == "p"}
    running, expected = 0.0, {}
    for rank, row in enumerate(sorted(p, key=lambda row: p[row])):
        running = max(running, (len(p) - rank) * p[row])
        expected[row] = min(1.0, running)
    assert len(p) > 15
    for row, value in expected.items():
        cell = cells[row, "p_holm"]
        assert cell["value"] == pytest.approx(value, abs=1e-12) and cell["n"] == len(p)
        assert len(cell["inputs"]) == len(p)


def test_a_verdict_says_what_it_is_derived_from(cells):
    cell = cells["tuning-raises-all", "verdict"]
    assert cell["kind"] == "derived"
    row = f"{TABLE}[tuning-raises-all]"
    assert cell["inputs"] == [f"{row}.difference", f"{row}.p_holm"]


@pytest.mark.parametrize(
    ("low", "value", "high", "p", "margin", "expected"),
    [
        (0.1, 0.2, 0.3, 0.01, None, SUPPORTED),
        (-0.3, -0.2, -0.1, 0.01, None, CONTRADICTED),
        (0.1, 0.2, 0.3, 0.06, None, NOT_DECIDABLE),
        (-0.3, -0.2, -0.1, 0.06, None, NOT_DECIDABLE),
        (-0.1, 0.1, 0.3, 0.05, None, NOT_DECIDABLE),
        (-0.01, 0.0, 0.02, 1.0, 0.02, SUPPORTED),
        (0.03, 0.1, 0.2, 0.01, 0.02, CONTRADICTED),
        (-0.2, -0.1, -0.03, 0.01, 0.02, CONTRADICTED),
        (0.03, 0.1, 0.2, 0.2, 0.02, NOT_DECIDABLE),
        (-0.1, 0.0, 0.1, 1.0, 0.02, NOT_DECIDABLE),
        (None, None, None, None, None, NOT_DECIDABLE),
        (None, 0.2, None, None, None, NOT_DECIDABLE),
    ],
)
def test_every_verdict_from_difference_interval_and_corrected_p(
    low, value, high, p, margin, expected
):
    difference = {"value": value, "ci_low": low, "ci_high": high, "n": 9, "reason": None}
    found = decided(
        Decided(("r", "difference"), ("r", "p"), 0.05, margin),
        {("r", "difference"): difference, ("r", "p"): {"value": p}},
    )
    assert (found["value_text"], found["n"]) == (expected, 9)


def test_what_the_lists_lack_is_named(root):
    few = job(TABLE, judges=["falcon"], datasets=["sgd"], conditions=["zero-shot", "bm25-4"],
              experiments=["in-context"])  # fmt: skip
    few["spec"]["only"] = {}
    found = built(root, few)

    def why(claim):
        words = found[claim, "compared"]["value_text"]
        return words, found[claim, "verdict"]["value_text"], found[claim, "difference"]["reason"]

    for claim, lacking in (
        ("falcon-gain", "Falcon-40b-instruct"),
        ("mwoz-all-few-shot", "dataset MWOZ"),
        ("algorithm-beats-random", "Random-1"),
        ("tuning-raises-all", "tuned on the small set"),
        ("analysis-first-consistent", "Analysis-first"),
    ):
        words, verdict, reason = why(claim)
        assert verdict == NOT_RUN and lacking in words and lacking in reason
    words, verdict, _ = why("sgd-longest")
    assert verdict == NOT_COMPARABLE and words.startswith(NOT_COMPARABLE)
    assert found["few-shot-better", "difference"]["value"] is not None
    assert "BM25-4 against Zero-shot" in found["few-shot-better", "compared"]["value_text"]


def test_a_reversed_order_of_judges_is_contradicted(root):
    wanted = job(TABLE)
    wanted["judges"] = {**JUDGES, "llama-small": "Llama-7b", "llama": "Llama-7b-sft-small"}
    wanted["spec"]["judges"] = ["llama-small", "llama"]
    wanted["spec"] |= {"experiments": ["tuning"], "conditions": ["zero-shot"], "only": {}}
    found = built(root, wanted)
    assert found["tuning-raises-correlations", "verdict"]["value_text"] == CONTRADICTED
    assert found["tuning-raises-correlations", "held"]["value_text"] == "0 of 2"


def test_without_the_published_values_only_what_is_printed_is_missing(root, cells):
    bare = built(root, job(TABLE), files=[])
    for key, cell in bare.items():
        if key[1] in ("printed", "on_print"):
            decidable = cells[key]["value_text"] == cell["value_text"]
            assert decidable or "not at hand" in cell["reason"]
        else:
            assert cell["value_text"] == cells[key]["value_text"]
            assert cell["value"] == cells[key]["value"]


def test_the_plan_hands_claims_every_published_file_of_the_study():
    import yaml

    shipped = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    shipped["tables"] = {TABLE: {}, "jia2024_table2": shipped["tables"]["jia2024_table2"]}
    shipped |= {"figures": {}, "draw": [], "make": []}
    plan = Plan(load_config(shipped))
    names = [Path(path).name for path in plan.published_file(TABLE)]
    assert names == [path.name for path in FILES]
    assert [Path(p).name for p in plan.published_file("jia2024_table2")] == ["jia2024_table2.csv"]


def test_what_is_declared_is_described_once():
    declaration = declaration_of(job(TABLE))
    keys = [(c.row, c.column) for c in declaration.cells]
    assert len(set(keys)) == len(keys)
    groups = {key for group in declaration.description.groups for key, _ in group.columns}
    shown = groups | {key for key, _ in declaration.description.ledger_columns}
    assert shown == {column for _, column in keys}
    assert set(CONDITIONS) == {c for names in EXPERIMENTS.values() for c in names}

"""The sensitivity of jia2024: each alternative's number worked out from the files another way."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest
from claims_folder import DATASETS, DRAWS, folder, job
from core_rows import answer, rating, write
from scipy import stats
from sklearn.metrics import f1_score

from retrial.errors import RetrialError
from retrial.metrics import Pairs
from retrial.tables import declaration_of
from retrial.tables.align import aligned
from retrial.tables.arms import Rescored
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.render.html import render_html
from retrial.tables.rescored import rescored
from retrial.tables.samples import Drawn, draw
from retrial.tables.select import Results
from retrial.tables.selection import Selection

TABLE = "jia2024_sensitivity"
JOB = job(TABLE, judges=["falcon"])


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return folder(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def cells(root):
    return built(root, JOB)


def built(root, wanted):
    declaration = declaration_of(wanted)
    keys = [(c.row, c.column) for c in declaration.cells]
    assert len(set(keys)) == len(keys)
    table = build_cells(declaration, Results(root), Printed.of([]), Bootstrap(200, 0.95, 3))
    assert declaration.description.title in render_html(table, declaration.description)
    return {(row["row"], row["column"]): row for row in table.to_pylist()}


def rows(root, kind, dataset, judge="falcon", experiment="in-context"):
    name = f"{dataset}.parquet" if judge == "human" else f"{dataset}/{experiment}.parquet"
    return pq.read_table(root / f"{kind}/{judge}/{name}").to_pylist()


def scores(root, condition, reading="expectation", replicate=0, experiment="in-context"):
    return {
        row["item_id"]: row["score"]
        for dataset in DATASETS
        for row in rows(root, "ratings", dataset, experiment=experiment)
        if (row["condition"], row["reading"], row["replicate"]) == (condition, reading, replicate)
        and row["score"] is not None
    }


def people(root, rule):
    given = {}
    for dataset in DATASETS:
        for row in rows(root, "ratings", dataset, "human"):
            given.setdefault(row["item_id"], []).append(row["score"])
    return {item: rule(values) for item, values in given.items()}


def mean(values):
    return sum(values) / len(values)


def commonest(values):
    counts = Counter(values)
    return min(v for v in values if counts[v] == max(counts.values()))


def rho(judged, labels):
    ids = sorted(judged)
    return stats.spearmanr([judged[i] for i in ids], [labels[i] for i in ids]).statistic


def f1(judged, labels, defect=lambda score: score <= 3):
    ids = sorted(judged)
    return f1_score([labels[i] <= 3 for i in ids], [defect(judged[i]) for i in ids])


def moved(cells, row, column, expected, default):
    assert cells[row, column]["value"] == pytest.approx(expected, abs=1e-12)
    change = cells[row, f"{column}_change"]
    assert change["value"] == pytest.approx(expected - default, abs=1e-12)
    assert change["ci_low"] <= change["value"] <= change["ci_high"]


@pytest.mark.parametrize(("label", "condition"), [("Zero-shot", "zero-shot"), ("BM25-4", "bm25-4")])
def test_label_rules(root, cells, label, condition):
    judged = scores(root, condition)
    default = rho(judged, people(root, mean))
    found = cells[f"{label} / default", "spearman"]
    assert found["value"] == pytest.approx(default, abs=1e-12) and found["n"] == 96
    rules = {"max": max, "median": np.median, "majority": commonest, "first": lambda v: v[0]}
    for name, rule in rules.items():
        row = f"{label} / label rule: {name}"
        moved(cells, row, "spearman", rho(judged, people(root, rule)), default)
        assert cells[row, "items_compared"]["value"] == 96


def test_judge_rules_move_the_classes_and_no_correlation(root, cells):
    judged, labels = scores(root, "zero-shot"), people(root, mean)
    default = f1(judged, labels)
    for name, rule in (("lt-3.5", lambda s: s < 3.5), ("round", lambda s: np.floor(s + 0.5) <= 3)):
        row = f"Zero-shot / judge rule: {name}"
        moved(cells, row, "defect_f1", f1(judged, labels, rule), default)
        assert cells[row, "spearman_change"]["value"] == 0
        assert json.loads(cells[row, "defect_f1"]["parameters"])["judge_rule"] == name


def test_the_logarithms_as_weights(root, cells):
    labels = people(root, mean)
    literal = rho(scores(root, "bm25-4", "log-literal"), labels)
    default = rho(scores(root, "bm25-4"), labels)
    moved(cells, "BM25-4 / reading of Eq. 2: log-literal", "spearman", literal, default)


@pytest.mark.parametrize("top_k", [1, 2, 3, 4, 5])
def test_k_of_eq_2_is_taken_from_the_answers(root, cells, top_k):
    item_of = {
        row["request_id"]: row["item_id"]
        for dataset in DATASETS
        for row in rows(root, "ratings", dataset)
        if row["condition"] == "zero-shot"
    }
    judged = {}
    for dataset in DATASETS:
        for row in rows(root, "answers", dataset):
            if row["request_id"] in item_of:
                best = sorted(row["rating_logprobs"], key=lambda pair: -pair[1])[:top_k]
                weights = [np.exp(value) for _, value in best]
                expected = np.dot(weights, [float(name) for name, _ in best]) / sum(weights)
                judged[item_of[row["request_id"]]] = round(expected, 9)
    labels = people(root, mean)
    default = rho(scores(root, "zero-shot"), labels)
    moved(cells, f"Zero-shot / K of Eq. 2: {top_k}", "spearman", rho(judged, labels), default)


def test_random_as_metric_of_the_mean_rating(root, cells):
    labels = people(root, mean)
    draws = [scores(root, "random-4", replicate=number) for number in range(DRAWS)]
    default = mean([rho(draw_, labels) for draw_ in draws])
    assert cells["Random-4 / default", "spearman"]["value"] == pytest.approx(default, abs=1e-12)
    averaged = {item: mean([d[item] for d in draws]) for item in draws[0]}
    row = "Random-4 / random draws: metric of the mean rating"
    moved(cells, row, "spearman", rho(averaged, labels), default)


def test_another_bm25_is_another_condition(root, cells):
    labels = people(root, mean)
    other, default = (rho(scores(root, c), labels) for c in ("bm25-4-okapi", "bm25-4"))
    moved(cells, "BM25-4 / BM25 variant: okapi", "spearman", other, default)


def test_the_parser_is_compared_on_the_answers_that_both_read(root, cells):
    labels = people(root, mean)
    robust = scores(root, "rating-first", "robust", experiment="cot-order")
    published = scores(root, "rating-first", "chiang2023", experiment="cot-order")
    row = "Rating-first / parser: chiang2023"
    assert 0 < len(published) < len(robust)
    assert cells[row, "spearman"]["value"] == pytest.approx(rho(published, labels), abs=1e-12)
    both = {item: robust[item] for item in published}
    expected = rho(published, labels) - rho(both, labels)
    assert cells[row, "spearman_change"]["value"] == pytest.approx(expected, abs=1e-12)
    assert cells[row, "items_compared"]["value"] == len(published)


@pytest.mark.parametrize(
    ("row", "lacking"),
    [
        ("Zero-shot / scoring method: generation", "zero-shot-generation"),
        ("BM25-4 / context budget: another", "falcon-<ending>"),
    ],
)
def test_what_is_not_listed_is_not_run_and_says_why(cells, row, lacking):
    for column in ("spearman", "spearman_change", "macro_f1"):
        assert cells[row, column]["value"] is None
        assert cells[row, column]["reason"].startswith("not run: ")
        assert lacking in cells[row, column]["reason"]


def test_another_context_is_a_judge_named_after_the_first(root):
    wanted = job(TABLE, judges=["llama", "llama-small"], experiments=["tuning"],
                 conditions=["zero-shot"])  # fmt: skip
    wanted["judges"] = {"llama": "Llama-7b", "llama-small": "Llama-7b at 512"}
    found = built(root, wanted)
    assert found["Zero-shot / context budget: Llama-7b at 512", "spearman"]["value"] is not None
    assert not any(row.endswith("budget: another") for row, _ in found)
    tuned = built(root, {**wanted, "tunings": {"llama-small": {"draw": "random"}}})
    assert any(row.endswith("budget: another") for row, _ in tuned)


def test_without_a_headline_condition_every_condition_is_varied(root):
    wanted = job(TABLE, judges=["falcon"], experiments=["in-context"], conditions=["bert-1"])
    assert {row.split(" / ")[0] for row, _ in built(root, wanted)} == {"BERT-1"}


def test_every_column_is_described():
    declaration = declaration_of(JOB)
    groups = {key for group in declaration.description.groups for key, _ in group.columns}
    shown = groups | {key for key, _ in declaration.description.ledger_columns}
    assert shown == {c.column for c in declaration.cells}
    assert declaration.description.reference_rows <= {c.row for c in declaration.cells}


# The samples behind it.


def test_a_rating_without_a_score_keeps_none_and_k_needs_log_probabilities(tmp_path):
    logs = [("1", np.log(0.1)), ("4", np.log(0.3)), ("5", np.log(0.2))]
    write(tmp_path, "r.parquet", "ratings", rating("a", 3.0), rating("b", None))
    write(tmp_path, "a.parquet", "answers", answer("r-a", rating_logprobs=logs))
    write(tmp_path, "t.parquet", "answers", answer("r-a", rating_logprobs=None, text="3"))
    results = Results(tmp_path)
    selected = results.select(Selection("judge", "r.parquet"))
    again = rescored(selected, results.answers("a.parquet"), 2)
    assert again.rows["score"].to_pylist() == [pytest.approx((0.3 * 4 + 0.2 * 5) / 0.5), None]
    with pytest.raises(RetrialError, match=r"r-a.*logits method"):
        rescored(selected, results.answers("t.parquet"), 2)


def test_a_rescored_cell_records_the_ratings_as_they_are_and_its_k(root):
    spec = next(c for c in declaration_of(JOB).cells if isinstance(c.sample, Rescored))
    drawn = draw(spec.sample, Results(root))
    plain = draw(spec.sample.pairs, Results(root))
    assert [s.members_sha256 for s in drawn.selected] == [s.members_sha256 for s in plain.selected]
    assert drawn.parameters["top_k"] == 1


def test_only_items_that_all_arms_on_the_same_people_scored_keep_their_scores():
    nan = np.nan
    one = Drawn([Pairs([1, 2, nan], [1, 2, 3])], (), item_ids=["a", "b", "c"])
    two = Drawn([Pairs([5, nan, 4], [1, 2, 3])], (), item_ids=["a", "b", "c"])
    apart = Drawn([Pairs([7, 8], [9, 9])], (), item_ids=["d", "b2"])
    ids, found = aligned({1: ("p", one), 2: ("p", two), 3: ("q", apart)})
    assert ids == ["a", "b", "b2", "c", "d"]
    np.testing.assert_array_equal(found[1][0].first, [1, nan, nan, nan, nan])
    np.testing.assert_array_equal(found[2][0].first, [5, nan, nan, nan, nan])
    np.testing.assert_array_equal(found[3][0].first, [nan, nan, 8, nan, 7])
    alone = aligned({1: ("p", one), 2: ("other", replace(two))})[1]
    np.testing.assert_array_equal(alone[1][0].first, [1, 2, nan])

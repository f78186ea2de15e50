"""Cells from a small results folder: values worked by hand, members, verdicts."""

import json

import numpy as np
import pytest
from core_rows import answer, human, item, rating, write

from retrial.errors import RetrialError
from retrial.published import PublishedValue
from retrial.record import CELLS
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.declare import (
    CellSpec,
    Comparison,
    Declaration,
    HumanCeiling,
    JudgeAgainstHuman,
    Ledger,
    Selection,
)
from retrial.tables.description import Description
from retrial.tables.select import Results

ANSWERS = "answers/j/d/e.parquet"
JUDGE = Selection("judge", "ratings/j/d/e.parquet", (("reading", "expectation"),))
HUMAN = Selection("human", "ratings/human/d.parquet")
RULES = {"human_threshold": 3.0, "judge_rule": "le-3"}
SAMPLE = JudgeAgainstHuman(JUDGE, HUMAN, "mean", "mean-of-metrics")
BOOTSTRAP = Bootstrap(resamples=200, level=0.95, seed=1)

SCORES = {"a": 2.0, "b": 4.5, "c": 3.5, "d": None, "e": 2.5}
PEOPLE = {"a": (1, 2, 3), "b": (4, 4, 5), "c": (3, 3, 3), "d": (5, 4, 5), "e": (5, 5), "z": (1, 1)}
"""Means 2, 13/3, 3, 14/3, 5; at most 3 is a defect (a, c). Judge defects: a, e. z was not asked."""


def results(root, scores=SCORES, people=PEOPLE):
    ratings = [rating(i, s, **({} if s else {"status": "too_long"})) for i, s in scores.items()]
    write(root, JUDGE.file, "ratings", *ratings)
    rows = [human(i, str(n), s) for i, given in people.items() for n, s in enumerate(given)]
    write(root, HUMAN.file, "ratings", *rows)
    write(root, "items/d.parquet", "items", *(item(i) for i in people))
    answers = [answer(f"r-{i}", turns_dropped=int(i == "a"), item_turns_dropped=0) for i in scores]
    write(root, ANSWERS, "answers", *answers)
    return Results(root)


def spec(column, metric, sample=SAMPLE, row="row", comparison=None, **fields) -> CellSpec:
    return CellSpec(row, column, "block", metric, sample, comparison=comparison, **fields)


def built(root, *specs, printed=(), **data):
    declaration = Declaration("study_table", specs, Description("t", ()))
    values = [PublishedValue("study", t, r, c, v, "p. 1") for t, r, c, v in printed]
    table = build_cells(declaration, results(root, **data), Printed.of(values), BOOTSTRAP)
    assert table.schema.equals(CELLS.schema)
    return {(row["row"], row["column"]): row for row in table.to_pylist()}


def one(root, metric, sample=SAMPLE, **options):
    parameters = {} if metric in ("spearman", "pearson") else RULES
    data = {k: options.pop(k) for k in ("scores", "people", "printed") if k in options}
    return built(root, spec("c", metric, sample, parameters=parameters, **options), **data)[
        "row", "c"
    ]


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("defect-rate", 2 / 4),
        ("defect-precision", 1 / 2),
        ("defect-recall", 1 / 2),
        ("defect-f1", 1 / 2),
        ("nondefect-precision", 1 / 2),
        ("macro-f1", 1 / 2),
        ("spearman", 0.4),
    ],
)
def test_values_worked_by_hand(tmp_path, metric, value):
    """a, b, c, e are scored. tp: a; fn: c; fp: e; tn: b.

    Ranks of the judge 1, 4, 3, 2 and of the people 1, 3, 2, 4: squared differences 0, 1, 1, 4,
    so 1 - 6 * 6 / (4 * 15) = 0.4.
    """
    found = one(tmp_path, metric)
    assert found["value"] == pytest.approx(value, abs=1e-12)
    assert (found["n"], found["kind"]) == (4, "measured")
    assert found["excluded"] == [("too_long", 1)]


def test_pearson_is_that_of_scores_and_means(tmp_path):
    expected = np.corrcoef([2.0, 4.5, 3.5, 2.5], [2, 13 / 3, 3, 5])[0, 1]
    assert one(tmp_path, "pearson")["value"] == pytest.approx(expected, abs=1e-12)


def test_a_cell_says_what_it_is_made_of(tmp_path):
    found = one(tmp_path, "defect-f1")
    parameters = json.loads(found["parameters"])
    assert parameters == {**RULES, "label_rule": "mean", "replicates": "mean-of-metrics"}
    roles = {s["role"]: s for s in found["selections"]}
    assert roles.keys() == {"judge", "human"}
    assert roles["judge"]["n"] == 4
    assert roles["human"]["n"] == sum(len(PEOPLE[i]) for i in SCORES)


def members(cell) -> list[str]:
    return [s["members_sha256"] for s in cell["selections"]]


def test_a_cell_changes_its_members_with_a_member_and_with_nothing_else(tmp_path):
    before = members(one(tmp_path / "0", "spearman"))
    judged = members(one(tmp_path / "1", "spearman", scores={**SCORES, "b": 4.6}))
    assert judged[0] != before[0] and judged[1] == before[1]
    rated = members(one(tmp_path / "2", "spearman", people={**PEOPLE, "b": (4, 5, 5)}))
    assert rated[0] == before[0] and rated[1] != before[1]
    elsewhere = members(one(tmp_path / "3", "spearman", people={**PEOPLE, "z": (5, 5)}))
    assert elsewhere == before


def test_the_same_folder_gives_the_same_cells(tmp_path):
    assert one(tmp_path / "0", "spearman") == one(tmp_path / "1", "spearman")


REPLICATES = [rating(i, s, replicate=r) for r, scores in enumerate(((1, 2, 3), (1, 3, 2)))
              for i, s in zip("abc", scores, strict=True)]  # fmt: skip


def test_random_rows_both_ways(tmp_path):
    """People rank a, b, c as 1, 2, 3: the draws give 1 and 0.5, the mean ratings 1, 2.5, 2.5."""
    people = {"a": (1,), "b": (2,), "c": (3,)}
    root = tmp_path
    found = results(root, people=people)
    write(root, JUDGE.file, "ratings", *REPLICATES)
    pooled = JudgeAgainstHuman(JUDGE, HUMAN, "mean", "mean-rating")
    specs = (spec("each", "spearman"), spec("mean", "spearman", pooled))
    declaration = Declaration("study_table", specs, Description("t", ()))
    each, mean = build_cells(declaration, found, Printed.of([]), BOOTSTRAP).to_pylist()
    assert each["value"] == pytest.approx(0.75)
    assert mean["value"] == pytest.approx(np.sqrt(3) / 2)
    assert each["n"] == mean["n"] == 3


def test_a_ceiling_of_single_ratings_is_empty_with_its_reason(tmp_path):
    people = {"a": (1,), "b": (4,), "c": (3,)}
    found = one(tmp_path, "spearman", HumanCeiling(HUMAN, JUDGE), people=people)
    assert (found["value"], found["ci_low"], found["n"]) == (None, None, 0)
    assert found["reason"] == "one rating an item: nobody to compare it with"


def test_an_undefined_value_is_null_with_its_reason_and_never_zero(tmp_path):
    found = one(tmp_path, "spearman", scores=dict.fromkeys(SCORES, 3.0))
    assert found["value"] is None and found["reason"]
    nobody = one(tmp_path, "defect-f1", scores=dict.fromkeys(SCORES))
    assert nobody["value"] is None and nobody["reason"]
    assert nobody["excluded"] == [("too_long", len(SCORES))]


def test_an_interval_holds_its_value(tmp_path):
    rng = np.random.default_rng(3)
    scores = {f"i{n}": float(s) for n, s in enumerate(rng.uniform(1, 5, 40))}
    people = {i: (int(np.clip(round(s + rng.normal()), 1, 5)),) for i, s in scores.items()}
    found = one(tmp_path, "spearman", scores=scores, people=people)
    assert found["ci_low"] < found["value"] < found["ci_high"]
    assert found["reason"] is None


@pytest.mark.parametrize(
    ("printed", "comparison", "verdict"),
    [
        ("50%", Comparison("same-ratings"), "reproduced"),
        ("52%", Comparison("same-ratings"), "differs"),
        ("50%", Comparison("none", reason="another judge"), "not comparable"),
        ("50%", None, ""),
        ("", Comparison("same-ratings"), ""),
    ],
)
def test_a_cell_stands_beside_its_print(tmp_path, printed, comparison, verdict):
    found = one(
        tmp_path, "defect-rate", comparison=comparison, printed=[("table", "row", "c", printed)]
    )
    assert found["verdict"] == verdict
    assert found["published"] == (printed or None)
    assert found["published_source"] == ("p. 1" if printed else None)


def test_a_dropped_zero_is_read_with_the_digits_of_its_column(tmp_path):
    """One digit beside others of two stands for two digits: the rounding is then finer."""
    value = one(tmp_path / "0", "pearson")["value"]
    short = f"{value:.1f}"
    assert 0.005 < abs(value - float(short)) < 0.05
    comparison = Comparison("same-ratings")
    alone = [("table", "row", "c", short)]
    beside = [*alone, ("table", "x", "c", "0.41"), ("table", "y", "c", "0.42")]
    verdicts = [
        one(tmp_path / str(n), "pearson", comparison=comparison, printed=printed)["verdict"]
        for n, printed in enumerate((alone, beside))
    ]
    assert verdicts == ["reproduced", "differs"]


LEDGER = Ledger(JUDGE, ANSWERS)


@pytest.mark.parametrize(
    ("metric", "value"),
    [("items-scored", 4.0), ("prompts-cut", 1 / 5), ("items-cut", 0.0), ("rating-mass", None)],
)
def test_ledger_cells_count_answers(tmp_path, metric, value):
    found = one(tmp_path, metric, LEDGER)
    assert (found["kind"], found["value"], found["ci_low"]) == ("ledger", value, None)
    assert found["n"] == 5


def test_other_prompts_that_share_a_request_are_not_counted(tmp_path):
    found = results(tmp_path)
    rows = [answer(f"r-{i}", turns_dropped=int(i == "a")) for i in SCORES]
    twins = [answer("r-a", prompt_id=f"other-{n}", turns_dropped=1) for n in range(5)]
    write(tmp_path, ANSWERS, "answers", *rows, *twins)
    declaration = Declaration("s_t", (spec("cut", "prompts-cut", LEDGER),), Description("t", ()))
    (cell,) = build_cells(declaration, found, Printed.of([]), BOOTSTRAP).to_pylist()
    assert cell["value"] == pytest.approx(1 / 5)


def test_rows_and_columns_keep_the_order_of_the_declaration(tmp_path):
    specs = [spec(c, "spearman", row=r) for r in ("z", "a") for c in ("second", "first")]
    found = built(tmp_path, *specs)
    places = {key: (cell["row_order"], cell["column_order"]) for key, cell in found.items()}
    assert places == {("z", "second"): (0, 0), ("z", "first"): (0, 1),
                      ("a", "second"): (1, 0), ("a", "first"): (1, 1)}  # fmt: skip


def test_a_value_of_another_table_of_the_study_is_never_taken(tmp_path):
    comparison = Comparison("same-ratings")
    elsewhere = [("other", "row", "c", "50%")]
    found = one(tmp_path, "defect-rate", comparison=comparison, printed=elsewhere)
    assert (found["published"], found["verdict"]) == (None, "")


def test_a_cell_that_is_declared_twice_is_an_error(tmp_path):
    with pytest.raises(RetrialError, match="row / c is declared twice"):
        built(tmp_path, spec("c", "spearman"), spec("c", "pearson"))

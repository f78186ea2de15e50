"""The declarations of jia2024 Tables 1, 3, 4 and of judge against judge, and their cells."""

import csv
from pathlib import Path

import numpy as np
import pytest
from dialogue_folder import BINARY, CONDITIONS, PEOPLE, SMALL, folder, job, write_answers
from scipy import stats
from sklearn.metrics import accuracy_score, precision_recall_fscore_support

from retrial.errors import RetrialError
from retrial.metrics import REGISTRY
from retrial.metrics.multiple import holm
from retrial.published import load_published
from retrial.record import ContractError
from retrial.tables import declaration_of
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.declare import Holm, JudgeDifference, Ledger, NotAtHand, Stated
from retrial.tables.jia2024_table3 import PRINTED
from retrial.tables.render.csv import render_csv
from retrial.tables.render.html import render_html
from retrial.tables.select import Results

ROOT = Path(__file__).parents[2]
PUBLISHED = {
    n: load_published(ROOT / "data" / "published" / f"jia2024_table{n}.csv") for n in (1, 3, 4)
}
TUNING = {
    "experiments": ["tuning", "tuning-binary"],
    "conditions": ["zero-shot", "zero-shot-binary"],
    "only": {"large": ["tuning"]},
}
ORDERS = {"experiments": ["cot-order"], "conditions": ["rating-first", "analysis-first"]}
SPECS = {
    "jia2024_table1": {},
    "jia2024_table3": TUNING,
    "jia2024_table4": ORDERS,
    "jia2024_judges": TUNING,
}
MEANS = {i: np.mean(given) for people in PEOPLE.values() for i, given in people.items()}
TESTED = "abcdefg"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return folder(tmp_path_factory.mktemp("results"))


def declared(table, **spec):
    return declaration_of(job(table, **{**SPECS[table], **spec}))


def cells_of(root, wanted):
    statistics = wanted["statistics"]
    bootstrap = Bootstrap(statistics["resamples"], statistics["level"], statistics["seed"])
    number = wanted["table"][-1]
    printed = Printed.of(PUBLISHED.get(int(number), []) if number.isdigit() else [])
    declaration = declaration_of(wanted)
    table = build_cells(declaration, Results(root), printed, bootstrap)
    assert declaration.description.title in render_html(table, declaration.description)
    assert len(list(csv.reader(render_csv(table).splitlines()))) == table.num_rows + 1
    return {(row["row"], row["column"]): row for row in table.to_pylist()}


def published_job(table, **spec):
    """The table of judges that carry the names in print."""
    wanted = job(table, **{**SPECS[table], **spec})
    wanted["judges"] = {"small": "Llama-7b", "large": "Llama-7b-sft-small"}
    return wanted


@pytest.mark.parametrize("table", SPECS)
def test_no_cell_is_declared_twice_and_every_metric_exists(table):
    cells = declared(table).cells
    assert len({(c.row, c.column) for c in cells}) == len(cells) > 0
    plain = (Ledger, NotAtHand, Stated, Holm)
    assert {c.metric for c in cells if not isinstance(c.sample, plain)} <= REGISTRY.keys()


@pytest.mark.parametrize("table", SPECS)
def test_what_is_declared_is_described(table):
    found = declared(table)
    groups = {key for group in found.description.groups for key, _ in group.columns}
    shown = groups | {key for key, _ in found.description.ledger_columns}
    assert shown == {c.column for c in found.cells}
    assert found.description.reference_rows <= {c.row for c in found.cells}


@pytest.mark.parametrize("table", SPECS)
@pytest.mark.parametrize("name", ["judges", "datasets", "conditions", "experiments"])
def test_an_empty_list_is_named(table, name):
    with pytest.raises(RetrialError, match=rf"tables\.{table}: list at least one of {name}"):
        wanted = job(table, **SPECS[table])
        wanted["spec"][name] = []
        declaration_of(wanted)


def test_ratings_that_are_not_there_are_named(tmp_path):
    root = folder(tmp_path)
    (root / "ratings/large/two/tuning.parquet").unlink()
    with pytest.raises(ContractError, match=r"ratings/large/two/tuning\.parquet"):
        cells_of(root, job("jia2024_table1"))


# Table 1.


def test_table1_is_one_row_a_judge_on_all_items(root):
    cells = cells_of(root, job("jia2024_table1"))
    assert list(dict.fromkeys(row for row, _ in cells)) == [
        "Small-1b", "Large-10b", "Human ceiling", "Constant"
    ]  # fmt: skip
    scored = [i for i in TESTED if SMALL[i] is not None]
    expected = stats.spearmanr([SMALL[i] for i in scored], [MEANS[i] for i in scored]).statistic
    assert cells["Small-1b", "spearman"]["value"] == pytest.approx(expected, abs=1e-12)
    assert cells["Small-1b", "items_scored"]["value"] == 6
    assert cells["Human ceiling", "spearman"]["n"] == len(TESTED)
    assert cells["Constant", "pearson"]["reason"] == "the first scores are all equal"


def test_table1_states_the_size_of_each_judge(root):
    cells = cells_of(root, job("jia2024_table1"))
    assert cells["Large-10b", "parameters_billion"]["value_text"] == "10"
    unknown = cells["Small-1b", "parameters_billion"]
    assert (unknown["value_text"], unknown["reason"]) == (None, "the configuration states no size")


@pytest.mark.parametrize("table", ["jia2024_table1", "jia2024_table3"])
def test_print_stands_beside_a_judge_that_it_names_and_is_never_compared(root, table):
    cells = cells_of(root, published_job(table))
    found = cells["Llama-7b", "pearson"]
    assert (found["published"], found["verdict"]) == ("0.03", "not comparable")
    assert "Amazon" in found["verdict_reason"]
    verdicts = {c["verdict"] for c in cells.values()}
    assert verdicts == {"", "not comparable"}
    assert {row for (row, _), c in cells.items() if c["published"]} <= set(PRINTED)


# Table 3.


def test_table3_rows_are_the_judges_in_each_way_in_which_they_were_asked():
    rows = list(dict.fromkeys(c.row for c in declared("jia2024_table3").cells))
    assert rows == [
        "Small-1b", "Small-1b / Zero-shot-binary", "Large-10b", "Human ceiling", "Constant"
    ]  # fmt: skip


def test_table3_has_every_row_and_column_of_the_paper():
    assert {v.row for v in PUBLISHED[3]} == PRINTED
    columns = {c.column for c in declaration_of(published_job("jia2024_table3")).cells}
    assert {v.column for v in PUBLISHED[3]} <= columns


def test_table3_scores_a_binary_judge_by_its_probability(root):
    """Defects: a, c, e (means 2, 3, 1.5). Predicted below .5: a, e, f; c at .5 is none."""
    cells = cells_of(root, job("jia2024_table3", **TUNING))
    row = "Small-1b / Zero-shot-binary"
    truth = [MEANS[i] <= 3 for i in TESTED]
    predicted = [BINARY[i] < 0.5 for i in TESTED]
    precision, recall, f1, _ = precision_recall_fscore_support(
        truth, predicted, average="binary", pos_label=True
    )
    assert (precision, recall) == (2 / 3, 2 / 3)
    for column, value in {"precision": precision, "recall": recall, "f1": f1,
                          "accuracy_binary": accuracy_score(truth, predicted)}.items():  # fmt: skip
        assert cells[row, column]["value"] == pytest.approx(value, abs=1e-12)
    expected = stats.pearsonr([BINARY[i] for i in TESTED], [MEANS[i] for i in TESTED]).statistic
    assert cells[row, "pearson"]["value"] == pytest.approx(expected, abs=1e-12)
    likert = cells[row, "accuracy_likert"]
    assert (likert["value"], likert["kind"]) == (None, "published")
    assert likert["reason"] == "asked for 0 or 1, not for a rating from 1 to 5"


def test_table3_scores_a_likert_judge_by_its_rating(root):
    """Scores 2, 4.5, 3.5, 2.9, 1.2, 4 round to 2, 5, 4, 3, 1, 4; people to 2, 4, 3, 5, 2, 5."""
    cells = cells_of(root, job("jia2024_table3", **TUNING))
    assert cells["Small-1b", "accuracy_likert"]["value"] == pytest.approx(1 / 6)
    assert cells["Small-1b", "accuracy_binary"]["value"] == pytest.approx(4 / 6)


def test_a_judge_asked_on_another_scale_gives_no_number(tmp_path):
    root = folder(tmp_path)
    rows = list(BINARY.items())
    write_answers(root, "small", "tuning-binary", rows, condition="zero-shot-binary", scale="1-5")
    cells = cells_of(root, job("jia2024_table3", **TUNING))
    found = cells["Small-1b / Zero-shot-binary", "pearson"]
    assert (found["value"], found["reason"]) == (None, "no items")


def test_the_printed_f1_micro_is_shown_and_not_identifiable(root):
    cells = cells_of(root, published_job("jia2024_table3"))
    found = cells["Llama-7b", "f1_micro"]
    assert (found["value"], found["published"], found["verdict"]) == (
        None,
        "0.33",
        "not comparable",
    )
    assert found["verdict_reason"].startswith("not identifiable")
    assert not {c.column for c in declared("jia2024_table3").cells} & {"f1_micro"}


def test_table3_names_the_judges_whose_training_set_saw_test_labels():
    notes = " ".join(declared("jia2024_table3").description.notes)
    assert "looks at test labels (here: Large-10b)" in notes
    wanted = job("jia2024_table3", **TUNING)
    wanted["tunings"] = {"large": {"draw": "random"}}
    notes = " ".join(declaration_of(wanted).description.notes)
    assert "looks at test labels (here: no judge)" in notes


def test_a_judge_that_the_table_asks_nothing_is_named():
    with pytest.raises(RetrialError, match="large is asked in none of the table's conditions"):
        declared("jia2024_table3", conditions=["zero-shot-binary"])


# Table 4.

SAMPLES = {
    "a": (1.0, 2.0), "b": (4.0, None), "c": (3.0, 4.0), "d": (5.0, 4.0),
    "e": (None, None), "f": (4.0, 5.0), "g": (2.0, 2.0),
}  # fmt: skip


def ordered(root):
    folder(root)
    for judge in ("small", "large"):
        rows = [(i, score) for i, scores in SAMPLES.items() for score in scores]
        about = {"condition": "rating-first", "reading": "robust", "rating_mass": None}
        write_answers(root, judge, "cot-order", rows, **about)
    return root


def test_table4_scores_an_item_by_the_mean_of_its_answers(tmp_path):
    alone = {**ORDERS, "conditions": ["rating-first"], "judges": ["small"]}
    wanted = job("jia2024_table4", **alone)
    cells = cells_of(ordered(tmp_path), wanted)
    means = {i: np.mean([s for s in v if s is not None]) for i, v in SAMPLES.items() if any(v)}
    expected = stats.spearmanr(list(means.values()), [MEANS[i] for i in means]).statistic
    assert cells["Rating-first", "spearman"]["value"] == pytest.approx(expected, abs=1e-12)
    counts = {c: cells["Rating-first", c]["value"] for c in
              ("items_scored", "answers_read", "answers_failed", "answers_cut")}  # fmt: skip
    assert counts == {"items_scored": 6, "answers_read": 11, "answers_failed": 3,
                      "answers_cut": pytest.approx(3 / 14)}  # fmt: skip


def test_table4_names_the_rows_as_the_paper_does_for_the_first_judge():
    rows = list(dict.fromkeys(c.row for c in declared("jia2024_table4").cells))
    assert rows == [
        "Rating-first", "Analysis-first", "Rating-first / Large-10b", "Analysis-first / Large-10b",
        "Human ceiling", "Constant",
    ]  # fmt: skip
    named = declared("jia2024_table4", published_judge="large")
    cells = {(c.row, c.column): c for c in named.cells}
    assert cells["Rating-first", "spearman"].sample.judge[0].file.startswith("ratings/large/")
    assert "Rating-first / Small-1b" in {c.row for c in named.cells}
    assert {(v.row, v.column) for v in PUBLISHED[4]} <= cells.keys()
    assert {c.comparison.kind for c in cells.values() if c.comparison} == {"none"}


def test_generated_answers_are_read_by_the_robust_parser_unless_said_otherwise():
    def reading(**spec):
        sample = declared("jia2024_table4", **spec).cells[0].sample
        return dict(sample.judge[0].where)["reading"]

    assert reading() == "robust"
    assert reading(reading="chiang2023") == "chiang2023"


@pytest.mark.parametrize("table", ["jia2024_table1", "jia2024_table4"])
def test_a_table_of_one_experiment_refuses_two(table):
    with pytest.raises(RetrialError, match=rf"{table}\.experiments: this table shows one"):
        declared(table, experiments=["cot-order", "tuning"])


# Judge against judge.


def test_every_pair_of_judges_is_compared_once():
    cells = declared("jia2024_judges").cells
    assert list(dict.fromkeys(c.row for c in cells)) == [
        "Small-1b, Zero-shot / Small-1b, Zero-shot-binary",
        "Small-1b, Zero-shot / Large-10b, Zero-shot",
        "Small-1b, Zero-shot-binary / Large-10b, Zero-shot",
    ]
    plain = declared("jia2024_judges", experiments=["tuning"], conditions=["zero-shot"], only={})
    assert {c.row for c in plain.cells} == {"Small-1b / Large-10b"}
    sample = plain.cells[0].sample
    assert isinstance(sample, JudgeDifference)
    assert [s.file for s in sample.other] == [
        "ratings/large/one/tuning.parquet", "ratings/large/two/tuning.parquet"
    ]  # fmt: skip


def test_p_values_are_corrected_over_the_whole_table(root):
    cells = cells_of(root, job("jia2024_judges", **TUNING))
    keys = [key for key in cells if key[1].endswith("_p")]
    assert len(keys) == 3 * 2
    for (row, column), adjusted in zip(keys, holm([cells[k]["value"] for k in keys]), strict=True):
        assert cells[row, f"{column}_holm"]["value"] == pytest.approx(adjusted)
    assert all(cells[key]["n"] == cells[key[0], "items_compared"]["value"] for key in keys)


def test_enough_resamples_for_a_small_corrected_p():
    cells = declared("jia2024_judges").cells
    family = sum(c.column.endswith("_p") for c in cells)
    assert {c.resamples for c in cells if isinstance(c.sample, JudgeDifference)} == {300}
    assert family * 2 / 300 <= 0.04


def test_one_judge_in_one_condition_has_nobody_to_be_compared_with():
    with pytest.raises(RetrialError, match="list two judges, or one in two conditions"):
        declared("jia2024_judges", judges=["small"], conditions=["zero-shot"],
                 experiments=["tuning"], only={})  # fmt: skip


def test_conditions_of_the_folder_are_those_of_the_tables():
    assert {c for spec in SPECS.values() for c in spec.get("conditions", [])} <= CONDITIONS.keys()

"""Selections: which rows they take, and the digest that commits to them."""

import json

import numpy as np
import pytest
from core_rows import human, item, rating, write
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrial.errors import RetrialError
from retrial.record import RATINGS, ContractError, from_rows
from retrial.tables.declare import Selection
from retrial.tables.select import Results, Selected

FILE = "ratings/j/d/e.parquet"
ZERO = Selection("judge", FILE, (("condition", "zero-shot"), ("reading", "expectation")))
HUMAN = Selection("human", "ratings/human/d.parquet")
ROWS = [
    rating("a", 2.0),
    rating("b", 4.5),
    rating("c", None),
    rating("a", 9.0, reading="log-literal"),
    rating("a", 3.0, condition="bm25-1"),
]


@pytest.fixture
def results(tmp_path):
    write(tmp_path, FILE, "ratings", *ROWS)
    people = [
        human(i, r, s) for i, r, s in [("a", "1", 1), ("a", "2", 3), ("b", "1", 5), ("z", "1", 4)]
    ]
    write(tmp_path, HUMAN.file, "ratings", *people)
    items = [
        item("a", strata=[("writer", "human")]),
        item("b", "train", strata=[("writer", "gpt2")]),
        item("z", strata=[("writer", "human")]),
    ]
    write(tmp_path, "items/d.parquet", "items", *items)
    return Results(tmp_path)


def test_rows_are_those_whose_columns_equal_the_filter(results):
    selected = results.select(ZERO)
    assert selected.item_ids == ["a", "b", "c"]
    assert selected.used["score"].to_pylist() == [2.0, 4.5]
    assert selected.excluded == {"no_rating_token": 1}


def test_split_and_strata_come_from_the_items(results):
    def picked(**about):
        return results.select(Selection("human", HUMAN.file, items="items/d.parquet", **about))

    assert picked(split="test").item_ids == ["a", "z"]
    assert picked(split="train").item_ids == ["b"]
    assert picked(strata=(("writer", "gpt2"),)).item_ids == ["b"]
    assert picked(strata=(("writer", "nobody"),)).item_ids == []


def test_only_items_that_the_judge_was_asked_about_and_the_record_says_so(results):
    kept = results.select_rated_by(HUMAN, ZERO)
    assert kept.item_ids == ["a", "b"]
    said = json.loads(kept.record()["filter"])
    assert said["items_of"] == {"file": FILE, "where": dict(ZERO.where)}
    assert "items_of" not in json.loads(results.select(HUMAN).record()["filter"])


def test_the_record_of_a_selection(results):
    record = results.select(ZERO).record()
    assert (record["role"], record["file"], record["n"]) == ("judge", FILE, 2)
    assert json.loads(record["filter"]) == {"where": dict(ZERO.where)}


def test_a_matrix_is_raters_by_items_in_the_order_asked_for(results):
    values = results.select(HUMAN).matrix(["b", "x", "a"]).values
    np.testing.assert_array_equal(values, [[5, np.nan, 1], [np.nan, np.nan, 3]])
    np.testing.assert_array_equal(
        results.select(HUMAN).mean_scores(["b", "x", "a"]), [5, np.nan, 2]
    )


def test_a_matrix_of_nothing_has_one_empty_row(results):
    nobody = results.select(Selection("human", HUMAN.file, (("rater", "9"),)))
    assert nobody.matrix(["a", "b"]).values.shape == (1, 2)
    assert np.isnan(nobody.matrix(["a", "b"]).values).all()


def test_two_readings_are_never_mixed_into_one_score(results):
    loose = results.select(Selection("judge", FILE, (("condition", "zero-shot"),)))
    with pytest.raises(RetrialError, match="several ratings of one item"):
        loose.matrix(["a", "b"])


def test_replicates_and_samples_are_rows_of_their_own(tmp_path):
    rows = [rating("a", float(r + 1), replicate=r, sample=s) for r in range(2) for s in range(2)]
    write(tmp_path, FILE, "ratings", *rows)
    selected = Results(tmp_path).select(ZERO)
    assert selected.replicates == [0, 1]
    assert selected.matrix(["a"]).values.shape == (4, 1)
    assert selected.replicate(1).mean_scores(["a"]).tolist() == [2.0]
    assert selected.mean_scores(["a"]).tolist() == [1.5]


def test_a_missing_file_says_what_to_run(tmp_path):
    with pytest.raises(ContractError, match="run the rule that makes it"):
        Results(tmp_path).select(ZERO)


MEMBERS = [rating("a", 2.0), rating("b", 4.5), rating("c", None)]


def digest(rows) -> str:
    return Selected(ZERO, from_rows(rows, RATINGS)).members_sha256


@given(st.permutations(MEMBERS))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_digest_of_members_does_not_depend_on_their_order(rows):
    assert digest(rows) == digest(MEMBERS)


@pytest.mark.parametrize(
    "change",
    [{"score": 2.0000000001}, {"item_id": "x"}, {"attribute": "x"}, {"condition": "x"},
     {"replicate": 1}, {"sample": 1}, {"rater": "x"}, {"reading": "x"}, {"judge": "x"},
     {"score": None, "status": "refusal"}],
)  # fmt: skip
def test_any_change_of_a_member_changes_the_digest(change):
    assert digest([{**MEMBERS[0], **change}, *MEMBERS[1:]]) != digest(MEMBERS)


def test_one_member_more_or_less_changes_the_digest():
    assert len({digest(MEMBERS[:n]) for n in range(4)}) == 4


@pytest.mark.parametrize("change", [{"reason": "low"}, {"rating_mass": 0.5}, {"request_id": "z"}])
def test_remarks_on_a_member_do_not_change_the_digest(change):
    assert digest([{**MEMBERS[0], **change}, *MEMBERS[1:]]) == digest(MEMBERS)


def test_an_edit_elsewhere_in_the_file_leaves_the_selection_as_it_was(tmp_path):
    write(tmp_path / "one", FILE, "ratings", *ROWS)
    write(tmp_path / "two", FILE, "ratings", *ROWS[:4], rating("a", 5.0, condition="bm25-1"))
    one, two = (Results(tmp_path / name).select(ZERO) for name in ("one", "two"))
    assert one.members_sha256 == two.members_sha256

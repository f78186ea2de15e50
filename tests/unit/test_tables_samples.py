"""From declared samples to arrays: who is paired with whom, and why there may be nobody."""

import numpy as np
import pytest
from core_rows import human, item, rating, write

from retrial.tables.declare import (
    Constant,
    HumanCeiling,
    JudgeAgainstHuman,
    RaterMatrix,
    Selection,
    WriterGroups,
)
from retrial.tables.samples import draw
from retrial.tables.select import Results

JUDGE = Selection("judge", "ratings/j/d/e.parquet", (("reading", "expectation"),))
HUMAN = Selection("human", "ratings/human/d.parquet")
TEST = Selection("human", HUMAN.file, (), "items/d.parquet", "test")
TRAIN = Selection("training", HUMAN.file, (), "items/d.parquet", "train")
PEOPLE = {"a": (1, 2, 3), "b": (4, 4, 5), "c": (3, 3, 3), "d": (5, 4, 5), "t": (5, 5), "u": (2,)}


def folder(root, ratings, people=PEOPLE):
    write(root, JUDGE.file, "ratings", *ratings)
    rows = [human(i, str(n), s) for i, scores in people.items() for n, s in enumerate(scores)]
    write(root, HUMAN.file, "ratings", *rows)
    items = [item(i, "train" if i in "tuv" else "test") for i in people]
    write(root, "items/d.parquet", "items", *items)
    return Results(root)


def test_pairs_are_joined_by_item_and_the_unasked_are_no_members(tmp_path):
    results = folder(tmp_path, [rating("c", 3.5), rating("a", 2.0), rating("b", None)])
    drawn = draw(JudgeAgainstHuman(JUDGE, TEST, "mean"), results)
    (pairs,) = drawn.samples
    np.testing.assert_allclose(pairs.first, [2.0, np.nan, 3.5])
    np.testing.assert_allclose(pairs.second, [2.0, 13 / 3, 3.0])
    judge, people = drawn.selected
    assert judge.item_ids == people.item_ids == ["a", "b", "c"]
    assert drawn.excluded == {"no_rating_token": 1}
    assert drawn.parameters == {"label_rule": "mean", "replicates": "mean-rating"}


def test_the_label_rule_reaches_the_labels(tmp_path):
    results = folder(tmp_path, [rating("a", 2.0), rating("b", 4.0)])
    (pairs,) = draw(JudgeAgainstHuman(JUDGE, TEST, "max"), results).samples
    assert pairs.second.tolist() == [3.0, 5.0]


DRAWS = [rating(i, s + r, replicate=r) for i, s in (("a", 1.0), ("b", 3.0)) for r in (0, 1)]


def test_several_draws_of_examples_are_one_sample_each_or_their_mean(tmp_path):
    results = folder(tmp_path, DRAWS)
    each = draw(JudgeAgainstHuman(JUDGE, TEST, "mean", "mean-of-metrics"), results)
    assert [p.first.tolist() for p in each.samples] == [[1.0, 3.0], [2.0, 4.0]]
    assert all(p.second.tolist() == each.samples[0].second.tolist() for p in each.samples)
    (mean,) = draw(JudgeAgainstHuman(JUDGE, TEST, "mean", "mean-rating"), results).samples
    assert mean.first.tolist() == [1.5, 3.5]


def test_a_draw_that_misses_an_item_keeps_its_place(tmp_path):
    results = folder(tmp_path, DRAWS[:3])
    each = draw(JudgeAgainstHuman(JUDGE, TEST, "mean", "mean-of-metrics"), results)
    np.testing.assert_array_equal(each.samples[1].first, [2.0, np.nan])


def test_a_judge_that_was_asked_nothing_says_so(tmp_path):
    for replicates in ("mean-of-metrics", "mean-rating"):
        spec = JudgeAgainstHuman(JUDGE, TEST, "mean", replicates)
        assert draw(spec, folder(tmp_path, [])).reason == "no items"


def test_the_ceiling_is_one_rater_against_the_mean_of_the_others(tmp_path):
    drawn = draw(HumanCeiling(TEST, JUDGE), folder(tmp_path, [rating("a", 1.0), rating("b", 1.0)]))
    possible = {"a": {(1, 2.5), (2, 2.0), (3, 1.5)}, "b": {(4, 4.5), (5, 4.0)}}
    seen = {"a": set(), "b": set()}
    for pairs in drawn.samples:
        for place, name in enumerate("ab"):
            seen[name].add((float(pairs.first[place]), float(pairs.second[place])))
    assert seen == possible
    assert [s.selection.role for s in drawn.selected] == ["human"]


def test_with_one_rating_an_item_there_is_no_ceiling(tmp_path):
    people = {"a": (1,), "b": (4,)}
    drawn = draw(HumanCeiling(TEST, JUDGE), folder(tmp_path, [rating("a", 1.0)], people))
    assert not drawn.samples
    assert drawn.reason == "one rating an item: nobody to compare it with"


@pytest.mark.parametrize(
    ("training", "score"),
    [({"t": (5, 5), "u": (2,)}, 3.0), ({"t": (5,), "u": (4,), "v": (1,)}, 4.0)],
)
def test_the_constant_is_the_majority_class_of_the_training_split(tmp_path, training, score):
    """Half of them defects counts as a majority of defects."""
    people = {"a": (1, 1), "b": (5,), **training}
    results = folder(tmp_path, [rating("a", 1.0), rating("b", 2.0)], people)
    drawn = draw(Constant(TEST, JUDGE, TRAIN, "mean", 3.0), results)
    (pairs,) = drawn.samples
    assert pairs.first.tolist() == [score, score]
    assert pairs.second.tolist() == [1.0, 5.0]
    assert drawn.parameters["constant"] == score


def test_without_a_training_split_there_is_no_constant(tmp_path):
    people = {"a": (1, 1), "b": (5,)}
    drawn = draw(
        Constant(TEST, JUDGE, TRAIN, "mean", 3.0), folder(tmp_path, [rating("a", 1.0)], people)
    )
    assert drawn.reason == "no rated item in the training split"


def test_a_matrix_holds_all_raters_and_two_groups_need_not_correspond(tmp_path):
    results = folder(tmp_path, [rating("a", 1.0)])
    (matrix,) = draw(RaterMatrix(TEST), results).samples
    assert matrix.values.shape == (3, 4)
    (groups,) = draw(WriterGroups(TEST, TRAIN), results).samples
    assert (groups.first.items, groups.second.items) == (4, 2)

"""Training sets: labels by hand, what is never drawn, and what is refused."""

import numpy as np
import pyarrow as pa
import pytest
from core_rows import human, item, turns

from retrial.config import TrainingSet
from retrial.errors import RetrialError
from retrial.items.build import build_items
from retrial.record import ITEMS, RATINGS, from_rows
from retrial.tuning.labels import item_labels
from retrial.tuning.training_set import Drawn, LabelRule, draw_training_set


def people(scores: dict[str, list[float]], **fields: object) -> pa.Table:
    return from_rows(
        (human(i, f"r{n}", s, **fields) for i, found in scores.items()
         for n, s in enumerate(found)), RATINGS,
    )  # fmt: skip


def items_of(ids: list[str], split: str, **fields: object) -> list[dict[str, object]]:
    return [item(i, split, **fields) for i in ids]


def pool(train: dict[str, list[float]], test: dict[str, list[float]]) -> tuple[pa.Table, pa.Table]:
    rows = [*items_of(list(train), "train"), *items_of(list(test), "test")]
    return from_rows(rows, ITEMS), people({**train, **test})


def draw(items: pa.Table, ratings: pa.Table, /, **spec: object) -> Drawn:
    made = TrainingSet.model_validate({"datasets": ["d"], "label": "", **spec})
    return draw_training_set("s", made, [items], [ratings], LabelRule())


def test_labels_by_hand():
    """Mean of 3 and 4 is 3.5: rounded half up 4, and no defect; 3, 3, 3 is one."""
    found = item_labels(
        people({"a": [3, 4], "b": [3, 3, 3], "c": [2, 3], "d": [5], "e": [4, 3, 3]}), "d", "mean", 3
    )
    assert {i: (v.mean, v.likert, v.binary) for i, v in found.items()} == {
        "a": (3.5, 4, 1), "b": (3.0, 3, 0), "c": (2.5, 3, 0), "d": (5.0, 5, 1),
        "e": (10 / 3, 3, 1),
    }  # fmt: skip


def test_the_rule_decides_the_binary_label_and_no_other():
    ratings = people({"a": [1, 4, 4], "b": [2, 2, 5], "c": [3, 3]})
    mean, most = (item_labels(ratings, "d", rule, 3) for rule in ("mean", "majority"))
    assert [mean[i].binary for i in "abc"] == [0, 0, 0]
    assert [most[i].binary for i in "abc"] == [1, 0, 0]
    assert [item_labels(ratings, "d", "max", 3)[i].binary for i in "abc"] == [1, 1, 0]
    assert [mean[i].likert for i in "abc"] == [most[i].likert for i in "abc"] == [3, 3, 3]
    assert item_labels(ratings, "d", "first", 2.5)["c"].binary == 1


def test_other_attributes_and_missing_scores_are_no_labels():
    table = pa.concat_tables([
        people({"a": [4]}), people({"a": [1]}, attribute="fluency"),
        from_rows([human("b", "r", None, status="no_number")], RATINGS),
    ])  # fmt: skip
    found = item_labels(table, "d", "mean", 3)
    assert {i: v.likert for i, v in found.items()} == {"a": 4}


def test_only_rated_training_items_are_drawn_and_never_a_copy_of_a_test_item():
    said = turns("Hello  There", "ok")
    rows = [
        *items_of(["a", "b"], "train"), item("unrated", "train"),
        item("copy", "train", turns=turns("hello there", "OK")), item("t", "test", turns=said),
    ]  # fmt: skip
    drawn = draw(from_rows(rows, ITEMS), people({"a": [1], "b": [5], "copy": [4], "t": [4]}))
    assert sorted(drawn.table["item_id"].to_pylist()) == ["a", "b"]
    assert drawn.facts["passed_over"] == {"unrated": 1, "copies_of_test_items": 1}
    assert drawn.facts["distance_to_test"] == 1.0
    assert not drawn.facts["looked_at_test_labels"]


@pytest.fixture
def big() -> tuple[pa.Table, pa.Table]:
    """100 training items of each label 1-5; test labels 4 (30 times) and 5 (10 times)."""
    train = {f"i{n:03}": [1 + n % 5] * 3 for n in range(500)}
    test = {f"t{n:03}": [4 + (n % 4 == 0)] for n in range(40)}
    return pool(train, test)


def test_near_test_has_the_distribution_of_the_test_split_and_says_so(big):
    drawn = draw(*big, draw="near-test", items=60)
    counts = np.bincount(drawn.table["likert"].to_numpy(), minlength=6)
    assert counts.tolist() == [0, 0, 0, 0, 45, 15]
    assert drawn.facts["distance_to_test"] == 0.0 and drawn.facts["looked_at_test_labels"]
    assert set(drawn.table["draw"].to_pylist()) == {"near-test"}
    assert drawn.table["order"].to_pylist() == list(range(60))


def test_near_test_comes_as_near_as_the_training_split_allows(big):
    """120 wanted: 90 of label 4 and 30 of 5. 200 wanted: 150 of 4, of which there are 100."""
    assert draw(*big, draw="near-test", items=120).facts["labels"] == {"4": 90, "5": 30}
    far = draw(*big, draw="near-test", items=200).facts
    assert far["labels"]["4"] == 100 and far["distance_to_test"] == pytest.approx(0.25)


def test_a_draw_does_not_depend_on_the_order_of_the_files(big):
    items, ratings = big
    backwards = [t.take(list(reversed(range(t.num_rows)))) for t in (items, ratings)]
    for how in ("random", "near-test"):
        spec = {"draw": how, "items": 50}
        assert draw(*big, **spec).table.equals(draw(*backwards, **spec).table)


def test_seeds_differ_and_a_small_random_draw_begins_the_large_one(big):
    small, large = (draw(*big, items=n).table["item_id"].to_pylist() for n in (50, 200))
    assert large[:50] == small
    assert draw(*big, items=50, seed=2).table["item_id"].to_pylist() != small
    whole = draw(*big, draw="all").table
    assert whole.num_rows == 500 == draw(*big).table.num_rows
    assert set(whole["label"].to_pylist()) == {1.0, 2.0, 3.0, 4.0, 5.0}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"items": 501}, "501 items are wanted and the training split has 500"),
        ({"draw": "all", "items": 3}, "leave out `items`"),
        ({"draw": "near-test"}, "needs `items`"),
    ],
)
def test_settings_that_cannot_be_met(big, spec, message):
    with pytest.raises(RetrialError, match=message):
        draw(*big, **spec)


def test_near_test_without_test_items():
    with pytest.raises(RetrialError, match="needs rated test items"):
        draw(*pool({"a": [1]}, {}), draw="near-test", items=1)


def test_a_dataset_that_nobody_rated_or_that_has_no_training_split_is_named():
    items, ratings = pool({"a": [1]}, {})
    with pytest.raises(RetrialError, match="dataset d has no human rating of overall"):
        draw(items, ratings.slice(0, 0))
    with pytest.raises(RetrialError, match="dataset d has no training items"):
        draw(*pool({}, {"t": [1]}))


@pytest.mark.parametrize("score", [0.0, 5.5, 7.0])
def test_a_rating_off_the_scale_is_named_with_its_line(score):
    items, _ = pool({"a": [1], "b": [1]}, {})
    ratings = from_rows(
        [human("a", "r", 3.0), human("b", "r", score) | {"source_line": 17}], RATINGS
    )
    with pytest.raises(RetrialError, match=f"item b, s/f line 17: the rating {score:g} is off"):
        draw(items, ratings)


def test_two_scales_in_one_dataset_are_refused():
    items, _ = pool({"a": [1], "b": [1]}, {})
    ratings = from_rows([human("a", "r", 3.0), human("b", "r", 1.0) | {"scale": "0-1"}], RATINGS)
    with pytest.raises(RetrialError, match="on the scales 0-1, 1-5"):
        draw(items, ratings)


def test_an_item_of_two_datasets_is_named():
    items, ratings = pool({"a": [1]}, {})
    spec = TrainingSet(datasets=["d", "e"], label="")
    with pytest.raises(RetrialError, match="item a is in d and in e"):
        draw_training_set("s", spec, [items, items], [ratings, ratings], LabelRule())


def test_an_item_twice_in_a_dataset_is_named():
    items, ratings = pool({"a": [1]}, {})
    with pytest.raises(RetrialError, match="item a stands twice"):
        draw(pa.concat_tables([items, items]), ratings)


@pytest.mark.realdata
def test_of_real_dialogues_only_near_test_is_near(mirror):
    from retrial.config import Dataset

    names = ("CCPE", "MWOZ", "ReDial", "SGD")
    tables = [
        build_items(
            f"uss-{name.lower()}",
            Dataset.model_validate({
                "reader": "uss", "label": name, "source": "uss", "files": [f"{name}.txt"],
                "raters": "positions", "split": {"test": 0.1, "seed": 2024},
            }),
            [mirror / "uss" / f"{name}.txt"],
        )
        for name in names
    ]  # fmt: skip
    made = {
        how: draw_training_set(
            "s",
            TrainingSet.model_validate({
                "datasets": [f"uss-{n.lower()}" for n in names], "label": "", "items": 450,
                "draw": how,
            }),
            [items for items, _ in tables], [ratings for _, ratings in tables], LabelRule(),
        )
        for how in ("random", "near-test")
    }  # fmt: skip
    for drawn in made.values():
        assert drawn.table.num_rows == 450
        test = {i for items, _ in tables for i, s in
                zip(items["item_id"].to_pylist(), items["split"].to_pylist(), strict=True)
                if s == "test"}  # fmt: skip
        assert test and not test & set(drawn.table["item_id"].to_pylist())
        means = drawn.table["label"].to_numpy()
        assert np.array_equal(drawn.table["binary"].to_numpy(), (means > 3).astype(int))
        assert np.array_equal(drawn.table["likert"].to_numpy(), np.floor(means + 0.5))
    near, rand = (made[h].facts["distance_to_test"] for h in ("near-test", "random"))
    assert near < 0.005 < rand

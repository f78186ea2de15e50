"""Choosing examples: no leakage, whatever the items; and the random draw."""

import random
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from retrial.errors import RetrialError
from retrial.examples.base import SelectorSpec, documents, fold
from retrial.examples.choose import choose_examples, get_method, method_names
from retrial.items.base import Dialogue, Turn, to_tables
from retrial.record import EXAMPLE_CHOICES, check

words = st.lists(st.sampled_from(["a", "A", "b", " ", "c"]), max_size=3).map(" ".join)
dialogues = st.lists(words, min_size=1, max_size=2)
BM25 = SelectorSpec("bm25-2", "bm25", 2)
RANDOM = SelectorSpec("random-2", "random-draw", 2, replicates=2)


def items_of(texts: list[list[str]], splits: list[str] | None = None) -> pa.Table:
    records = [
        Dialogue(tuple(Turn("USER", t) for t in turns), "d/f.txt", i + 1)
        for i, turns in enumerate(texts)
    ]
    items, _ = to_tables(records, "toy", test_share=0.3)
    if splits is not None:
        place = items.column_names.index("split")
        items = items.set_column(place, items.schema.field("split"), pa.array(splits))
    return items


def judged_of(items: pa.Table) -> list[str]:
    return [r["item_id"] for r in items.to_pylist() if r["split"] == "test"]


def said(row: dict[str, Any]) -> str:
    """What was said, without case and spacing: written apart from the library's own folding."""
    return re.sub(r"\s+", " ", " ".join(t["text"] for t in row["turns"])).strip().lower()


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(dialogues, st.sampled_from(["train", "train", "test"])), min_size=2),
    st.sampled_from([BM25, RANDOM, SelectorSpec("okapi-1", "bm25", 1, variant="okapi")]),
)
def test_no_example_is_a_test_item_or_a_copy(
    drawn: list[tuple[list[str], str]], selector: SelectorSpec
) -> None:
    items = items_of([turns for turns, _ in drawn], [split for _, split in drawn])
    rows = {row["item_id"]: row for row in items.to_pylist()}
    judged = judged_of(items)
    pool = [key for key, row in rows.items() if row["split"] == "train"]
    copies = {key: {k for k in pool if said(rows[k]) == said(rows[key])} for key in judged}
    if selector.method == "random-draw":  # the same examples serve all items
        copies = dict.fromkeys(judged, set().union(*copies.values()))
    assume(judged)
    if any(len(pool) - len(copies[key]) < selector.count for key in judged):
        with pytest.raises(RetrialError, match=r"\d+ training items|has no training items"):
            choose_examples(items, selector, judged)
        return
    table = choose_examples(items, selector, judged)
    assert table.num_rows == len(judged) * selector.replicates * selector.count
    for row in table.to_pylist():
        assert row["example_id"] in set(pool) - copies[row["item_id"]]
    sets = Counter((r["item_id"], r["replicate"], r["example_id"]) for r in table.to_pylist())
    assert set(sets.values()) <= {1}


def thirty(seed: int = 0) -> pa.Table:
    rng = random.Random(seed)
    vocabulary = [f"w{i}" for i in range(12)]
    return items_of([[" ".join(rng.choices(vocabulary, k=8))] for _ in range(30)])


@pytest.mark.parametrize("selector", [BM25, RANDOM], ids=lambda s: s.method)
def test_the_order_of_rows_does_not_matter(selector: SelectorSpec) -> None:
    items = thirty()
    judged = judged_of(items)
    table = choose_examples(items, selector, judged)
    for seed in range(3):
        order = random.Random(seed).sample(range(30), 30)
        assert choose_examples(items.take(pa.array(order)), selector, judged).equals(table)
    assert table["item_id"].unique().to_pylist() == judged
    backwards = choose_examples(items, selector, judged[::-1])
    assert backwards["item_id"].unique().to_pylist() == judged[::-1]
    rows, others = table.to_pylist(), backwards.to_pylist()
    assert sorted(rows, key=repr) == sorted(others, key=repr)


@pytest.mark.parametrize("selector", [BM25, RANDOM], ids=lambda s: s.method)
def test_the_table_follows_the_contract(selector: SelectorSpec) -> None:
    items = thirty()
    judged = judged_of(items)
    table = check(choose_examples(items, selector, judged), EXAMPLE_CHOICES, "test")
    rows = table.to_pylist()
    assert {r["dataset"] for r in rows} == {"toy"}
    assert {r["selector"] for r in rows} == {selector.id}
    assert {r["truncated"] for r in rows} == {False}
    expected = [(i, p, k) for i in judged for p in range(selector.replicates) for k in range(2)]
    assert [(r["item_id"], r["replicate"], r["rank"]) for r in rows] == expected
    assert {r["score"] is None for r in rows} == {selector.method == "random-draw"}


def examples(table: pa.Table, item_id: str, replicate: int = 0) -> list[str]:
    rows = table.to_pylist()
    return [r["example_id"] for r in rows if (r["item_id"], r["replicate"]) == (item_id, replicate)]


def random_spec(replicates: int, seed: int = 1, count: int = 4) -> SelectorSpec:
    return SelectorSpec("random", "random-draw", count, replicates=replicates, seed=seed)


def test_a_replicate_draws_the_same_for_all_items_and_replicates_differ() -> None:
    items = thirty()
    judged = judged_of(items)
    table = choose_examples(items, random_spec(6), judged)
    draws = [{tuple(examples(table, key, r)) for key in judged} for r in range(6)]
    assert all(len(draw) == 1 for draw in draws)
    assert len(set().union(*draws)) == 6
    more = choose_examples(items, random_spec(8), judged)
    assert examples(more, judged[0], 5) == examples(table, judged[0], 5)
    other = choose_examples(items, random_spec(6, seed=2), judged)
    assert examples(other, judged[0]) != examples(table, judged[0])


def test_a_smaller_draw_is_the_beginning_of_a_larger() -> None:
    items = thirty()
    (one, *_) = judged_of(items)
    large = choose_examples(items, random_spec(1, count=9), [one])
    small = choose_examples(items, random_spec(1, count=3), [one])
    assert examples(large, one)[:3] == examples(small, one)


def test_every_training_item_is_drawn_alike() -> None:
    items = thirty()
    (one, *_) = judged_of(items)
    table = choose_examples(items, random_spec(1000, count=3), [one])
    hits = Counter(table["example_id"].to_pylist())
    share = 3 / 21  # nine of thirty are test items
    spread = (1000 * share * (1 - share)) ** 0.5
    assert len(hits) == 21
    assert max(abs(n - 1000 * share) for n in hits.values()) < 5 * spread


def test_copies_of_judged_items_are_never_drawn_at_random() -> None:
    texts = [["Hello  there"], ["hello"], ["other"], ["one more"], ["last"]]
    items = items_of([["hello THERE "], *texts], ["test"] + ["train"] * 5)
    (judged,) = judged_of(items)
    rows = items.to_pylist()
    table = choose_examples(items, random_spec(50, count=4), [judged])
    assert set(table["example_id"].to_pylist()) == {rows[i]["item_id"] for i in (2, 3, 4, 5)}
    with pytest.raises(RetrialError, match="wants 5 and dataset toy has 4 training items"):
        choose_examples(items, random_spec(1, count=5), [judged])


@pytest.mark.parametrize("selector", [BM25, RANDOM], ids=lambda s: s.method)
def test_nothing_judged_needs_no_examples(selector: SelectorSpec) -> None:
    assert choose_examples(thirty(), selector, []).num_rows == 0


def test_faults_are_named() -> None:
    items = thirty()
    judged = judged_of(items)
    train = next(r["item_id"] for r in items.to_pylist() if r["split"] == "train")
    with pytest.raises(RetrialError, match="its split is 'train'"):
        choose_examples(items, BM25, [train])
    with pytest.raises(RetrialError, match="has no item missing"):
        choose_examples(items, BM25, ["missing"])
    with pytest.raises(RetrialError, match="listed twice"):
        choose_examples(items, BM25, [judged[0], judged[0]])
    with pytest.raises(RetrialError, match="has no training items"):
        choose_examples(items_of([["a"], ["b"]], ["test", "test"]), BM25, [])
    with pytest.raises(RetrialError, match="wants 22 and dataset toy has 21"):
        choose_examples(items, SelectorSpec("b", "bm25", 22), judged)
    with pytest.raises(RetrialError, match="start at 1"):
        choose_examples(items, SelectorSpec("b", "bm25", 0), judged)
    with pytest.raises(RetrialError, match="leave it at 1"):
        choose_examples(items, SelectorSpec("b", "bm25", 1, replicates=3), judged)
    with pytest.raises(RetrialError, match="did you mean 'bm25'"):
        choose_examples(items, SelectorSpec("b", "bm24", 1), judged)
    two = pa.concat_tables([items, to_tables([], "x")[0], items_of([["z"]]).set_column(
        1, items.schema.field("dataset"), pa.array(["other"]))])  # fmt: skip
    with pytest.raises(RetrialError, match="of 2 datasets"):
        choose_examples(two, BM25, judged)


def test_only_the_method_asked_for_is_imported() -> None:
    assert method_names() == ["bm25", "encoder", "random-draw"]
    sys.modules.pop("retrial.examples.methods.encoder", None)
    get_method("random-draw")
    assert "retrial.examples.methods.encoder" not in sys.modules


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("Straße", "STRASSE", True), ("a \n\t b", "A B", True), ("a\u00a0b", "a b", True),
     ("ab", "a b", False), ("a.", "a", False)],
)  # fmt: skip
def test_folding(one: str, other: str, same: bool) -> None:
    assert (fold(one) == fold(other)) is same


def test_documents_are_lines_of_speaker_and_text() -> None:
    turns = [{"speaker": "USER", "text": "Hi"}, {"speaker": "SYSTEM", "text": ""}]
    rows: list[dict[str, Any]] = [{"item_id": "b", "turns": turns, "text": None},
            {"item_id": "a", "turns": None, "text": "Once"}]  # fmt: skip
    found = documents(rows, "d")
    assert found.ids == ["a", "b"]
    assert found.texts == ["Once", "USER: Hi\nSYSTEM: "]
    assert found.folded == ["once", "hi"]


@pytest.mark.realdata
def test_real_dialogues_get_training_examples(mirror: Path) -> None:
    from retrial.items.readers import get_reader

    records = get_reader("uss")([mirror / "uss" / "CCPE.txt"], source="uss", strata={}, options={})
    items, _ = to_tables(records, "ccpe", test_share=0.1)
    judged = judged_of(items)
    for method in ("bm25", "random-draw"):
        table = choose_examples(items, SelectorSpec("s", method, 4), judged)
        assert table.num_rows == 200
        assert not set(table["example_id"].to_pylist()) & set(judged)

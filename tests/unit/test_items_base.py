"""Item ids and the tables that readers' records become."""

import dataclasses
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.errors import RetrialError
from retrial.items.base import Dialogue, HumanRating, Turn, item_ids, to_tables
from retrial.items.readers import get_reader, reader_names
from retrial.record import ITEMS, RATINGS, check

RATINGS_3 = tuple(HumanRating("overall", str(i), float(i), 9) for i in (1, 2, 3))


def dialogue(*texts: str, subset: str = "SGD", line: int = 2) -> Dialogue:
    turns = tuple(Turn(("USER", "SYSTEM")[i % 2], text) for i, text in enumerate(texts))
    return Dialogue(turns, "uss/SGD.txt", line, {"subset": subset}, RATINGS_3)


def test_tables_hold_what_the_record_holds() -> None:
    record = dialogue(' "hi" ', "", line=7)
    items, ratings = to_tables([record], "uss-sgd")
    (item,) = check(items, ITEMS, "test").to_pylist()
    assert item == {
        "item_id": item_ids([record])[0],
        "dataset": "uss-sgd",
        "split": "all",
        "kind": "dialogue",
        "turns": [{"speaker": "USER", "text": ' "hi" '}, {"speaker": "SYSTEM", "text": ""}],
        "text": None,
        "context": None,
        "pair_id": None,
        "text_b": None,
        "strata": [("subset", "SGD")],
        "source": "uss/SGD.txt",
        "source_line": 7,
    }
    rows = check(ratings, RATINGS, "test").to_pylist()
    assert [(r["rater"], r["score"], r["source_line"]) for r in rows] == [
        ("1", 1.0, 9), ("2", 2.0, 9), ("3", 3.0, 9),
    ]  # fmt: skip
    expected = {"judge": "human", "condition": "", "reading": "human", "replicate": 0,
                "sample": 0, "status": "ok", "scale": "1-5", "attribute": "overall",
                "dataset": "uss-sgd", "item_id": item["item_id"]}  # fmt: skip
    assert all(expected.items() <= row.items() for row in rows)


def test_the_id_is_of_the_content_and_the_subset_alone() -> None:
    record = dialogue("hi", "hello")
    same = [dataclasses.replace(record, source="x/y", source_line=50), record,
            dataclasses.replace(record, ratings=())]  # fmt: skip
    assert {item_ids([one])[0] for one in same} == set(item_ids([record]))
    others = [dialogue("hi", "hello "), dialogue("hihello"), dialogue("hi", "hello", subset="MWOZ"),
              dataclasses.replace(record, turns=record.turns[::-1])]  # fmt: skip
    assert len({*item_ids([record]), *(item_ids([one])[0] for one in others)}) == 5


def test_equal_records_are_told_apart_by_their_order() -> None:
    ids = item_ids([dialogue("hi"), dialogue("yo"), dialogue("hi"), dialogue("hi")])
    assert len(set(ids)) == 4
    assert ids[:2] == item_ids([dialogue("hi"), dialogue("yo")])
    items, _ = to_tables([dialogue("hi"), dialogue("hi")], "d")
    assert items.num_rows == 2


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=12), st.data())
def test_one_changed_record_touches_one_item(texts: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(texts) - 1))
    changed = [*texts[:place], "changed", *texts[place + 1 :]]
    before, after = (Counter(item_ids([dialogue(t) for t in x])) for x in (texts, changed))
    assert sum((before - after).values()) == sum((after - before).values()) == 1


def test_the_split_is_of_the_share_that_was_asked_for() -> None:
    records = [dialogue(f"text {i}") for i in range(25)]
    items, _ = to_tables(records, "d", test_share=0.1, seed=3)
    assert Counter(items["split"].to_pylist()) == {"test": 3, "train": 22}  # 2.5, half up


def test_no_records_give_empty_tables() -> None:
    items, ratings = to_tables([], "d", test_share=0.5)
    assert (items.num_rows, ratings.num_rows) == (0, 0)


def test_readers_are_found_by_name() -> None:
    assert {"uss", "chitchat"} <= set(reader_names())
    with pytest.raises(RetrialError, match="did you mean 'chitchat'"):
        get_reader("chit-chat")
    with pytest.raises(RetrialError, match=r"known: .*chitchat"):
        get_reader("../secrets")

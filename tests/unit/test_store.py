"""The answer store: immutable files, several writers, damage left out."""

import logging
import multiprocessing
from pathlib import Path

from core_rows import answer

from retrial.judging.store import AnswerStore
from retrial.record import ANSWERS


def found(store: AnswerStore, *ids: str) -> dict[str, str]:
    table = store.find(ids)
    return dict(
        zip(table["request_id"].to_pylist(), table["answer_sha256"].to_pylist(), strict=True)
    )


def test_an_empty_or_absent_store_has_nothing(tmp_path):
    for folder in (tmp_path / "none", tmp_path):
        table = AnswerStore(folder).find(["a"])
        assert table.num_rows == 0
        assert table.schema.equals(ANSWERS.schema)


def test_asking_for_nothing_finds_nothing(tmp_path):
    store = AnswerStore(tmp_path)
    store.add([answer("a")])
    assert store.find([]).num_rows == 0


def test_answers_come_back_sorted_each_once_and_only_those_asked_for(tmp_path):
    store = AnswerStore(tmp_path)
    store.add([answer("c"), answer("a")])
    store.add([answer("b"), answer("d")])
    assert list(found(store, "d", "a", "c", "a", "x")) == ["a", "c", "d"]


def test_the_earliest_of_several_answers_is_the_one(tmp_path):
    store = AnswerStore(tmp_path)
    for second, digest in ((5, "late"), (3, "first"), (4, "later")):
        at = f"2024-01-01T00:00:0{second}+00:00"
        store.add([answer("a", asked_at=at, answer_sha256=digest), answer(f"only-{second}")])
    assert found(store, "a") == {"a": "first"}
    assert len(found(store, "only-3", "only-4", "only-5")) == 3


def test_which_of_two_equally_old_answers_counts_does_not_depend_on_file_names(tmp_path):
    stores = []
    for number, order in enumerate((["x", "y"], ["y", "x"])):
        stores.append(AnswerStore(tmp_path / str(number)))
        for digest in order:
            stores[-1].add([answer("a", answer_sha256=digest)])
    assert found(stores[0], "a") == found(stores[1], "a") == {"a": "x"}


def test_checkpoints_are_never_overwritten(tmp_path):
    store = AnswerStore(tmp_path)
    first = store.add([answer("a")])
    before = first.read_bytes()
    second = store.add([answer("a")])
    assert first != second and first.read_bytes() == before
    assert store.files() == sorted([first, second])


def test_a_damaged_checkpoint_is_named_and_left_out(tmp_path, caplog):
    store = AnswerStore(tmp_path)
    store.add([answer("a")])
    broken = store.add([answer("b")])
    data = broken.read_bytes()
    with caplog.at_level(logging.WARNING, "retrial"):
        for damage in (data[:-20], b"", data[:40] + b"\xff" * 8 + data[48:], b"<html>503</html>"):
            caplog.clear()
            broken.write_bytes(damage)
            assert list(found(store, "a", "b")) == ["a"]
            assert broken.name in caplog.text and "damaged checkpoint" in caplog.text


def test_parts_of_killed_writers_and_other_files_are_no_checkpoints(tmp_path, caplog):
    store = AnswerStore(tmp_path)
    whole = store.add([answer("a")])
    (tmp_path / f".{whole.name}.0123.part").write_bytes(b"half")
    (tmp_path / ".hidden.parquet").write_bytes(b"half")
    (tmp_path / "notes.txt").write_text("x")
    assert store.files() == [whole]
    assert list(found(store, "a")) == ["a"]
    assert caplog.text == ""


def _write_many(folder: Path, writer: int) -> None:
    store = AnswerStore(folder)
    for number in range(6):
        store.add([answer(f"w{writer}-{number}"), answer("shared", answer_sha256=f"{writer}")])


def test_several_writers_lose_nothing(tmp_path):
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write_many, args=(tmp_path, n)) for n in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    ids = [f"w{writer}-{number}" for writer in range(3) for number in range(6)]
    assert len(found(AnswerStore(tmp_path), *ids, "shared")) == len(ids) + 1
    assert len(AnswerStore(tmp_path).files()) == 18

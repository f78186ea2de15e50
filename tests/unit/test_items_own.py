"""Own dialogues: three formats that say the same, the scale, groups and splits."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from own_files import TURNS, Record, csv_file, csv_text, jsonl, parquet, read, record

from retrial.config import Dataset, Split
from retrial.errors import RetrialError
from retrial.items.base import Dialogue, item_ids, to_tables
from retrial.items.build import build_items

WRITERS: list[Callable[[Path, list[Record]], Path]] = [jsonl, parquet, csv_file]
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(str.strip)
turns = st.fixed_dictionaries({"speaker": texts, "text": texts})
numbers = st.integers(0, 10).map(float) | st.floats(0, 10)
RATERS, PARTS = ("anna", "ben"), ("train", "test")


def line_feeds(text: str) -> str:
    """The text with every line break as the reader gives it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


@st.composite
def records(draw: st.DrawFn) -> list[Record]:
    ids = draw(
        st.lists(texts | st.integers(0, 99).map(str), unique_by=line_feeds, min_size=1, max_size=5)
    )
    split, rated = draw(st.booleans()), draw(st.booleans())
    scores = {"anna": numbers, "ben": numbers | st.none()} if rated else {}
    return [
        {
            "id": own,
            "turns": draw(st.lists(turns, min_size=1, max_size=4)),
            "domain": draw(st.none() | texts),
            **(
                {"split": "test" if own == ids[0] else draw(st.sampled_from(PARTS))}
                if split
                else {}
            ),
            **{rater: draw(scores.get(rater, st.none())) for rater in RATERS},
        }
        for own in ids
    ]


OPTIONS: dict[str, Any] = {"scale_low": 0, "scale_high": 10, "rating_columns": "anna, ben",
                           "strata_columns": "domain"}  # fmt: skip


def told(dialogues: list[Dialogue]) -> list[Any]:
    """All of the dialogues but the place where they stand."""
    return [
        (d.turns, d.strata, d.split, [(r.rater, r.score, r.scale, r.reason) for r in d.ratings])
        for d in dialogues
    ]


@settings(deadline=None)  # it writes four files
@given(records())
def test_the_three_formats_say_the_same(made: list[Record]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        files = [jsonl(folder, made), parquet(folder, made), csv_file(folder, made)]
        found = [read(path, **OPTIONS) for path in files]
        crlf = read(csv_file(folder, made, "\r\n"), **OPTIONS)
    assert told(found[0]) == told(found[1]) == told(found[2]) == told(crlf)
    assert item_ids(found[0]) == item_ids(found[1]) == item_ids(found[2]) == item_ids(crlf)
    assert [d.strata["id"] for d in found[0]] == [line_feeds(one["id"]) for one in made]
    given_ratings = sum(one[rater] is not None for one in made for rater in RATERS)
    assert sum(len(d.ratings) for d in found[0]) == given_ratings
    items, ratings = to_tables(found[0], "own")
    assert (items.num_rows, ratings.num_rows) == (len(made), given_ratings)


def test_a_dialogue_is_read_as_it_stands(tmp_path: Path) -> None:
    made = [
        record("a", ratings=[0]),
        record(7, ratings={"anna": 3, "ben": None, "cy": 10}, ratings_by="rule"),
    ]
    first, second = read(jsonl(tmp_path, made), scale_low=0, scale_high=10, strata={"subset": "x"})
    assert (len(first.ratings), first.split, first.source) == (1, None, "own/dialogues.jsonl")
    assert (first.strata, second.strata) == (
        {"subset": "x", "id": "a"},
        {"subset": "x", "ratings_by": "rule", "id": "7"},
    )
    assert [(r.attribute, r.rater, r.score, r.reason) for r in second.ratings] == [
        ("overall", "anna", pytest.approx(2.2), "3 of 0-10 mapped"),
        ("overall", "cy", 5.0, "10 of 0-10 mapped"),
    ]
    assert (second.source_line, second.ratings[0].source_line) == (2, 2)
    _, ratings = to_tables([second], "own")
    assert ratings["reason"].to_pylist() == ["3 of 0-10 mapped", "10 of 0-10 mapped"]
    assert ratings["scale"].to_pylist() == ["1-5", "1-5"]


def test_a_list_of_ratings_has_positions(tmp_path: Path) -> None:
    made = [record("a", ratings=[4, None, 2.5]), record("b", ratings=[])]
    first, second = (read(jsonl(tmp_path, [one]))[0] for one in made)
    assert [(r.rater, r.score, r.reason) for r in first.ratings] == [
        ("1", 4.0, None), ("3", 2.5, None),
    ]  # fmt: skip
    assert second.ratings == ()
    assert told(read(parquet(tmp_path, made[:1]))) == told([first])


def test_parquet_may_hold_maps_structs_and_decimals(tmp_path: Path) -> None:
    path, made = tmp_path / "d.parquet", [{"anna": 4.0}, {"ben": 2.5, "cy": 1.0}]
    expected = [[("anna", 4.0)], [("ben", 2.5), ("cy", 1.0)]]
    column = pa.array([list(one.items()) for one in made], pa.map_(pa.string(), pa.float64()))
    for ratings in (column, pa.array(made), column.cast(pa.map_(pa.string(), pa.decimal128(5, 2)))):
        table = pa.table({"id": [1, 2], "turns": [TURNS, TURNS], "ratings": ratings})
        pq.write_table(table, path)
        assert [[(r.rater, r.score) for r in d.ratings] for d in read(path)] == expected


def test_equal_dialogues_of_two_ids_are_two_items(tmp_path: Path) -> None:
    found = read(jsonl(tmp_path, [record("a"), record("b")]))
    assert len(set(item_ids(found))) == 2


def test_lines_point_into_the_file(tmp_path: Path) -> None:
    made = [record("a"), {"id": "b", "turns": [{"speaker": "U", "text": 'two\n"lines"'}, *TURNS]},
            record("c")]  # fmt: skip
    found = read(csv_file(tmp_path, made))
    lines = csv_text(made).split("\n")
    assert [lines[d.source_line - 1][:3] for d in found] == ['"a"', '"b"', '"c"']
    assert [d.source_line for d in found] == [2, 4, 8]


def test_a_mark_at_the_beginning_and_blank_lines_are_passed_over(tmp_path: Path) -> None:
    for writer in (jsonl, csv_file):
        path = writer(tmp_path, [record("a"), record("b")])
        clean, data = read(path), path.read_bytes()
        path.write_bytes(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n") + b"\r\n")
        assert told(read(path)) == told(clean)
    path = jsonl(tmp_path, [record("a"), record("b")])
    path.write_text("\n" + path.read_text() + "\n\n")
    assert [d.source_line for d in read(path)] == [2, 3]


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    made = [{"id": "a", "turns": [{"speaker": "U", "text": "x\u2028y\u0085z\x0bw"}]}]
    for writer in (jsonl, csv_file):
        (one,) = read(writer(tmp_path, made))
        assert one.turns[0].text == "x\u2028y\u0085z\x0bw"


def test_columns_that_are_to_be_ignored_change_nothing(tmp_path: Path) -> None:
    plain = read(jsonl(tmp_path, [record("a")]))
    noted = read(jsonl(tmp_path, [record("a", notes=["x"], url=3)]), ignored_columns="url,notes")
    assert told(plain) == told(noted)


def test_rows_of_a_dialogue_may_repeat_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("text,id,speaker,anna\nhi,a,U,3\nho,a,S,3\nhm,a,U,\n")
    (one,) = read(path, rating_columns="anna")
    assert len(one.turns) == 3
    assert [(r.rater, r.score, r.source_line) for r in one.ratings] == [("anna", 3.0, 2)]


@pytest.mark.parametrize("writer", WRITERS)
def test_a_split_of_the_file_is_kept(tmp_path: Path, writer: Callable[..., Path]) -> None:
    made = [record("a", split="train"), record("b", split="test"), record("c", split="train")]
    path = writer(tmp_path, made)
    spec = Dataset(reader="own-dialogues", label="own")
    items, _ = build_items("own", spec, [path])
    assert items["split"].to_pylist() == ["train", "test", "train"]
    with pytest.raises(RetrialError, match="leave `split` out of the dataset's configuration"):
        build_items("own", spec.model_copy(update={"split": Split()}), [path])


def test_dialogues_without_a_rating_can_be_left_out(tmp_path: Path) -> None:
    path = jsonl(tmp_path, [record("a", ratings=[3]), record("b"), record("c", ratings=[2])])
    found = read(path, leave_out_unrated=True)
    assert [(d.strata["id"], d.source_line) for d in found] == [("a", 1), ("c", 3)]
    path = jsonl(tmp_path, [record("a"), record("b")])
    assert len(read(path)) == len(read(path, leave_out_unrated=True)) == 2


def test_own_files_say_who_rated(tmp_path: Path) -> None:
    rated = jsonl(tmp_path, [record("a", ratings=[3])])
    spec = Dataset(reader="own-dialogues", label="own", paths=["x.jsonl"])
    with pytest.raises(RetrialError, match=r"datasets\.own\.raters is none, but the files hold"):
        build_items("own", spec, [rated])
    items, _ = build_items("own", spec.model_copy(update={"raters": "positions"}), [rated])
    assert items["source"].to_pylist() == ["own/dialogues.jsonl"]
    unrated = jsonl(tmp_path, [record("a")])
    _, ratings = build_items("own", spec, [unrated])
    assert ratings.num_rows == 0
    with pytest.raises(RetrialError, match="is persons, but the files hold no ratings; say none"):
        build_items("own", spec.model_copy(update={"raters": "persons"}), [unrated])


def test_a_split_that_leaves_a_part_empty_is_told(tmp_path: Path) -> None:
    path = jsonl(tmp_path, [record(n) for n in range(4)])
    spec = Dataset(reader="own-dialogues", label="own", paths=["x"], split=Split(test=0.1))
    with pytest.raises(
        RetrialError, match=r"test share of 0\.1 of 4 items leaves no item for test"
    ):
        build_items("own", spec, [path])
    items, _ = build_items("own", spec.model_copy(update={"split": Split(test=0.125)}), [path])
    assert sorted(items["split"].to_pylist()) == ["test", "train", "train", "train"]


def test_several_files_are_one_dataset(tmp_path: Path) -> None:
    paths = [jsonl(tmp_path, [record("a")]), csv_file(tmp_path, [record("b")])]
    assert [(d.strata["id"], d.source) for d in read(*paths)] == [
        ("a", "own/dialogues.jsonl"), ("b", "own/dialogues.csv"),
    ]  # fmt: skip

"""Every fault of own dialogues is told, with file, line and key, together with all others."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from own_files import TURNS, jsonl, read, record

from retrial.errors import RetrialError

GOOD = json.dumps(record("good"))


def faults(path: Path, **options: Any) -> list[str]:
    """The lines of the error message, without the path."""
    with pytest.raises(RetrialError) as error:
        read(path, **options)
    lines = str(error.value).split("\n  ")
    assert lines[0].startswith("own-dialogues: ") and "docs/own-data.md" in lines[0]
    return [line.removeprefix(f"{path}, ").removeprefix(f"{path}: ") for line in lines[1:]]


def turn(**fields: Any) -> dict[str, Any]:
    return {"id": "x", "turns": [TURNS[0], fields]}


LINES: list[tuple[Any, str]] = [
    ({"turns": TURNS}, "id: is missing"),
    (record(""), "id: is empty"),
    (record(1.5), "id: is 1.5; it must be a text"),
    (record(True), "id: is True; it must be a text"),
    (record("good"),
     "id: 'good' stands at line 1 of dialogues.jsonl too; an id names one dialogue"),
    ({"id": "x"}, "turns: is missing"),
    ({"id": "x", "turns": []}, "turns: is an empty list; a dialogue has one turn or more"),
    ({"id": "x", "turns": "U: hi"}, "turns: is 'U: hi'; expected a list"),
    ({"id": "x", "turns": ["hi"]}, "turns[0]: is 'hi'; expected an object of speaker and text"),
    (turn(speaker="U"), "turns[1].text: is missing"),
    (turn(speaker="U", text=None), "turns[1].text: is missing"),
    (turn(speaker="U", text=" \n"), "turns[1].text: is empty"),
    (turn(speaker="U", text=5), "turns[1].text: is 5; it must be a text"),
    (turn(text="x"), "turns[1].speaker: is missing"),
    (turn(speaker="U", text="x", at=1),
     "turns[1].at: is not a part of a turn; expected speaker and text"),
    (turn(speaker="U", text="\ud800"),
     "turns[1].text: holds half of a character (a lone surrogate)"),
    (record("x", ratings={"anna": 6}), "ratings.anna: is 6, off the scale 1-5"),
    (record("x", ratings={"anna": 0.99}), "ratings.anna: is 0.99, off the scale 1-5"),
    (record("x", ratings=[None, -1]), "ratings[1]: is -1, off the scale 1-5"),
    (record("x", ratings={"anna": float("nan")}), "ratings.anna: is nan, off the scale 1-5"),
    (record("x", ratings={"anna": "3"}),
     "ratings.anna: is '3'; a rating must be a number; write it without quotes"),
    (record("x", ratings={"anna": True}), "ratings.anna: is True; a rating must be a number"),
    (record("x", ratings={"anna": [3]}), "ratings.anna: is [3]; a rating must be a number"),
    (record("x", ratings={" ": None}), "ratings, the name of a rater: is empty"),
    (record("x", ratings=4), "ratings: is 4; expected an object of rater and number, or a list"),
    (record("x", ratings_by=1.5), "ratings_by: is 1.5; it must be a text"),
    (record("x", rating={}), "rating: the column is unknown; name it in rating_columns, "
     "strata_columns or ignored_columns"),
    (record("x", split="dev"), "split: is 'dev'; expected train or test"),
    ([1], "is not an object; write one dialogue a line, as {...}"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "message"), LINES)
def test_a_fault_of_a_line_is_told(tmp_path: Path, value: Any, message: str) -> None:
    assert faults(jsonl(tmp_path, [record("good"), value])) in (
        [f"line 2, {message}"],
        [f"line 2: {message}"],
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "is not JSON at column 3: Expecting property name enclosed in double quotes"),
        ('{"id": "a", "id": "b"}', "the key 'id' stands twice in one object"),
        ('{"ratings": {"anna": 1, "anna": 2}}', "the key 'anna' stands twice in one object"),
        ("1" * 5000, "is not JSON that can be read: a number is too long, or the nesting too deep"),
        (
            "[" * 10**5,
            "is not JSON that can be read: a number is too long, or the nesting too deep",
        ),
    ],
)
def test_a_line_that_is_not_json_is_told(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text(f"{GOOD}\n\n{line}\n")
    (told,) = faults(path)
    assert told.startswith("line 3: ") and message.split(" at column")[0] in told


@pytest.mark.parametrize("name", ["d.jsonl", "d.csv"])
def test_bytes_that_are_not_utf8_are_told(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"id,speaker,text\na,U,\xff\nb,U,hi\nc,U,caf\xe9\n" if name == "d.csv"
                     else GOOD.encode() + b'\n{"id": \xff\n' + b'"caf\xe9"\n')  # fmt: skip
    told = faults(path)
    numbers = (2, 4) if name == "d.csv" else (2, 3)
    assert [line.split(":")[0] for line in told] == [f"line {n}" for n in numbers]
    assert all("is not UTF-8 at byte" in line for line in told)


@pytest.mark.parametrize("text", ["", "\n", "\ufeff", "id,speaker,text\n"])
def test_a_file_without_dialogues_is_told(tmp_path: Path, text: str) -> None:
    for name in ("d.csv",) if "id" in text else ("d.jsonl", "d.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        assert faults(path) == ["holds no dialogue"]
    path = tmp_path / "d.parquet"
    pq.write_table(pa.table({"id": pa.array([], pa.string()), "turns": pa.array([])}), path)
    assert faults(path) == ["holds no dialogue"]


CSV: list[tuple[str, list[str]]] = [
    ("id;speaker;text\na;U;hi\n",
     ["line 1: the header has no comma; save the file with commas between its columns"]),
    ("id,text\na,hi\n", ["line 1, speaker: the column is missing"]),
    ("id,speaker,text,text\na,U,hi,hi\n", ["line 1, text: the column stands twice"]),
    ("id,speaker,text,turns\na,U,hi,[]\n", ["line 1, turns: the column is for JSON Lines and "
     "Parquet; in CSV each turn is a row with `speaker` and `text`"]),
    ("id,speaker,text,ratings\na,U,hi,3\n", ["line 1, ratings: the column is for JSON Lines and "
     "Parquet; in CSV the option rating_columns names the raters"]),
    ("id,speaker,text\na,U,hi\na,S\n", ["line 3: the row has 2 cells; the header has 3"]),
    ("id,speaker,text\na,U,hi\na,S,\n", ["line 3, text: is empty"]),
    ("id,speaker,text\na,U,hi\nb,U,hi\na,S,ho\n",
     ["line 4, id: 'a' stands at line 2 of d.csv too; an id names one dialogue"]),
    ('id,speaker,text\na,U,hi\na,S,"ho\nb,U,hi\n',
     ["line 3: the row is not CSV: unexpected end of data; is a quote left open?"]),
    ('id,speaker,text\na,U,hi\na,S,"ho"x\n',
     ["line 3: the row is not CSV: ',' expected after '\"'; is a quote left open?"]),
    ("id,speaker,text,anna\na,U,hi,3\na,S,ho,4\n",
     ["line 3, anna: is '4', but '3' where the dialogue begins (line 2)"]),
    ("id,speaker,text,anna\na,U,hi,\na,S,ho,4\n",
     ["line 3, anna: is '4', but '' where the dialogue begins (line 2)"]),
    ("id,speaker,text,anna\na,U,hi,five\n",
     ["line 2, anna: is 'five'; a rating must be a number"]),
    ('id,speaker,text,anna\na,U,hi,"3,5"\n',
     ["line 2, anna: is '3,5'; a rating must be a number"]),
    ("id,speaker,text,anna\na,U,hi,11\n", ["line 2, anna: is 11, off the scale 1-5"]),
    ("id,speaker,text,anna\na,U,hi,1e999\n", ["line 2, anna: is inf, off the scale 1-5"]),
    ("id,speaker,text,anna\na,U,hi,nan\n",
     ["line 2, anna: is 'nan'; a rating must be a number"]),
    ("id,speaker,text,anna,x\na,U,hi,1,\n", ["line 2, x: the column is unknown; name it in "
     "rating_columns, strata_columns or ignored_columns"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CSV)
def test_a_fault_of_a_csv_file_is_told(tmp_path: Path, text: str, expected: list[str]) -> None:
    path = tmp_path / "d.csv"
    path.write_text(text)
    assert faults(path, **({"rating_columns": "anna"} if "anna" in text else {})) == expected


def test_a_fault_of_a_parquet_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "d.parquet"
    pq.write_table(pa.table({"id": ["a"], "ratings": [3]}), path)
    assert faults(path) == ["row 1, turns: the column is missing"]
    turns = [TURNS, [{"speaker": "U", "text": None}]]
    pq.write_table(pa.table({"id": ["a", None], "turns": turns, "ratings": [[3], [9]]}), path)
    assert faults(path) == [
        "row 2, id: is missing",
        "row 2, turns[0].text: is missing",
        "row 2, ratings[0]: is 9, off the scale 1-5",
    ]
    path.write_bytes(b"PAR1")
    with pytest.raises(RetrialError, match=r"d\.parquet: can't be read as Parquet"):
        read(path)


def test_all_faults_are_told_together_and_the_first_twenty_listed(tmp_path: Path) -> None:
    path = jsonl(tmp_path, [record(f"d{n}", ratings={"anna": n}) for n in range(31)])
    told = faults(path)  # 0 and 6 to 30 are off 1-5
    assert told[:2] == ["line 1, ratings.anna: is 0, off the scale 1-5",
                        "line 7, ratings.anna: is 6, off the scale 1-5"]  # fmt: skip
    assert len(told) == 21 and told[-1] == "and 6 more"
    with pytest.raises(RetrialError, match=r"own-dialogues: 26 faults; "):
        read(path)


def test_a_column_is_told_once_and_by_every_name(tmp_path: Path) -> None:
    path = jsonl(tmp_path, [record("a", x=1), record("b", x=2, y=3)])
    assert [line.split(":")[0] for line in faults(path)] == ["line 1, x", "line 2, y"]
    (told,) = faults(path, ignored_columns="x,y", rating_columns="zed")
    assert told == "no column 'zed', which the option rating_columns names"
    (told,) = faults(path, ignored_columns="x", strata_columns="y,zed")
    assert told == "no column 'zed', which the option strata_columns names"


def test_all_dialogues_are_rated_or_none_is(tmp_path: Path) -> None:
    path = jsonl(tmp_path, [record("a"), record("b", ratings=[3]), record("c", ratings=[None])])
    assert faults(path) == [
        f"line {n}: has no rating, and others do; rate it, or set leave_out_unrated" for n in (1, 3)
    ]


def test_a_rater_stands_in_one_place(tmp_path: Path) -> None:
    path = jsonl(tmp_path, [record("a", ratings={"anna": 3}, anna=4)])
    (told,) = faults(path, rating_columns="anna")
    assert told.startswith("line 1, anna: the rater stands in `ratings` and in a column")


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (["test", None], "line 2, split: is missing here and given elsewhere"),
        ([None, "train"], "line 1, split: is missing here and given elsewhere"),
        (["train", "train"], "line 1, split: is train for every dialogue; none is test"),
        (["test", "dev"], "line 2, split: is 'dev'; expected train or test"),
    ],
)
def test_a_split_is_for_all_or_none(tmp_path: Path, parts: list[str], message: str) -> None:
    made = [record(str(n), split=part) for n, part in enumerate(parts)]
    assert faults(jsonl(tmp_path, made)) == [message]


def test_an_id_stands_once_in_all_files(tmp_path: Path) -> None:
    first = jsonl(tmp_path, [record("a"), record(7)])
    second = tmp_path / "more.jsonl"
    second.write_text(json.dumps(record("7")) + "\n")
    with pytest.raises(RetrialError, match=r"more\.jsonl, line 1, id: '7' stands at line 2 of dia"):
        read(first, second)

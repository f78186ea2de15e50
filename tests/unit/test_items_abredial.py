"""The reader of AB-ReDial: its released file, its quirks, and every kind of malformed row."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from retrial.errors import RetrialError
from retrial.items.base import Dialogue, item_ids
from retrial.items.readers import get_reader

HEADER = "ConvId,utterance0,utterance1,utterance2,understanding,dialogue-overall,justification-text"
ONE = 'KM,SYSTEM\tHi,"USER\tI ""like"" it, yes",,2.0,4.0,fine'


def read(*paths: Path) -> list[Dialogue]:
    found = get_reader("abredial")(paths, source="ab-redial", strata={"set": "x"}, options={})
    return [one for one in found if isinstance(one, Dialogue)]


def read_text(folder: Path, text: str | bytes) -> list[Dialogue]:
    path = folder / "annotated_dialogues.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path)


def test_rows_of_a_dialogue_are_its_raters(tmp_path: Path) -> None:
    rows = [HEADER, ONE, ONE.replace("4.0", ""), ONE.replace("4.0", "2"), ""]
    (one,) = read_text(tmp_path, "\n".join(rows))
    assert [(t.speaker, t.text) for t in one.turns] == [
        ("SYSTEM", "Hi"),
        ("USER", 'I "like" it, yes'),
    ]
    assert [(r.attribute, r.rater, r.score, r.source_line) for r in one.ratings] == [
        ("overall", "1", 4.0, 2), ("overall", "3", 2.0, 4),
    ]  # fmt: skip
    assert (one.source, one.source_line) == ("ab-redial/annotated_dialogues.csv", 2)
    assert one.strata == {"set": "x", "conversation": "KM"}


def test_an_id_may_name_two_dialogues(tmp_path: Path) -> None:
    other = ONE.replace("Hi", "Hello")
    found = read_text(tmp_path, f"{HEADER}\n{ONE}\n{other}\n{other}\n")
    assert [len(d.ratings) for d in found] == [1, 2]
    assert len(set(item_ids(found))) == 2


@pytest.mark.parametrize("blank", ["\t", " ", "   ", " \u2003 ", "\t "])
def test_role_and_text_are_parted_by_blanks(tmp_path: Path, blank: str) -> None:
    (one,) = read_text(tmp_path, f"{HEADER}\nKM,USER{blank}hi  there ,,,1,5,\n")
    assert [(t.speaker, t.text) for t in one.turns] == [("USER", "hi  there ")]


FAULTS: list[tuple[str | bytes, str]] = [
    ("", "line 1: the line is not the header"),
    ("a,b\n1,2\n", "line 1: the line is not the header"),
    (f"{HEADER}\n", "holds no dialogue"),
    (f"{HEADER}\nKM,USER\thi\n", "line 2: the line has 2 fields; expected 7"),
    (f"{HEADER}\n{ONE}\nKM,,,,1,5,\n", "line 3: the line has no utterances"),
    (f"{HEADER}\nKM,USER\thi,,USER\tho,1,5,\n", "line 2: the line has '' as utterance1"),
    (f"{HEADER}\nKM,hi,,,1,5,\n", "line 2: the line has 'hi' as utterance0; expected SYSTEM or"),
    (f"{HEADER}\nKM,USER\t,,,1,5,\n", "as utterance0; expected SYSTEM or USER, and a text"),
    (f"{HEADER}\nKM,USER\thi,,,1,6.0,\n", "line 2: the line has '6.0' as dialogue-overall"),
    (f"{HEADER}\nKM,USER\thi,,,1,4.5,\n", "line 2: the line has '4.5' as dialogue-overall"),
    (f"{HEADER}\n{ONE}\nKM,\"USER\thi,,,1,5,\n", "line 3: the line is not CSV"),
    (HEADER.encode() + b"\nKM,USER\t\xff,,,1,5,\n", "line 2: the line is not UTF-8 at byte 9"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_a_malformed_file_is_told(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(RetrialError) as error:
        read_text(tmp_path, text)
    assert "annotated_dialogues.csv" in str(error.value) and message in str(error.value)


def test_there_are_no_options_and_there_is_a_file(tmp_path: Path) -> None:
    with pytest.raises(RetrialError, match="unknown option limit; it takes none"):
        get_reader("abredial")([tmp_path], source="x", strata={}, options={"limit": 3})
    with pytest.raises(RetrialError, match="no files to read"):
        read()
    with pytest.raises(RetrialError, match="can't be read"):
        read(tmp_path / "none.csv")


@pytest.mark.realdata
def test_the_released_file_is_kept_row_by_row(mirror: Path) -> None:
    path = mirror / "ab-redial" / "annotated_dialogues.csv"
    dialogues = read(path)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(dialogues) == len(set(item_ids(dialogues))) == 200
    conversations = Counter(d.strata["conversation"] for d in dialogues)
    assert len(conversations) == len({row["ConvId"] for row in rows}) == 195
    rated = {r.source_line: r.score for d in dialogues for r in d.ratings}
    expected = {n: row["dialogue-overall"] for n, row in enumerate(rows, start=2)}
    assert {n: f"{score}" for n, score in rated.items()} == {n: s for n, s in expected.items() if s}
    for d in dialogues:
        for r in d.ratings:
            row = rows[r.source_line - 2]
            said = [row[f"utterance{n}"] for n in range(22) if row[f"utterance{n}"]]
            assert [t.speaker + t.text for t in d.turns] == [_joined(cell) for cell in said]
    means = [sum(r.score for r in d.ratings) / len(d.ratings) for d in dialogues]
    assert sum(mean <= 3 for mean in means) == 23


def _joined(cell: str) -> str:
    role = "SYSTEM" if cell.startswith("SYSTEM") else "USER"
    return role + cell.removeprefix(role).lstrip()

"""The reader of USS: its real files, their quirks, and every kind of malformed row."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.errors import RetrialError
from retrial.items.base import Dialogue, item_ids
from retrial.items.readers import get_reader

GOOD = "\nUSER\thi\tGREET\t3,4,3\nSYSTEM\thello\t\t\nUSER\tOVERALL\t\t4,4,3\n"

# sessions; annotators of 3, 4, 5, 6, 7; turns median, p95, max; words the same; longest utterance
PROFILE = {
    "SGD": (1000, (540, 386, 69, 4, 1), (24, 40, 50), (242, 431, 632), 56),
    "MWOZ": (1000, (575, 369, 49, 7, 0), (21, 33, 47), (302, 450, 796), 70),
    "ReDial": (1000, (532, 397, 64, 6, 1), (20, 33, 116), (152, 283, 957), 86),
    "CCPE": (500, (281, 190, 29, 0, 0), (22, 37, 52), (270, 582, 882), 140),
}
SINGLE_RATINGS = {
    "SGD": (5, 257, 2273, 966, 39),
    "MWOZ": (18, 309, 2423, 710, 28),
    "ReDial": (16, 355, 2044, 1076, 56),
    "CCPE": (5, 226, 1249, 262, 6),
}


def read(*paths: Path, subset: str = "SGD") -> list[Dialogue]:
    found = get_reader("uss")(paths, source="uss", strata={"subset": subset}, options={})
    return [one for one in found if isinstance(one, Dialogue)]


def read_text(folder: Path, text: str | bytes) -> list[Dialogue]:
    path = folder / "tiny.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(path)


@pytest.mark.realdata
@pytest.mark.parametrize("name", PROFILE)
def test_the_real_files_have_the_known_profile(mirror: Path, name: str) -> None:
    dialogues = read(mirror / "uss" / f"{name}.txt", subset=name)
    sessions, raters, turns, words, longest = PROFILE[name]
    assert len(dialogues) == sessions
    counts = Counter(len(d.ratings) for d in dialogues)
    assert tuple(counts[n] for n in range(3, 8)) == raters and sum(raters) == sessions
    lengths = [len(d.turns) for d in dialogues]
    spoken = [sum(len(t.text.split()) for t in d.turns) for d in dialogues]
    percentiles = [50, 95, 100]
    assert tuple(np.percentile(lengths, percentiles).astype(int)) == turns
    assert tuple(np.percentile(spoken, percentiles).astype(int)) == words
    assert max(len(t.text.split()) for d in dialogues for t in d.turns) == longest
    scores = Counter(int(r.score) for d in dialogues for r in d.ratings)
    assert tuple(scores[n] for n in range(1, 6)) == SINGLE_RATINGS[name]


@pytest.mark.realdata
@pytest.mark.parametrize("name", PROFILE)
def test_every_row_of_the_real_files_is_kept_verbatim(mirror: Path, name: str) -> None:
    path = mirror / "uss" / f"{name}.txt"
    rows = [line.split(b"\t") for line in path.read_bytes().split(b"\n") if line]
    expected = [(r[0].decode(), r[1].decode()) for r in rows if r[1] != b"OVERALL"]
    dialogues = read(path)
    assert [(t.speaker, t.text) for d in dialogues for t in d.turns] == expected
    lines = path.read_text(encoding="utf-8").split("\n")
    for d in dialogues:
        first, last = lines[d.source_line - 1], lines[d.ratings[0].source_line - 1]
        assert first.startswith(f"{d.turns[0].speaker}\t{d.turns[0].text}\t")
        ratings = ",".join(str(int(r.score)) for r in d.ratings)
        assert last.split("\t") in (["USER", "OVERALL", x, ratings] for x in ("", "OTHER"))
        assert [r.rater for r in d.ratings] == [str(i + 1) for i in range(len(d.ratings))]


@pytest.mark.realdata
def test_quirks_and_duplicates_of_the_real_files(mirror: Path) -> None:
    files = [mirror / "uss" / f"{name}.txt" for name in PROFILE]
    dialogues = read(*files)
    assert len(dialogues) == 3500
    texts = Counter(
        " ".join(" ".join(t.text for t in d.turns).casefold().split()) for d in dialogues
    )
    assert len(texts) == 3500
    assert len(set(item_ids(dialogues))) == 3500
    by_file = {f.name: [d for d in dialogues if d.source == f"uss/{f.name}"] for f in files}
    assert Counter(
        t.speaker for d in by_file["ReDial.txt"] for t in d.turns if not t.text
    ) == {"SYSTEM": 3, "USER": 4}  # fmt: skip
    quoted = sum('"' in t.text for d in by_file["ReDial.txt"] for t in d.turns)
    assert quoted == 6225
    said = [t for d in by_file["CCPE.txt"] for t in d.turns if t.text.lower() == "overall"]
    assert Counter(t.speaker for t in said) == {"SYSTEM": 2}


def test_a_session_is_read(tmp_path: Path) -> None:
    (one,) = read_text(tmp_path, GOOD)
    assert [(t.speaker, t.text) for t in one.turns] == [("USER", "hi"), ("SYSTEM", "hello")]
    assert (one.source, one.source_line, one.strata) == ("uss/tiny.txt", 2, {"subset": "SGD"})
    assert [(r.attribute, r.rater, r.score, r.source_line) for r in one.ratings] == [
        ("overall", "1", 4.0, 4), ("overall", "2", 4.0, 4), ("overall", "3", 3.0, 4),
    ]  # fmt: skip


texts = st.text(st.characters(exclude_characters="\t\n\r\ufeff", codec="utf-8"))
turns = st.lists(st.tuples(st.sampled_from(["USER", "SYSTEM"]), texts), min_size=1, max_size=5)


@given(st.lists(turns, min_size=1, max_size=4), st.integers(3, 7))
def test_whatever_a_text_holds_comes_back(
    tmp_path_factory: pytest.TempPathFactory, sessions: list[list[tuple[str, str]]], raters: int
) -> None:
    ratings = ",".join("3" * raters)
    blocks = [
        [*((r, t + "." if t == "OVERALL" else t) for r, t in session), ("USER", "OVERALL")]
        for session in sessions
    ]
    text = "".join(
        "\n" + "".join(f"{r}\t{t}\tX\t{ratings if r == 'USER' else ''}\n" for r, t in block)
        for block in blocks
    )
    found = read_text(tmp_path_factory.getbasetemp(), text)
    assert [[(t.speaker, t.text) for t in d.turns] for d in found] == [b[:-1] for b in blocks]
    assert all(len(d.ratings) == raters for d in found)


@pytest.mark.parametrize("text", ["a\u2028b", "a\u0085b", "a\x0bb", '"5 o"clock', " ", "é’"])
def test_only_a_line_feed_ends_a_line(tmp_path: Path, text: str) -> None:
    (one,) = read_text(tmp_path, GOOD.replace("hello", text))
    assert one.turns[1].text == text


def test_a_system_turn_may_say_overall_and_blank_lines_may_repeat(tmp_path: Path) -> None:
    text = GOOD.replace("hello", "OVERALL") + "\n\n" + GOOD.removesuffix("\n")
    assert [d.turns[1].text for d in read_text(tmp_path, text)] == ["OVERALL", "hello"]


MALFORMED: dict[str, tuple[str | bytes, int, str]] = {
    "too few fields": (GOOD.replace("\tGREET", ""), 2, "3 tab-separated fields"),
    "too many fields": (GOOD.replace("hello\t", "hel\tlo\t"), 3, "5 tab-separated fields"),
    "stripped": (GOOD.replace("hello\t\t", "hello"), 3, "2 tab-separated fields"),
    "blanks for a blank line": (GOOD + "  \n", 5, "1 tab-separated fields"),
    "unknown role": (GOOD.replace("SYSTEM", "AGENT"), 3, "role 'AGENT'"),
    "rating off the scale": (GOOD.replace("3,4,3", "3,6,3"), 2, "ratings '3,6,3'"),
    "rating not a number": (GOOD.replace("3,4,3", "3,x,3"), 2, "digits from 1 to 5"),
    "rating missing": (GOOD.replace("3,4,3", "3,,3"), 2, "digits from 1 to 5"),
    "other digits": (GOOD.replace("3,4,3", "3,\u0664,3"), 2, "digits from 1 to 5"),
    "unrated user turn": (GOOD.replace("3,4,3", ""), 2, "without ratings"),
    "rated system turn": (GOOD.replace("hello\t\t", "hello\t\t3,4,3"), 3, "rates a SYSTEM turn"),
    "other count": (GOOD.replace("3,4,3", "3,4"), 2, "expected 3, as in .* \\(line 4\\)"),
    "no OVERALL": (GOOD.replace("USER\tOVERALL\t\t4,4,3\n", ""), 3, "without OVERALL"),
    "OVERALL not last": (GOOD + "SYSTEM\tbye\t\t\n", 4, "more rows follow"),
    "sessions run together": (GOOD + GOOD[1:], 4, "more rows follow"),
    "OVERALL of the system": (GOOD.replace("USER\tOVERALL\t\t4,4,3", "SYSTEM\tOVERALL\t\t"), 4,
                              "without OVERALL"),
    "no turns": ("\nUSER\tOVERALL\t\t4,4,3\n", 2, "without turns"),
    "CRLF": (GOOD.replace("\n", "\r\n"), 1, "carriage return"),
    "CR": (GOOD.replace("hello", "hel\rlo"), 3, "carriage return"),
    "byte order mark": ("\ufeff" + GOOD, 1, "byte order mark"),
    "not UTF-8": (GOOD.encode().replace(b"hello", b"caf\xe9"), 3, "not UTF-8 at byte 11"),
}  # fmt: skip


@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed_rows_are_named(tmp_path: Path, kind: str) -> None:
    text, line, message = MALFORMED[kind]
    with pytest.raises(RetrialError, match=rf"tiny\.txt, line {line}: .*{message}.*") as caught:
        read_text(tmp_path, text)
    assert "; expected " in str(caught.value)


@pytest.mark.parametrize("text", ["", "\n", "\n\n\n"])
def test_a_file_without_sessions_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(RetrialError, match="holds no session"):
        read_text(tmp_path, text)


def test_missing_files_and_unknown_options_are_errors(tmp_path: Path) -> None:
    with pytest.raises(RetrialError, match=r"none\.txt: can't be read"):
        read(tmp_path / "none.txt")
    with pytest.raises(RetrialError, match="no files"):
        read()
    with pytest.raises(RetrialError, match="unknown option turns"):
        get_reader("uss")([tmp_path], source="uss", strata={}, options={"turns": 1})

"""The reader of published values: digits kept, and every fault named by file and line."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from retrial.published import (
    PublishedError,
    PublishedValue,
    block_half_units,
    load_published,
)

PUBLISHED = Path(__file__).parents[2] / "data" / "published"
HEADER = "study,table,row,column,printed,source\n"


def cell(printed: str) -> PublishedValue:
    """A cell with this printed text."""
    return PublishedValue("s", "t", "r", "c", printed, "somewhere")


@pytest.mark.parametrize(
    ("printed", "value", "half"),
    [
        ("0.47", 0.47, 0.005),
        ("0.5", 0.5, 0.05),
        ("-0.02", -0.02, 0.005),
        ("\N{MINUS SIGN}0.02", -0.02, 0.005),
        (".125", 0.125, 0.0005),
        ("62%", 0.62, 0.005),
        ("20.5%", 0.205, 0.0005),
        ("140", 140.0, 0.5),
    ],
)
def test_value_and_half_unit(printed: str, value: float, half: float) -> None:
    """The number and half a unit of its last digit."""
    assert cell(printed).value == pytest.approx(value, abs=1e-15)
    assert cell(printed).half_unit == pytest.approx(half, abs=1e-15)


def test_empty_value_is_not_at_hand() -> None:
    """An empty cell has no number."""
    assert not cell("").at_hand
    assert math.isnan(cell("").value)
    assert math.isnan(cell("").half_unit)


def test_dropped_zeros_are_read_with_the_usual_digits() -> None:
    """A short cell takes the digits of its block, a long one keeps its own, per cent apart."""
    block = [cell(text) for text in ("0.5", "0.42", "0.54", "0.625", "62%", "")]
    halves = block_half_units(block)
    assert halves[:5] == pytest.approx([0.005, 0.005, 0.005, 0.0005, 0.005])
    assert math.isnan(halves[5])


def test_every_published_file_reads() -> None:
    """The shipped files parse; each row of the classification tables is whole."""
    files = sorted(PUBLISHED.glob("*.csv"))
    assert files
    for path in files:
        values = load_published(path)
        assert all(v.at_hand and v.source for v in values)
        assert {v.study for v in values} == {path.stem.partition("_")[0]}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("s,t,r,c,0.5,x\ns,t,r,c,0.6,x\n", r"line 3: s / t / r / c was already given in line 2"),
        ("s,t,r,c,0.5\n", r"line 2: 5 fields where 6"),
        ("s,t,r,c,0.5,a,b\n", r"line 2: 7 fields where 6"),
        ("s,t,,c,0.5,x\n", r"line 2: row is empty"),
        ("s,t,r,c,0.5,x\n\ns,t,r,d,about 5,x\n", r"line 4: printed is 'about 5'"),
        ("s,t,r,c,nan,x\n", r"line 2: printed is 'nan'"),
        ('s,t,r,c,"0,5",x\n', r"line 2: printed is '0,5'"),
        ('s,t,r,c,0.5,"x\n', r"line 2: not valid CSV"),
        ("", r"no values below the header"),
    ],
)
def test_faults_name_file_and_line(tmp_path: Path, body: str, message: str) -> None:
    """A malformed line stops the reader, with its number."""
    path = tmp_path / "bad.csv"
    path.write_text(HEADER + body, encoding="utf-8")
    with pytest.raises(PublishedError, match=message) as error:
        load_published(path)
    assert str(path) in str(error.value)


def test_wrong_header_missing_file_and_wrong_encoding(tmp_path: Path) -> None:
    """Files that are no published values at all."""
    path = tmp_path / "bad.csv"
    path.write_text("a,b\n", encoding="utf-8")
    with pytest.raises(PublishedError, match="line 1: the header is 'a,b'"):
        load_published(path)
    path.write_bytes((HEADER + "s,t,r,c,0.5,caf").encode() + b"\xe9\n")
    with pytest.raises(PublishedError, match="UTF-8"):
        load_published(path)
    with pytest.raises(PublishedError, match="cannot be read"):
        load_published(tmp_path / "absent.csv")


def test_byte_order_mark_and_empty_value_are_accepted(tmp_path: Path) -> None:
    """A file saved by a spreadsheet reads; an empty number stays empty."""
    path = tmp_path / "sheet.csv"
    path.write_bytes(b"\xef\xbb\xbf" + (HEADER + "s,t,r,c,,not read yet\r\n").encode())
    (value,) = load_published(path)
    assert not value.at_hand

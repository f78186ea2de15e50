"""Wrong options of own dialogues, and files that can't be read."""

from pathlib import Path
from typing import Any

import pytest
from own_files import jsonl, read, record

from retrial.errors import RetrialError


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": 5}, r"unknown option 'scale'; known: scale_low"),
        ({"scale_low": "0", "scale_high": 1}, "option scale_low is '0'; it must be a number"),
        ({"scale_low": True, "scale_high": 1}, "option scale_low is True; it must be a number"),
        ({"scale_low": 0}, "give both scale_low and scale_high"),
        ({"scale_low": 5, "scale_high": 5}, "the scale 5-5 can't be used"),
        ({"scale_low": 0, "scale_high": float("inf")}, "can't be used"),
        ({"scale_low": float("nan"), "scale_high": 2}, "can't be used"),
        ({"scale_low": 0, "scale_high": 10**400}, "too large"),
        ({"leave_out_unrated": 1}, "option leave_out_unrated is 1; it must be true or false"),
        ({"rating_columns": True}, "option rating_columns is True; it must be a text"),
        ({"rating_columns": 3}, "option rating_columns is 3; it must be a text, column names"),
        ({"rating_columns": "a", "ignored_columns": "a"}, "the column 'a' is named twice"),
        ({"strata_columns": "split"}, "the column 'split' has a meaning of its own"),
    ],
)
def test_a_wrong_option_is_told(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(RetrialError, match=message):
        read(jsonl(tmp_path, [record("a")]), **options)


def test_files_that_can_not_be_read_are_told(tmp_path: Path) -> None:
    with pytest.raises(RetrialError, match="no files to read; list them under `paths`"):
        read()
    with pytest.raises(RetrialError, match=r"d\.xlsx: unknown kind of file; .*\.jsonl"):
        read(tmp_path / "d.xlsx")
    for name in ("d.jsonl", "d.csv", "d.parquet"):
        with pytest.raises(RetrialError, match=rf"{name}: can't be read"):
            read(tmp_path / name)
    with pytest.raises(RetrialError, match=r"two files are named 'd\.csv'"):
        read(tmp_path / "d.csv", tmp_path / "x" / "d.csv")

"""TextAttack's CSV logs: which rows count, and how faults are named."""

import csv
import io
import logging

import pytest

from retrial.errors import RetrialError
from retrial.items.attacks.log import AttackedText, read_log

COLUMNS = ["ground_truth_output", "num_queries", "original_output", "original_score",
           "original_text", "perturbed_output", "perturbed_score", "perturbed_text",
           "result_type"]  # fmt: skip


def log(*rows: tuple[str, str, str], columns: list[str] = COLUMNS) -> bytes:
    """A log of (benign, attacked, result) rows, quoted as TextAttack quotes."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow(columns)
    for benign, attacked, result in rows:
        values = {"original_text": benign, "perturbed_text": attacked, "result_type": result}
        writer.writerow([values.get(name, 0.0) for name in columns])
    return text.getvalue().encode()


def test_only_successful_rows_count_and_keep_their_lines():
    data = log(
        ("[[a]] b", "[[c]] b", "Successful"),
        ("x", "x", "Skipped"),
        ("[[d]]", "[[e]]", "Failed"),
        ('"quoted", [[f]]', '"quoted", [[g]]', "Successful"),
        ("[[line]]\nfeed", "[[lime]]\nfeed", "Successful"),
        ("last [[h]]", "last [[i]]", "Successful"),
    )
    assert read_log(data, "l.csv") == [
        AttackedText(2, "a b", "c b"),
        AttackedText(5, '"quoted", f', '"quoted", g'),
        AttackedText(6, "line\nfeed", "lime\nfeed"),
        AttackedText(9, "last h", "last i"),
    ]


def test_columns_are_found_by_name_and_a_byte_order_mark_is_dropped():
    data = log(("[[a]]", "[[b]]", "Successful"), columns=[*reversed(COLUMNS), "extra"])
    assert read_log(b"\xef\xbb\xbf" + data, "l") == [AttackedText(2, "a", "b")]
    assert read_log(data.replace(b"\n", b"\r\n"), "l") == [AttackedText(2, "a", "b")]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (("[[a", "b", "Successful"), "not closed"),
        (("a", "b]]", "Successful"), "closes no"),
        (("[[same]]", "[[same]]", "Successful"), "changed nothing"),
        ((" ", "[[b]]", "Successful"), "blank"),
        (("a", "", "Successful"), "blank"),
        (("first [[a]]", "first [[c]]", "Successful"), "that of line 2"),
    ],
)
def test_a_row_that_is_no_attack_is_left_out_and_named(caplog, row, why):
    data = log(("first [[a]]", "first [[b]]", "Successful"), row, ("c", "d", "Successful"))
    with caplog.at_level(logging.WARNING, "retrial"):
        assert [pair.line for pair in read_log(data, "l.csv")] == [2, 4]
    assert "l.csv, line 3: left out" in caplog.text and why in caplog.text


def test_a_row_of_no_success_is_not_looked_at(caplog):
    assert read_log(log(("[[a", "b", "Failed"), ("", "", "Skipped")), "l") == []
    assert not caplog.text


HEADER = log()


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b"", ["lacks the columns original_text, perturbed_text, result_type"]),
        (b"a,b\n1,2\n", ["line 1 lacks the columns"]),
        (HEADER + b'0.0,"a"\n', ["line 2 has 2 fields; expected 9"]),
        (log(("a", "b", "Success")), ["line 2 has the result 'Success'; expected one of Failed"]),
        (HEADER + b'0.0,"a\n', ["line 2 is not CSV"]),
        (HEADER + b'0.0,"\xff"\n', ["line 2 is not UTF-8"]),
        (HEADER + b"1\n" * 8, ["line 6 has 1 fields", "and 3 more"]),
    ],
)
def test_a_file_that_is_no_log_is_refused_with_its_bad_lines(data, named):
    with pytest.raises(RetrialError, match=r"l\.csv: not a readable attack log") as caught:
        read_log(data, "l.csv")
    assert all(part in str(caught.value) for part in named)


@pytest.mark.realdata
def test_the_real_pwws_log_has_539_successful_pairs(mirror):
    path = mirror / "textattack" / "bert-base-uncased-ag-news_pwws.csv"
    pairs = read_log(path.read_bytes(), path.name)
    assert len(pairs) == 539
    assert all("[[" not in p.benign + p.attacked for p in pairs)
    frame = list(csv.DictReader(path.open(encoding="utf-8", newline="")))
    strip = str.maketrans("", "", "[]")
    for pair in pairs:
        row = frame[pair.line - 2]  # one row a line, the header on the first
        assert row["result_type"] == "Successful"
        assert row["original_text"].translate(strip) == pair.benign.translate(strip)
        assert row["perturbed_text"].translate(strip) == pair.attacked.translate(strip)

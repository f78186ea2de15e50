"""Answers in, readings out: both formats, order, and faults with their line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrial.errors import RetrialError
from retrial.scoring.parse_stream import parse_lines
from retrial.scoring.parsers import get

ROBUST, CHIANG = get("robust"), get("chiang2023")


def test_an_object_a_line_comes_back_as_an_object_a_line() -> None:
    lines = ['{"text": "Rating: 4"}\n', '{"text": "I can\'t judge this."}\n']
    first, second = parse_lines(lines, ROBUST, json_lines=True)
    assert json.loads(first) == {
        "value": 4.0,
        "status": "ok",
        "span": [8, 9],
        "flags": [],
        "reason": ROBUST("Rating: 4").reason,
    }
    assert list(json.loads(first)) == sorted(json.loads(first))
    assert '"value": 4.0' in first
    assert json.loads(second)["value"] is None
    assert json.loads(second)["span"] is None
    assert json.loads(second)["status"] == "refusal"


def test_task_finish_reason_and_scale_reach_the_parser() -> None:
    lines = [
        '{"text": "title 1: 4", "task": "attack"}',
        '{"text": "title 1: 4"}',
        '{"text": "8", "scale": [1, 10]}',
        '{"text": "8"}',
    ]
    values = [json.loads(line)["value"] for line in parse_lines(lines, CHIANG, json_lines=True)]
    assert values == [4.0, 1.0, 8.0, None]
    cut = ['{"text": "4.", "finish_reason": "length"}', '{"text": "4.", "finish_reason": null}']
    statuses = [json.loads(line)["status"] for line in parse_lines(cut, ROBUST, json_lines=True)]
    assert statuses == ["truncated", "ok"]


def test_plain_lines_give_three_fields_a_line() -> None:
    lines = ["Rating: **4.5**/5\r\n", "\n", "3-4\n", "four"]
    assert list(parse_lines(lines, ROBUST, json_lines=False)) == [
        "4.5\tok\t4.5",
        "\tempty\t",
        "\trange\t3-4",
        "4.0\tok\tfour",
    ]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("Rating: 4", "not JSON"),
        ("", "not JSON"),
        ("[4]", "an object is wanted, not list"),
        ('{"answer": "4"}', "'text'"),
        ('{"text": 4}', "'text'"),
        ('{"text": "4", "task": "poem"}', "'task' is 'poem'"),
        ('{"text": "4", "finish_reason": 1}', "'finish_reason'"),
        ('{"text": "4", "scale": [5, 1]}', "'scale'"),
        ('{"text": "4", "scale": "1-5"}', "'scale'"),
        ('{"text": "4", "scale": [1, true]}', "'scale'"),
    ],
)
def test_a_malformed_line_is_named(line: str, what: str) -> None:
    readings = parse_lines(['{"text": "4"}', line], ROBUST, json_lines=True)
    assert json.loads(next(readings))["value"] == 4.0  # what came before is not lost
    with pytest.raises(RetrialError, match="line 2") as caught:
        next(readings)
    assert what in str(caught.value)


def test_lines_are_read_one_at_a_time() -> None:
    def endless() -> object:
        while True:
            yield "4"

    readings = parse_lines(endless(), ROBUST, json_lines=False)  # type: ignore[arg-type]
    assert [next(readings) for _ in range(3)] == ["4.0\tok\t4"] * 3


@given(st.lists(st.text(max_size=30), max_size=5))
def test_every_line_of_input_gives_one_line_of_output(texts: list[str]) -> None:
    lines = [json.dumps({"text": text}) for text in texts]
    out = list(parse_lines(lines, ROBUST, json_lines=True))
    assert [json.loads(line)["value"] for line in out] == [ROBUST(text).value for text in texts]
    assert not any("\n" in line for line in out)

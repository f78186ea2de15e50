"""The parse ledger: counts, examples, and what failed answers count as, worked by hand."""

import json
from pathlib import Path
from typing import Literal

import pytest
from core_rows import answer, rating, write

from retrial.published import PublishedValue
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.declare import (
    CellSpec,
    Declaration,
    ParseExample,
    RaterMatrix,
    Selection,
    Shift,
    StatusCount,
)
from retrial.tables.description import Description
from retrial.tables.select import Results

RATINGS, ANSWERS = "ratings/j/d/e.parquet", "answers/j/d/e.parquet"
Kind = Literal["unread", "different"]
BOOTSTRAP = Bootstrap(50, 0.95, 1)
NOTHING_PRINTED: list[PublishedValue] = []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two items with two answers each; one answer has no number, one is read in two ways."""
    texts = {"a0": "4", "a1": "2 errors, so a 5", "b0": "I can't say", "b1": "3"}
    first = {"a0": 4.0, "a1": 2.0, "b0": None, "b1": 3.0}
    robust = {**first, "a1": 5.0}
    rows = [
        rating(
            name[0], scores[name], reading=parser, sample=int(name[1]), request_id=name,
            status="ok" if scores[name] is not None else "no_number",
            reason=None if scores[name] is not None else "no number in the answer",
        )
        for parser, scores in (("chiang2023", first), ("robust", robust))
        for name in texts
    ]  # fmt: skip
    write(tmp_path, RATINGS, "ratings", *rows)
    asked = [answer(name, text=text, method="generation") for name, text in texts.items()]
    write(tmp_path, ANSWERS, "answers", *asked)
    return tmp_path


def readings(parser: str) -> Selection:
    return Selection("judge", RATINGS, (("reading", parser),))


def cell(root: Path, spec: CellSpec) -> dict[str, object]:
    declared = Declaration("a_b", (spec,), Description("", ()))
    cells = build_cells(declared, Results(root), Printed.of(NOTHING_PRINTED), BOOTSTRAP)
    found: dict[str, object] = cells.to_pylist()[0]
    return found


@pytest.mark.parametrize(("status", "count"), [("ok", 3), ("no_number", 1), ("refusal", 0)])
def test_statuses_are_counted(root: Path, status: str, count: int) -> None:
    sample = StatusCount(readings("robust"), status)
    found = cell(root, CellSpec("r", "c", "", "status-count", sample, "d"))
    assert (found["value"], found["n"], found["kind"]) == (count, 4, "ledger")
    assert found["excluded"] == [("no_number", 1)]


@pytest.mark.parametrize(
    ("parser", "failed", "mean", "agreement"),
    [
        ("chiang2023", None, 9 / 3, 0.0),  # 4, 2, 3
        ("chiang2023", 1.0, 10 / 4, 0.0),  # and a 1
        ("chiang2023", 3.0, 12 / 4, 50.0),  # and a 3, which agrees with the other 3
        ("robust", None, 12 / 3, 0.0),  # 4, 5, 3
    ],
)
def test_rules_move_a_number_as_worked_by_hand(
    root: Path, parser: str, failed: float | None, mean: float, agreement: float
) -> None:
    sample = RaterMatrix(readings(parser), failed)
    found = cell(root, CellSpec("r", "c", "", "mean", sample))
    assert found["value"] == pytest.approx(mean)
    assert found["excluded"] == [("no_number", 1)]
    parameters = json.loads(str(found["parameters"]))
    assert parameters == ({} if failed is None else {"failed": failed})
    agree = cell(root, CellSpec("r", "c", "", "exact-agreement", sample))
    assert agree["value"] == pytest.approx(agreement)


def test_the_rule_changes_no_member(root: Path) -> None:
    digests = {
        cell(root, CellSpec("r", "c", "", "mean", RaterMatrix(readings("robust"), failed)))[
            "selections"
        ][0]["members_sha256"]  # type: ignore[index]
        for failed in (None, 1.0, 3.0)
    }
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("parser", "failed", "shift"),
    [
        ("chiang2023", 1.0, 10 / 4 - 9 / 3),
        ("chiang2023", 3.0, 0.0),
        ("robust", None, 12 / 3 - 9 / 3),
        ("robust", 1.0, 13 / 4 - 9 / 3),
    ],
)
def test_a_shift_is_the_difference_of_the_two_numbers(
    root: Path, parser: str, failed: float | None, shift: float
) -> None:
    sample = Shift(readings(parser), readings("chiang2023"), failed)
    found = cell(root, CellSpec("r", "c", "", "mean", sample))
    assert found["value"] == pytest.approx(shift)
    assert found["n"] == 2
    assert float(str(found["ci_low"])) <= shift <= float(str(found["ci_high"]))
    recorded = found["selections"]
    assert isinstance(recorded, list)
    assert len(recorded) == (1 if parser == "chiang2023" else 2)


def test_a_rule_that_changes_nothing_shifts_nothing(root: Path) -> None:
    sample = Shift(readings("chiang2023"), readings("chiang2023"))
    found = cell(root, CellSpec("r", "c", "", "mean", sample))
    assert (found["value"], found["ci_low"], found["ci_high"]) == (0.0, 0.0, 0.0)


def example(field: str, kind: Kind, place: int = 0) -> CellSpec:
    sample = ParseExample(readings("chiang2023"), readings("robust"), ANSWERS, kind, place, field)
    return CellSpec("r", "c", "", "parse-example", sample, "s")


@pytest.mark.parametrize(
    ("kind", "field", "text"),
    [
        ("unread", "answer", "I can't say"),
        ("unread", "request", "b0"),
        ("unread", "readings", "chiang2023: no_number; robust: no_number"),
        (
            "unread",
            "reason",
            "chiang2023: no number in the answer; robust: no number in the answer",
        ),
        ("different", "answer", "2 errors, so a 5"),
        ("different", "request", "a1"),
        ("different", "readings", "chiang2023: 2; robust: 5"),
        ("different", "reason", "none given"),
    ],
)
def test_examples_are_found_and_explained(root: Path, kind: Kind, field: str, text: str) -> None:
    found = cell(root, example(field, kind))
    assert (found["value_text"], found["n"], found["kind"]) == (text, 1, "ledger")
    further = cell(root, example(field, kind, 1))
    assert (further["value_text"], further["reason"]) == (None, "no further such answer")


def test_every_pair_of_statuses_comes_before_any_comes_again(tmp_path: Path) -> None:
    statuses = {"a": "no_number", "b": "no_number", "c": "refusal", "d": "ok"}
    rows = [
        rating(name, 3.0 if status == "ok" else None, reading=parser, request_id=name,
               status=status)
        for parser in ("chiang2023", "robust")
        for name, status in statuses.items()
    ]  # fmt: skip
    write(tmp_path, RATINGS, "ratings", *rows)
    order = [
        cell(tmp_path, example("request", "unread", place))["value_text"] for place in (0, 1, 2)
    ]
    assert order == ["a", "c", "b"]
    assert cell(tmp_path, example("request", "different"))["reason"] == "no such answer"

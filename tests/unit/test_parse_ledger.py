"""The parse ledger: counts, examples, and what failed answers count as, worked by hand."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from core_rows import answer, item, rating, write

from retrial.published import PublishedValue
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.declare import (
    CellSpec,
    Declaration,
    ParseExample,
    RaterMatrix,
    Selection,
    StatusCount,
)
from retrial.tables.description import Description
from retrial.tables.select import Results

RATINGS, ANSWERS = "ratings/j/d/e.parquet", "answers/j/d/e.parquet"
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
    write(tmp_path, "items/d.parquet", "items", item("a"), item("b"))
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


def example(field: str, status: str | None, first: str = "chiang2023") -> CellSpec:
    order = [first, "robust" if first == "chiang2023" else "chiang2023"]
    sample = ParseExample(tuple(map(readings, order)), ANSWERS, status, field)
    return CellSpec("r", "c", "", "parse-example", sample, "s")


def test_examples_are_found_and_explained(root: Path) -> None:
    spec = example("answer", "no_number")
    assert cell(root, spec)["value_text"] == "I can't say"
    assert cell(root, example("request", "no_number"))["value_text"] == "b0"
    assert cell(root, example("reason", "no_number"))["value_text"] == "no number in the answer"
    differing = example("readings", None)
    assert cell(root, differing)["value_text"] == "chiang2023: 2; robust: 5"
    assert (
        cell(root, replace(differing, sample=replace(differing.sample, field="answer")))[  # type: ignore[type-var]
            "value_text"
        ]
        == "2 errors, so a 5"
    )
    none = cell(root, example("answer", "range"))
    assert (none["value_text"], none["reason"]) == (None, "no such answer")

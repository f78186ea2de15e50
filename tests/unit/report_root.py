"""A small results folder for tests of the report: computed numbers, and hostile texts."""

import sys
from collections.abc import Iterable
from pathlib import Path
from statistics import mean
from types import ModuleType
from typing import Any

import pyarrow as pa
from core_rows import answer, human, item, prompt, rating, turns

from retrial.published import PublishedValue
from retrial.record import CELLS, CONTRACTS, Run, from_rows
from retrial.report.build import Report
from retrial.sources.catalogue import Sources
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.declare import (
    CellSpec,
    Comparison,
    Declaration,
    JudgeAgainstHuman,
    NotAtHand,
    RaterMatrix,
    Selection,
)
from retrial.tables.description import ColumnGroup, Description
from retrial.tables.render.csv import render_csv
from retrial.tables.select import Results

TABLE = "jia2024_table2"
"""Tests register a declaration of their own under this id, with `declare_for_test`."""

HOSTILE = "</script><script>window.owned = 1</script><img src=x onerror='window.owned = 2'>"
ROW = "A & <b>B</b> / zero-shot"
REASON = "nobody <em>released</em> them"
NEEDLE = "a sentence that stands in one prompt only"
RATINGS, HUMAN = "ratings/j/d/e.parquet", "ratings/human/d.parquet"
JUDGE = Selection("judge", RATINGS, (("reading", "expectation"),))
PEOPLE = Selection("human", HUMAN)
STATISTICS = {"resamples": 50, "level": 0.95, "seed": 1}
SOURCES = {
    "s": {
        "title": "A source with <angles>",
        "homepage": "https://example.org/",
        "citation": "c",
        "licence": "none stated",
        "note": "n",
        "files": {"f": {"url": "https://example.org/f", "trust": "first-use", "max_bytes": 9}},
    }
}


def declaration() -> Declaration:
    """Four cells: two over ratings, one that agrees with print, one that can't be computed."""
    same = Comparison("same-ratings")
    pairs = JudgeAgainstHuman(JUDGE, PEOPLE, "mean")
    cells = (
        CellSpec(ROW, "spearman", "A & <b>B</b>", "spearman", pairs, comparison=same),
        CellSpec(ROW, "mean", "A & <b>B</b>", "mean", RaterMatrix(JUDGE), comparison=same),
        CellSpec("people", "mean", "people", "mean", RaterMatrix(PEOPLE)),
        CellSpec("people", "spearman", "people", "", NotAtHand(REASON)),
    )
    columns = (("spearman", "Spearman"), ("mean", "mean"))
    return Declaration(TABLE, cells, Description("A table of <tests>", (ColumnGroup("", columns),)))


def declare_for_test(monkeypatch: Any) -> None:
    """Make the report find `declaration` where it looks for the table's module."""
    module = ModuleType(f"retrial.tables.{TABLE}")
    module.declare = lambda job: declaration()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)


def make_root(root: Path, items: int = 60) -> Path:
    """Items, prompts, answers and ratings, and a table built from them; returns the folder.

    Item 0 is hostile in every text. Item 7 has no rating. Scores are (i % 9) / 2 + 1.
    """
    ids = [f"i{number:04}" for number in range(items)]
    texts = {i: HOSTILE if n == 0 else f"I am dialogue {n}" for n, i in enumerate(ids)}
    source = root.parent / "raw" / "s" / "f"
    source.parent.mkdir(parents=True)
    source.write_text("as downloaded")
    rows = (_item(n, i, texts[i]) for n, i in enumerate(ids))
    put(root, "items/d.parquet", "items", rows, str(source))
    put(root, HUMAN, "ratings", (_human(n, i, r) for n, i in enumerate(ids) for r in (0, 1)))
    prompts = "prompts/d/e.parquet"
    asked = (prompt(f"p-{i}", "hello", texts[i], item_id=i) for i in ids)
    put(root, prompts, "prompts", asked, "items/d.parquet")
    answers = "answers/j/d/e.parquet"
    put(root, answers, "answers", (_answer(n, i, texts[i]) for n, i in enumerate(ids)), prompts)
    put(root, RATINGS, "ratings", (_rating(n, i) for n, i in enumerate(ids)), answers)
    _put_table(root, [given for n in range(items) if (given := score(n)) is not None])
    return root


def put(root: Path, file: str, contract: str, rows: Iterable[Any], *inputs: str) -> None:
    """A results file with a sidecar that names its inputs."""
    kind = CONTRACTS[contract]
    run = Run(rule=f"make_{contract}", root=root, inputs=tuple(root / path for path in inputs))
    run.write_table(root / file, from_rows(rows, kind), kind)


def _put_table(root: Path, scores: list[float]) -> None:
    printed = f"{mean(scores):.2f}"
    values = [
        PublishedValue("jia2024", "table2", ROW, "mean", printed, "p. 1"),
        PublishedValue("jia2024", "table2", ROW, "spearman", "-0.99", "p. 1"),
    ]
    cells: pa.Table = build_cells(
        declaration(), Results(root), Printed.of(values), Bootstrap(**STATISTICS)
    )
    inputs = (RATINGS, HUMAN, "answers/j/d/e.parquet", "items/d.parquet")
    run = Run(
        rule="build_table",
        root=root,
        inputs=tuple(root / path for path in inputs),
        parameters={"table": TABLE, "statistics": STATISTICS},
    )
    run.write_table(root / f"tables/{TABLE}.parquet", cells, CELLS)
    run.write_text(root / f"tables/{TABLE}.csv", render_csv(cells))


def report_of(root: Path, chunk: int = 20) -> Report:
    """The report of such a folder."""
    return Report(root, "results/test", [TABLE], [], Sources.model_validate({"sources": SOURCES}),
                  chunk=chunk)  # fmt: skip


def score(number: int) -> float | None:
    """The judge's rating of an item."""
    return None if number == 7 else number % 9 / 2 + 1


def _item(number: int, item_id: str, text: str) -> dict[str, Any]:
    return item(item_id, turns=turns("hello", text), source_line=number + 1,
                strata=[("subset", HOSTILE if number == 0 else "d")])  # fmt: skip


def _human(number: int, item_id: str, rater: int) -> dict[str, Any]:
    line = {"source_line": number + 1}
    return {**human(item_id, f"rater-{rater}", float((number + rater) % 5 + 1)), **line}


def _answer(number: int, item_id: str, text: str) -> dict[str, Any]:
    more = f"\n{NEEDLE}" if number == 42 else ""
    return answer(
        f"r-{item_id}",
        prompt_id=f"p-{item_id}",
        method="generation",
        prompt_text=f"Rate the dialogue.\nUSER: hello\nSYSTEM: {text}{more}\nRating:",
        text=f"\N{GRINNING FACE} {text}: {score(number) or 'none'}!",
        rating_logprobs=None,
    )


def _rating(number: int, item_id: str) -> dict[str, Any]:
    text = HOSTILE if number == 0 else f"I am dialogue {number}"
    start = len(f"\N{GRINNING FACE} {text}: ")
    given = score(number)
    span = {} if given is None else {"span_start": start, "span_end": start + len(str(given))}
    return rating(item_id, given, **span)

"""The audit of one cell and the full verify, on a small folder made through the library."""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from core_rows import human, item, turns, write

from retrial.audit.chain import audit_cell
from retrial.audit.find_cell import cells_that_print, find_cell
from retrial.audit.rows import Choice
from retrial.audit.verify import verify
from retrial.errors import RetrialError
from retrial.record import CELLS, RATINGS, read
from retrial.record.sidecar import Run
from retrial.tables import declaration_of
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.select import Results

TABLE = "chiang2023_table5"
JOB = {
    "table": TABLE,
    "spec": {"datasets": ["chiang2023-stories"]},
    "statistics": {"resamples": 20, "level": 0.95, "seed": 1},
    "judges": {},
    "recordings": {},
}
HUMAN = "ratings/human/chiang2023-stories.parquet"
ITEMS_FILE = "items/chiang2023-stories.parquet"
ATTRIBUTES = ("grammaticality", "cohesiveness", "likability", "relevance")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three stories of each writer, rated by three teachers, and the table made from them."""
    root = tmp_path_factory.mktemp("audited") / "results"
    generator = random.Random(3)
    stories, ratings = [], []
    for writer in ("human-written", "gpt2"):
        for number in range(3):
            name = f"{writer}-{number}"
            stories.append(item(name, "all", strata=[("writer", writer)], turns=turns(name)))
            ratings += [
                human(name, f"teacher-{t}", float(generator.randint(1, 5)), attribute=attribute)
                for attribute in ATTRIBUTES
                for t in range(3)
            ]
    write(root, ITEMS_FILE, "items", *stories)
    write(root, HUMAN, "ratings", *ratings)
    build_table(root)
    return root


def build_table(root: Path) -> None:
    """The table by the same steps as the rule's, with its sidecar."""
    statistics = JOB["statistics"]
    assert isinstance(statistics, dict)
    cells = build_cells(
        declaration_of(JOB),
        Results(root),
        Printed.of([]),
        Bootstrap(statistics["resamples"], statistics["level"], statistics["seed"]),
    )
    run = Run("build_table", root, (root / ITEMS_FILE, root / HUMAN), dict(JOB))
    run.write_table(root / "tables" / f"{TABLE}.parquet", cells, CELLS)


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "results")
    return tmp_path / "results"


def broken(root: Path) -> list[str]:
    return [f"{link.file}: {link.what}" for link in verify(root) if link.broken]


def audited(root: Path, target: str) -> list[str]:
    """Broken links of the cell itself: the synthetic items have no source and no true ids."""
    found = audit_cell(root, find_cell(root, target))
    json.dumps(found.to_json(), allow_nan=False)
    own = {"cell", "members", "chain", "value"} | {f.name for f in CELLS.fields}
    return [link.what for link in found.links() if link.broken and link.what in own]


@pytest.mark.parametrize(
    "target",
    [
        f"{TABLE}[teachers / gpt2].relevance_mean",
        f"{TABLE.upper()} [ Teachers, GPT2 ] . Relevance_Mean",
        f"{TABLE}[teachers/gpt2].relevance_mean",
    ],
)
def test_a_cell_is_found_however_it_is_written(root: Path, target: str) -> None:
    assert str(find_cell(root, target)) == f"{TABLE}[teachers / gpt2].relevance_mean"


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        (f"{TABLE}[teachers / gpt3].relevance_mean", "teachers / gpt2"),
        (f"{TABLE}[teachers / gpt2].relevanse_mean", "relevance_mean"),
        ("chiang2023_table6[teachers / gpt2].relevance_mean", TABLE),
        ("relevance_mean", r"TABLE\[ROW\]"),
    ],
)
def test_a_near_miss_is_suggested(root: Path, target: str, hint: str) -> None:
    with pytest.raises(RetrialError, match=hint):
        find_cell(root, target)


def test_cells_are_found_by_what_they_print(root: Path) -> None:
    cells = read(root / f"tables/{TABLE}.parquet", CELLS).to_pylist()
    wanted = next(c for c in cells if c["column"] == "likability_mean")
    printed = f"{wanted['value'] + 1e-9:.2f}"
    names = [str(name) for name, _ in cells_that_print(root, printed)]
    assert f"{TABLE}[{wanted['row']}].likability_mean" in names


def test_a_whole_cell_has_no_broken_link_and_shows_its_ratings(root: Path) -> None:
    name = find_cell(root, f"{TABLE}[teachers / gpt2].relevance_mean")
    found = audit_cell(root, name, Choice(worst=1, sample=2))
    states = {link.state for link in found.links() if link.what in ("cell", "members")}
    assert states == {"VERIFIED"}
    assert len(found.rows) == 2 + 3  # two drawn, and the three ratings of the strongest item
    assert "moves the cell by" in found.rows[0][0].facts


def flip_byte(root: Path) -> str:
    path = root / HUMAN
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    return HUMAN


def change_row(root: Path) -> str:
    """A rating changed by a forger who writes a true sidecar as well."""
    rows = read(root / HUMAN, RATINGS).to_pylist()
    changed = next(r for r in rows if r["attribute"] == "relevance" and "gpt2" in r["item_id"])
    changed["score"] = 6.0 - changed["score"] if changed["score"] != 3.0 else 1.0
    write(root, HUMAN, "ratings", *rows)
    return TABLE


def drop_row(root: Path) -> str:
    rows = read(root / HUMAN, RATINGS).to_pylist()
    write(root, HUMAN, "ratings", *[r for r in rows if r is not rows[0]])
    return TABLE


def change_cell(root: Path) -> str:
    """A printed value changed, with a sidecar that fits."""
    path = root / f"tables/{TABLE}.parquet"
    rows = read(path, CELLS).to_pylist()
    rows[0]["value"] += 0.25
    write(root, f"tables/{TABLE}.parquet", "cells", *rows)
    sidecar = path.with_name(path.name + ".prov.json")
    record = json.loads(sidecar.read_text())
    record["parameters"], record["job"]["rule"] = JOB, "build_table"
    sidecar.write_text(json.dumps(record))
    return TABLE


def change_parameter(root: Path) -> str:
    path = root / f"tables/{TABLE}.parquet.prov.json"
    record = json.loads(path.read_text())
    record["parameters"]["statistics"]["seed"] = 2
    path.write_text(json.dumps(record))
    return TABLE


@pytest.mark.parametrize(
    "mutation", [flip_byte, change_row, drop_row, change_cell, change_parameter]
)
def test_verify_names_what_was_changed(root: Path, mutation: Callable[[Path], str]) -> None:
    before = set(broken(root))
    place = mutation(root)
    found = set(broken(root)) - before
    assert any(place in line for line in found), found


def test_cells_that_do_not_use_a_changed_rating_stay_clean(root: Path) -> None:
    clean = f"{TABLE}[teachers / human-written].relevance_mean"
    hit = f"{TABLE}[teachers / gpt2].relevance_mean"
    assert audited(root, clean) == audited(root, hit) == []
    change_row(root)
    assert audited(root, clean) == []
    assert audited(root, hit)

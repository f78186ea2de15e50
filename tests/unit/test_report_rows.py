"""Ratings and texts in script files: whole, in order, shared, and of bounded size."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from core_rows import human, item
from hypothesis import given
from hypothesis import strategies as st
from report_root import (
    HUMAN,
    JUDGE,
    PEOPLE,
    TABLE,
    declare_for_test,
    make_root,
    put,
    report_of,
    score,
)

from retrial.record import RATINGS, from_rows
from retrial.report.behind import Behind
from retrial.report.names import cell_names
from retrial.report.rows import EXCERPT, RowFiles, excerpt
from retrial.report.store import Store
from retrial.tables.declare import Selection
from retrial.tables.select import Results, Selected


def data_of(script: bytes) -> tuple[str, Any]:
    """Key and value of a script file, read as the page reads it."""
    text = script.decode()
    assert text.startswith("retrial.add(") and text.endswith(");\n")
    key, value = json.loads(f"[{text[len('retrial.add(') : -3]}]")
    return key, value


def unpacked(packed: dict[str, Any], rows: int) -> list[Any]:
    if "c" in packed:
        return [packed["c"]] * rows
    return [packed["d"][i] for i in packed["i"]] if "d" in packed else packed["v"]


def column(files: dict[str, bytes], head: dict[str, Any], name: str) -> list[Any]:
    """One column of a selection's rows, through all its chunks."""
    found: list[Any] = []
    for number in range(-(-head["rows"] // head["chunk"])):
        _, chunk = data_of(files[f"data/rows/{head['name']}/{number}.js"])
        found += unpacked(chunk["columns"][name], chunk["rows"])
    return found


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    declare_for_test(monkeypatch)
    return make_root(tmp_path / "results", items=25)


def test_chunks_hold_the_selection_in_the_order_of_the_source(root):
    files = RowFiles(Behind(root), chunk=7)
    head = files.add(Results(root).select(JUDGE))
    assert head["rows"] == 25 and head["statuses"] == [("no_rating_token", 1), ("ok", 24)]
    assert column(files.files, head, "score") == [score(number) for number in range(25)]
    assert len([path for path in files.files if f"/{head['name']}/" in path]) == 1 + 4


def test_only_what_varies_is_a_column(root):
    head = RowFiles(Behind(root)).add(Results(root).select(PEOPLE))
    assert [key for key, _ in head["columns"]] == ["label", "rater", "score", "status"]


def test_each_row_leads_to_its_answer_and_its_item(root):
    behind = Behind(root)
    files = RowFiles(behind, chunk=7)
    head = files.add(Results(root).select(JUDGE))
    stores = {f"data/{p}": d for s in behind.stores.values() for p, d in
              ((path.removeprefix("data/"), data) for path, data in s.files.items())}  # fmt: skip
    for name, store, part in (
        ("answer", head["answers"], "answer"),
        ("item", head["items"]["d"], "turns"),
    ):
        for number, place in enumerate(column(files.files, head, name)):
            chunk = max(k for k, start in enumerate(store["starts"]) if start <= place)
            _, content = data_of(stores[f"data/{store['id']}/{chunk}.js"])
            entry = content["entries"][place - store["starts"][chunk]][part]
            text = content["pool"][entry if part == "answer" else entry[1][1]]
            assert (f"dialogue {number}" in text) or number == 0


def test_cells_that_rest_on_the_same_ratings_share_their_files(root):
    site = report_of(root, chunk=7).build()
    heads = [path for path in site.files if path.endswith("/head.js")]
    shown = [d.decode() for p, d in site.files.items() if p.startswith(f"cells/{TABLE}/")]
    used = [part.split('"')[0] for text in shown for part in text.split('data-rows="')[1:]]
    assert len(used) > len(set(used)) == len(heads)


def test_a_hundred_thousand_rows_stay_in_small_files(tmp_path):
    items, raters = 2_000, 50
    ids = [f"i{number:05}" for number in range(items)]
    put(tmp_path, "items/d.parquet", "items", (item(i) for i in ids))
    one = from_rows([human("i", "0", 1.0)], RATINGS)
    rows = one.take(pa.array([0] * (items * raters)))
    columns = {
        "item_id": pa.array([i for i in ids for _ in range(raters)]),
        "rater": pa.array([f"{r:02}" for _ in ids for r in range(raters)]),
        "score": pa.array([float((n + n // raters) % 5 + 1) for n in range(items * raters)]),
    }
    for name, values in columns.items():
        rows = rows.set_column(rows.schema.get_field_index(name), name, values)
    files = RowFiles(Behind(tmp_path))
    head = files.add(Selected(Selection("human", HUMAN), rows))
    assert head["rows"] == items * raters
    assert len(files.files) == items * raters // head["chunk"] + 1
    assert max(map(len, files.files.values())) < 100_000
    assert len(files.files[f"data/rows/{head['name']}/head.js"]) < 2_000
    assert column(files.files, head, "score") == columns["score"].to_pylist()


def test_a_page_does_not_grow_with_its_ratings(tmp_path, monkeypatch):
    declare_for_test(monkeypatch)
    few, many = (make_root(tmp_path / str(n) / "r", items=n) for n in (25, 250))
    sizes = [
        max(len(d) for p, d in report_of(root).build().files.items() if p.startswith("cells/"))
        for root in (few, many)
    ]
    assert abs(sizes[0] - sizes[1]) < 200


@given(st.text(max_size=400), st.integers(0, 400))
def test_an_excerpt_is_short_and_shows_where_the_rating_was_read(text: str, start: int) -> None:
    shown = excerpt(text, start)
    assert len(shown) <= EXCERPT + 4 and "\n" not in shown
    word = text[start : start + 1]
    assert word.isspace() or word in shown


def test_a_store_writes_each_text_once_in_files_of_bounded_size():
    store = Store("s", limit=1_000)
    long = "x" * 300
    numbers = [
        store.add(lambda pool, n=n: [pool.put(long), pool.put(f"{n}-{'y' * 90}")])
        for n in range(40)
    ]
    store.close()
    assert numbers == list(range(40))
    contents = [data_of(data)[1] for data in store.files.values()]
    assert [text for c in contents for text in c["pool"] if text != long] == [
        f"{n}-{'y' * 90}" for n in range(40)
    ]
    assert all(content["pool"].count(long) == 1 for content in contents)
    assert store.starts == [
        sum(len(c["entries"]) for c in contents[:k]) for k in range(len(contents))
    ]
    assert max(len("".join(c["pool"])) for c in contents) < 1_000 + 400


COLUMNS = st.sampled_from(["f1", "F1", "\N{KELVIN SIGN}", "k", "a/b"])


@given(st.lists(st.tuples(st.text(max_size=150), COLUMNS), unique=True))
def test_pages_of_cells_have_safe_names_of_their_own(keys: list[tuple[str, str]]) -> None:
    names = cell_names(keys)
    assert len({name.lower() for name in names.values()}) == len(keys) == len(names)
    for name in names.values():
        assert name.isascii() and "/" not in name and len(name) <= 120
        assert not name.startswith((".", "-"))

"""The HTML page: complete, escaped, self-contained, and readable by more than the eye."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pyarrow as pa
import pytest
from render_samples import big, cell, cells, claims, small

from retrial.tables.description import ColumnGroup, Description
from retrial.tables.format import print_value
from retrial.tables.render.cell import MARKS, anchors
from retrial.tables.render.html import render_html

VOID = {"meta", "br", "link", "img", "input", "hr"}
HOSTILE = '<script>alert("1")</script> & <b>bold</b> "quoted"'


class Page(HTMLParser):
    """The elements of a page, each with its attributes and the text in it."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str], list[str]]] = []
        self.open: list[int] = []
        self.feed(source)
        self.close()
        assert not self.open, "elements left open"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice"
        self.elements.append((tag, {name: value or "" for name, value in attrs}, []))
        if tag not in VOID:
            self.open.append(len(self.elements) - 1)

    def handle_endtag(self, tag: str) -> None:
        assert self.elements[self.open.pop()][0] == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        for place in self.open:
            self.elements[place][2].append(data)

    def all(self, tag: str) -> list[tuple[dict[str, str], str]]:
        return [(attrs, "".join(text)) for name, attrs, text in self.elements if name == tag]

    @property
    def text(self) -> str:
        return next(text for _, text in self.all("html"))


@pytest.mark.parametrize("make", [big, small, claims])
def test_everything_of_every_cell_is_on_the_page(
    make: Callable[[], tuple[pa.Table, Description]],
) -> None:
    table, description = make()
    page = Page(render_html(table, description))
    by_id = {attrs["id"]: (attrs, text) for attrs, text in page.all("td") if "id" in attrs}
    records: list[dict[str, Any]] = table.to_pylist()
    ids = anchors((r["row"], r["column"]) for r in records)
    assert len(by_id) == len(records)
    for record in records:
        attrs, text = by_id[ids[record["row"], record["column"]]]
        is_text = record["value"] is None and record["value_text"]
        form = record["format"]
        assert (record["value_text"] if is_text else print_value(record["value"], form)) in text
        if record["ci_low"] is not None:
            low, high = (print_value(record[end], form) for end in ("ci_low", "ci_high"))
            assert f"[{low}, {high}]" in text
        if record["published"]:
            assert MARKS[record["verdict"]] + record["published"] in text
            assert record["verdict"] in text
            assert record["verdict"].replace(" ", "-") in attrs["class"].split()
        if record["reason"]:
            assert record["reason"] in attrs["title"]
            assert record["reason"] in [t for a, t in page.all("li") if "id" in a]
    for note in (*description.notes, description.title):
        assert note in page.text


def test_ids_are_unique_and_links_lead_somewhere() -> None:
    page = Page(render_html(*big()))
    ids = [attrs["id"] for _, attrs, _ in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = [attrs["href"] for attrs, _ in page.all("a")]
    assert links
    assert {link.removeprefix("#") for link in links} <= set(ids)


def test_the_id_of_a_cell_can_be_told_beforehand() -> None:
    page = Page(render_html(*big()))
    assert "ccpe-bm25-4--spearman" in {attrs.get("id") for attrs, _ in page.all("td")}


def test_hostile_text_stays_text() -> None:
    description = Description(HOSTILE, (ColumnGroup(HOSTILE, (("r", HOSTILE),)),), (HOSTILE,))
    table = cells(
        cell(HOSTILE, "r", block=HOSTILE, reason=HOSTILE, published=HOSTILE,
             published_source=HOSTILE, verdict="differs", verdict_reason=HOSTILE),
        cell("b", "r", row_order=1, value_text=HOSTILE),
    )  # fmt: skip
    source = render_html(table, description)
    page = Page(source)
    assert "<script" not in source
    assert not page.all("b") or all("bold" not in t for _, t in page.all("b") if "quoted" in t)
    assert page.text.count(HOSTILE) >= 8


def test_nothing_is_fetched_or_run() -> None:
    source = render_html(*big())
    page = Page(source)
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _, _ in page.elements}
    assert not re.search(r"https?://|url\(|@import", source)
    assert source.startswith("<!doctype html>")


def test_table_semantics() -> None:
    page = Page(render_html(*big()))
    scopes = {attrs.get("scope") for attrs, _ in page.all("th")}
    assert scopes == {"col", "colgroup", "row", "rowgroup"}
    assert page.all("caption")[0][1].startswith("Table 2")
    region = next(attrs for attrs, _ in page.all("div") if attrs.get("class") == "scroll")
    assert region["tabindex"] == "0"
    assert region["role"] == "region"
    assert region["aria-labelledby"] in {attrs.get("id") for attrs, _ in page.all("h1")}
    assert page.all("html")[0][0]["lang"] == "en"


def test_rows_have_equal_width() -> None:
    page = Page(render_html(*small()))
    source = render_html(*small())
    widths = []
    for row in re.findall(r"<tr.*?</tr>", source, re.S):
        cells_of = [
            (a, t) for tag in ("td", "th") for a, t in Page(f"<table>{row}</table>").all(tag)
        ]
        widths.append(sum(int(attrs.get("colspan", "1")) for attrs, _ in cells_of))
    assert len(widths) == len(page.all("tr"))
    assert set(widths) == {5}


def test_reference_rows_and_best_are_marked_in_words() -> None:
    table, description = big()
    page = Page(render_html(table, description))
    marked = [text for attrs, text in page.all("tr") if attrs.get("class") == "reference"]
    assert len(marked) == len(description.reference_rows)
    assert all("(reference)" in text for text in marked)
    assert all("(best)" in text for _, text in page.all("strong"))
    assert page.all("strong")


def test_an_unknown_verdict_is_still_shown() -> None:
    table = cells(cell("a", "r", value=0.5, published="0.50", verdict="pending"))
    attrs, text = Page(render_html(table, Description("", ()))).all("td")[0]
    assert "pending" in text
    assert "other" in attrs["class"].split()


def test_a_table_without_cells_says_so() -> None:
    page = Page(render_html(cells(), Description("Empty", ())))
    assert "no cells" in page.text


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", [0, 1])
def test_contrast_is_enough_in_light_and_dark(scheme: int) -> None:
    """WCAG 2.1 AA: 4.5 to 1 for every ink on every ground that it stands on."""
    blocks = re.findall(r":root \{(.*?)\}", render_html(*small()), re.S)
    colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", blocks[scheme]))
    for ink in ("ink", "quiet", "print", "link"):
        for ground in ("paper", "band", "reproduced", "differs", "other", "target"):
            pair = sorted((luminance(colours[ink]), luminance(colours[ground])))
            assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, (ink, ground)

"""The site of a small results folder: pages that hang together, and texts that can't act."""

import json
import re
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath

import pytest
from core_rows import rating
from report_root import (
    HOSTILE,
    NEEDLE,
    RATINGS,
    REASON,
    ROW,
    TABLE,
    declare_for_test,
    make_root,
    put,
    report_of,
)

from retrial.errors import RetrialError
from retrial.record import Run
from retrial.report.site import Site


class Page(HTMLParser):
    """The ids, links, element names, attributes and text of one page."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.ids, self.links, self.tags, self.attributes, self.text = [], [], [], set(), ""
        self.policy = ""
        self.feed(data.decode())

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append(tag)
        self.attributes |= set(given)
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given[k] for k in ("href", "src") if k in given]
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]

    def handle_data(self, data):
        self.text += data


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    declare_for_test(monkeypatch)
    return make_root(tmp_path / "results")


@pytest.fixture
def site(root: Path) -> Site:
    return report_of(root).build()


@pytest.fixture
def pages(site: Site) -> dict[str, Page]:
    return {path: Page(data) for path, data in site.files.items() if path.endswith(".html")}


def test_every_link_leads_to_a_file_and_an_id_of_the_site(site, pages):
    followed = 0
    for path, page in pages.items():
        for link in (link for link in page.links if not link.startswith("https://")):
            place, _, fragment = link.partition("#")
            target = _resolve(PurePosixPath(path).parent / place) if place else path
            assert target in site.files, (path, link)
            assert not fragment or fragment in pages[target].ids, (path, link)
            followed += 1
    assert followed > 50


def test_ids_are_unique_on_every_page(pages):
    for path, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), path


def test_no_page_runs_or_loads_what_is_not_a_file_of_the_site(pages):
    for path, page in pages.items():
        assert "unsafe" not in page.policy and "default-src 'none'" in page.policy, path
        assert "style" not in page.tags and "style" not in page.attributes, path
        assert not [name for name in page.attributes if name.startswith("on")], path
        assert not {"img", "em", "tests", "angles"} & set(page.tags), path


def test_hostile_texts_are_texts(site, pages):
    cell = next(page for path, page in pages.items() if path.startswith(f"cells/{TABLE}/a"))
    assert ROW in cell.text
    assert "A source with <angles>" in pages["provenance.html"].text
    assert REASON in pages["index.html"].text
    scripts = {p: d.decode() for p, d in site.files.items() if p.startswith("data/")}
    assert any("window.owned" in text for text in scripts.values())
    assert not [path for path, text in scripts.items() if set(text) & set("<>&")]


def test_every_cell_has_a_page_that_the_table_links_to(pages):
    table = pages[f"tables/{TABLE}.html"]
    cells = {path for path in pages if path.startswith(f"cells/{TABLE}/")}
    linked = {_resolve(PurePosixPath("tables") / k.partition("#")[0]) for k in table.links}
    assert len(cells) == 4 and cells <= linked


def test_the_first_page_counts_outcomes(pages):
    text = re.sub(r"\s+", " ", pages["index.html"].text)
    for counted in ("1 reproduced", "1 differ", "0 not comparable", "1 recomputed", "1 undefined"):
        assert counted.replace(" ", "") in text.replace(" ", ""), counted
    assert "1 number undefined: nobody <em>released</em> them" in text


def test_a_cell_says_how_it_was_computed_and_what_was_left_out(pages):
    page = pages[
        next(path for path in pages if path.startswith(f"cells/{TABLE}/a") and "spe" in path)
    ]
    for said in ("Spearman's rho", "50 resamples", "seed 1", "1 no_rating_token", RATINGS,
                 "retrial audit", "the ratings listed here have it"):  # fmt: skip
        assert said in page.text, said


def test_ratings_changed_after_the_table_are_told(root):
    put(root, RATINGS, "ratings", [rating(f"i{n:04}", 2.0) for n in range(5)],
        "answers/j/d/e.parquet")  # fmt: skip
    site = report_of(root).build()
    page = next(d.decode() for p, d in site.files.items() if p.startswith(f"cells/{TABLE}/a"))
    assert "files have changed since the table was made" in page
    assert "the ratings listed here have it" not in page.split("<h3", 2)[1]


def test_the_same_inputs_give_the_same_bytes(root, site):
    assert report_of(root).build().files == site.files


def test_prompts_are_kept_once_for_all_cells(site):
    scripts = [data.decode() for path, data in site.files.items() if path.startswith("data/")]
    assert sum(text.count(NEEDLE) for text in scripts) == 1
    assert HOSTILE not in "".join(scripts)


def test_writing_replaces_the_old_site_and_lists_the_new(root, site):
    folder = root / "report"
    (folder / "cells").mkdir(parents=True)
    (folder / "cells" / "old.html").write_text("old")
    site.write(Run(rule="report", root=root), folder)
    listing = json.loads((folder / "files.json").read_text())
    own = {"files.json", "files.json.prov.json", "index.html.prov.json"}
    found = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert found == set(listing) | own
    for path, digest in listing.items():
        assert sha256((folder / path).read_bytes()).hexdigest() == digest


def test_two_files_of_one_name_are_refused():
    site = Site()
    site.add("a.html", b"1")
    with pytest.raises(RetrialError, match=r"two pages want to be a\.html"):
        site.add("a.html", b"2")


def _resolve(path: PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)

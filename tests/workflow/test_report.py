"""The report of a small run: every page is there, and every link leads somewhere."""

import json
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from checkout import Checkout

pytestmark = [pytest.mark.workflow, pytest.mark.model]
REPORT = Path("results/tiny/report")


class Page(HTMLParser):
    """The links, ids and scripts of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.links, self.ids, self.inline = path, [], [], 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.links += [v for k in ("href", "src") if (v := given.get(k))]
        self.ids += [v for v in [given.get("id")] if v]
        self.inline += tag == "script" and "src" not in given


@pytest.fixture(scope="module")
def pages(tiny_run: Checkout) -> dict[Path, Page]:
    tiny_run.snakemake("tiny", "report")
    folder = (tiny_run.folder / REPORT).resolve()
    return {path: Page(path) for path in sorted(folder.rglob("*.html"))}


def test_every_cell_has_a_page(tiny_run: Checkout, pages: dict[Path, Page]) -> None:
    import pyarrow.parquet as pq

    cells = pq.read_table(tiny_run.folder / "results/tiny/tables/jia2024_table2.parquet")
    found = [path for path in pages if path.parent.name == "jia2024_table2"]
    assert len(found) == cells.num_rows


def test_every_link_leads_somewhere_in_the_folder(pages: dict[Path, Page]) -> None:
    seen = 0
    for path, page in pages.items():
        assert len(set(page.ids)) == len(page.ids), path
        assert page.inline == 0, f"{path} has a script of its own"
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https"):
                continue  # the homepage of a source, for a reader to follow
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path.name}: {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].ids, f"{path.name}: {link}"
            seen += 1
    assert seen > len(pages)


def test_the_listing_seals_every_file(tiny_run: Checkout, pages: dict[Path, Page]) -> None:
    folder = tiny_run.folder / REPORT
    listing = json.loads((folder / "files.json").read_text(encoding="utf-8"))
    files = listing.get("files", listing)
    assert files
    for name, digest in files.items():
        assert sha256((folder / name).read_bytes()).hexdigest() == digest, name


def test_verify_stays_clean_with_a_report(tiny_run: Checkout, pages: dict[Path, Page]) -> None:
    done = tiny_run.retrial("verify", "results/tiny")
    assert done.returncode == 0, done.stdout[-3000:]

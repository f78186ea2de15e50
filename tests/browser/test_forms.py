"""A rater's way through a form in a real browser, and the ratings in Table 1."""

import json
from pathlib import Path
from statistics import mean
from typing import Any

import pytest
from form_cases import ATTRIBUTES, DATASET, SPEC, TEMPLATES, form_of, read_stories
from form_steps import (
    RIGHT,
    SPACE,
    TAB,
    Case,
    case,
    checked,
    click,
    downloaded,
    find,
    go_to_the_end,
    press,
    shown,
    start,
)

from retrial.forms.page import form_page
from retrial.record import ITEMS, RATINGS, Run
from retrial.tables import declaration_of
from retrial.tables.build import Bootstrap, Printed, build_cells
from retrial.tables.select import Results

pytestmark = pytest.mark.browser
RELEASED = dict(zip(ATTRIBUTES, ([5, 4, 3], [1, 2, 3], [2, 2, 2], [4, 5, 1]), strict=True))
"""The teachers' ratings of every made-up story."""

__all__ = ["case"]


def test_from_the_form_to_a_human_row_in_table_1(browser: Any, case: Case) -> None:
    start(browser, case)
    press(browser, "5", "4")  # the first two questions, by number keys
    click(browser, shown(browser, "fieldset:nth-of-type(3) label")[1])  # the third, by mouse
    press(browser, TAB)  # on to "take back", and behind it the fourth
    press(browser, TAB, SPACE, RIGHT, RIGHT)
    assert checked(browser) == ["5", "4", "2", "3"]
    browser.refresh()
    assert find(browser, "#count").text == "4 of 24 ratings"
    assert checked(browser) == ["5", "4", "2", "3"]
    for _ in case.form.pages[1:]:
        find(browser, "#next").click()
        press(browser, "1", "2", "3", "4")
        assert checked(browser) == ["1", "2", "3", "4"]
    find(browser, "#next").click()
    assert find(browser, "#missing").text == "All 24 ratings are there."
    export = downloaded(browser, case.folder)
    assert export.name == "chiang2023_figures2to5-1-anna-b.ratings.json"
    rows = table_1(case, export)
    first = dict(zip(ATTRIBUTES, (5, 4, 2, 3), strict=True))
    others = dict(zip(ATTRIBUTES, (1, 2, 3, 4), strict=True))
    writer = {i: dict(s)["writer"] for i, s in zip(*stored(case, export), strict=True)}
    for name in ("human-written", "gpt2"):
        for attribute in ATTRIBUTES:
            given = [
                first[attribute] if place == 0 else others[attribute]
                for place, item in enumerate(case.form.about["items"])
                if writer[item] == name
            ]
            row = rows[f"people with forms, released stories / {name}", f"{attribute}_mean"]
            assert row["value"] == pytest.approx(mean(given)) and row["n"] == 3
            assert row["verdict"] != "reproduced"
            released = rows[f"teachers (mixed design) / {name}", f"{attribute}_mean"]
            assert released["value"] == pytest.approx(mean(RELEASED[attribute]))


def stored(case: Case, export: Path) -> tuple[list[str], list[Any]]:
    items, _ = read_stories(case.folder, export, *TEMPLATES)
    return items["item_id"].to_pylist(), items["strata"].to_pylist()


def table_1(case: Case, export: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The cells of Table 1 from a root with the released stories and this export."""
    root = case.folder / "results"
    items, human = read_stories(case.folder, export, *TEMPLATES)
    run = Run(rule="build_items", root=root)
    run.write_table(root / "items" / f"{DATASET}.parquet", items, ITEMS)
    run.write_table(root / "ratings" / "human" / f"{DATASET}.parquet", human, RATINGS)
    job = {
        "table": "chiang2023_table1",
        "spec": {"datasets": [DATASET]},
        "recordings": {},
        "datasets": {DATASET: {"label": SPEC.label, "exports": [str(export)]}},
    }
    cells = build_cells(declaration_of(job), Results(root), Printed.of([]), Bootstrap(50, 0.95, 1))
    return {(row["row"], row["column"]): row for row in cells.to_pylist()}


def test_what_is_missing_is_said_and_stays_missing(browser: Any, case: Case) -> None:
    start(browser, case, " ")
    press(browser, "3")
    find(browser, "#next").click()
    press(browser, "1", "2", "3", "4")
    go_to_the_end(browser)
    assert find(browser, "#missing").text.startswith("19 ratings of 24 are missing.")
    lines = [line.text for line in shown(browser, "#missing-list li")]
    assert lines[0] == "Text 1: questions 2, 3, 4" and len(lines) == 5
    find(browser, "#export").click()
    assert "Your name is missing" in find(browser, "#refused").text
    assert not list(case.folder.glob("*.ratings.json"))
    for _ in range(7):
        find(browser, "#back").click()
    find(browser, "#rater").send_keys("Ben")
    go_to_the_end(browser)
    export = downloaded(browser, case.folder)
    _, human = read_stories(case.folder, export, *TEMPLATES)
    ben = [row["score"] for row in human.to_pylist() if row["rater"] == "Ben"]
    assert ben == [3, 1, 2, 3, 4]


def test_a_missing_rating_is_one_click_away(browser: Any, case: Case) -> None:
    start(browser, case)
    go_to_the_end(browser)
    shown(browser, "#missing-list button")[3].click()
    assert shown(browser, "h1")[0].text == "Text 4 of 6"
    assert browser.switch_to.active_element.tag_name == "h1"


def leaving_asks(browser: Any) -> bool:
    """Whether the page would ask before it is left."""
    script = """const leaving = new Event("beforeunload", { cancelable: true });
        dispatchEvent(leaving); return leaving.defaultPrevented;"""
    return bool(browser.execute_script(script))


def test_leaving_with_ratings_that_are_not_exported_asks(browser: Any, case: Case) -> None:
    start(browser, case)
    assert not leaving_asks(browser)
    press(browser, "1")
    assert leaving_asks(browser)
    go_to_the_end(browser)
    downloaded(browser, case.folder)
    assert not leaving_asks(browser)


def test_a_browser_that_keeps_nothing_still_exports(browser: Any, case: Case) -> None:
    full = "Storage.prototype.setItem = () => { throw new DOMException('full'); };"
    browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": full})
    start(browser, case)
    press(browser, "1")
    assert find(browser, "#kept").text == "Not kept: export before you close this page"
    go_to_the_end(browser)
    written = json.loads(downloaded(browser, case.folder).read_text("utf-8"))
    assert [r["rating"] for r in written["ratings"]] == [1]


def test_what_was_kept_for_another_form_is_not_taken(browser: Any, case: Case) -> None:
    start(browser, case)
    press(browser, "1")
    other = form_of(read_stories(case.folder)[0], number=2)
    path = case.folder / "2.html"
    path.write_text(form_page(other), "utf-8", newline="")
    browser.get(path.as_uri())
    assert find(browser, "#count").text == "0 of 24 ratings"
    browser.get(case.url)
    assert find(browser, "#count").text == "1 of 24 ratings"
    broken = "progress.state.changed = false; localStorage.setItem(progress.key, '{broken')"
    browser.execute_script(broken)
    browser.refresh()
    assert find(browser, "#count").text == "0 of 24 ratings"

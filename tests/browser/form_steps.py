"""Steps of a rater in a real browser, shared by the tests of the rating form."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from form_cases import form_of, read_stories

from retrial.forms.form import RatingForm
from retrial.forms.page import form_page

CSS = "css selector"
TAB, RIGHT, DELETE, SPACE = "\ue004", "\ue014", "\ue017", " "


@dataclass(frozen=True)
class Case:
    """A form on disk."""

    folder: Path
    form: RatingForm
    url: str


@pytest.fixture
def case(tmp_path: Path) -> Case:
    folder = tmp_path / "form"
    folder.mkdir()
    form = form_of(read_stories(folder)[0])
    path = folder / "1.html"
    path.write_text(form_page(form), "utf-8", newline="")
    return Case(folder, form, path.as_uri())


def find(browser: Any, selector: str) -> Any:
    return browser.find_element(CSS, selector)


def shown(browser: Any, selector: str) -> list[Any]:
    return [e for e in browser.find_elements(CSS, selector) if e.is_displayed()]


def click(browser: Any, element: Any) -> None:
    """A click by mouse, with the element clear of the bar at the bottom."""
    browser.execute_script("arguments[0].scrollIntoView({ block: 'center' })", element)
    element.click()


def press(browser: Any, *keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    chain = ActionChains(browser)
    for key in keys:
        chain.send_keys(key)
    chain.perform()


def checked(browser: Any) -> list[str | None]:
    """The rating of each question on the page, in order."""
    return [
        next(
            (r.get_attribute("value") for r in f.find_elements(CSS, "input") if r.is_selected()),
            None,
        )
        for f in shown(browser, "fieldset")
    ]


def start(browser: Any, case: Case, rater: str = "Anna B.") -> None:
    browser.get(case.url)
    find(browser, "#rater").send_keys(rater)
    find(browser, "#next").click()


def go_to_the_end(browser: Any) -> None:
    while find(browser, "#next").is_enabled():
        find(browser, "#next").click()


def downloaded(browser: Any, folder: Path) -> Path:
    """The export that the browser writes on a click."""
    settings = {"behavior": "allow", "downloadPath": str(folder)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", settings)
    find(browser, "#export").click()
    for _ in range(200):
        if found := list(folder.glob("*.ratings.json")):
            return found[0]
        time.sleep(0.05)
    pytest.fail(f"no download; the page says {find(browser, '#exported').text!r}")

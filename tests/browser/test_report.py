"""A reader's way through the site, opened from disk in a real browser."""

import json
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from report_root import HOSTILE, NEEDLE, TABLE, score

pytestmark = pytest.mark.browser
SCORES = [score(number) for number in range(130)]
CSS, TAB, ENTER = "css selector", "\ue004", "\ue007"
REQUEST = "Network.requestWillBeSent"
SPEARMAN = "td[id$='--spearman'] a"


def wait(browser, condition):
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 20).until(condition)


def choose(browser, selector, value):
    from selenium.webdriver.support.ui import Select

    Select(find(browser, selector)).select_by_value(value)


def find(browser, selector):
    return browser.find_element(CSS, selector)


def texts(browser, selector):
    """The texts of elements of the first list of ratings."""
    return [e.text for e in find(browser, ".viewer").find_elements(CSS, selector)]


def said(browser, text):
    """Wait until the first list of ratings says `text`."""
    from selenium.common import TimeoutException

    count = find(browser, ".viewer [role=status]")
    try:
        wait(browser, lambda _: text in count.text)
    except TimeoutException:
        pytest.fail(f"{text!r} is not said, but {count.text!r}")


def open_cell(browser, index):
    """From the front page to the first cell, as a reader does."""
    browser.get(index)
    find(browser, f"a[href='tables/{TABLE}.html']").click()
    find(browser, SPEARMAN).click()
    said(browser, "1–50 of 130 ratings")


def search(browser, text, everywhere=False):
    if everywhere:
        choose(browser, "[name=scope]", "all")
    box = find(browser, "[name=search]")
    box.clear()
    box.send_keys(text)


def test_from_the_front_page_to_a_prompt_and_back(browser, index):
    open_cell(browser, index)
    search(browser, NEEDLE)
    said(browser, "No rating matches.")
    search(browser, NEEDLE, everywhere=True)
    said(browser, "1–1 of 1 ratings (1 of 130 match)")
    find(browser, "button.open").click()
    wait(browser, lambda _: texts(browser, ".detail h4"))
    prompt = find(browser, "[aria-label=Prompt]").text
    assert NEEDLE in prompt and prompt.startswith("Rate the dialogue.")
    assert find(browser, "mark").text == str(SCORES[42])
    browser.back()
    assert f"tables/{TABLE}.html" in browser.current_url
    browser.back()
    assert browser.current_url == index


def test_sorting_puts_every_rating_in_order_and_missing_ones_last(browser, index):
    open_cell(browser, index)
    known = sorted(s for s in SCORES if s is not None)
    button = find(browser, "[data-column=score]")
    head = button.find_element("xpath", "..")
    for direction, ordered in (("ascending", known), ("descending", known[::-1])):
        button.click()
        wait(browser, lambda _, d=direction: head.get_attribute("aria-sort") == d)
        wait(
            browser, lambda _, o=ordered: [float(t) for t in texts(browser, "td.c-score")] == o[:50]
        )
    for page in ("51–100", "101–130"):
        find(browser, ".later").click()
        said(browser, page)
    assert texts(browser, "td.c-score")[-1] == "–"
    assert not find(browser, ".later").is_enabled()


def test_what_was_left_out_can_be_listed(browser, index):
    open_cell(browser, index)
    find(browser, ".only-left-out").click()
    said(browser, "(1 of 130 match)")
    assert texts(browser, "td.c-status") == ["no_rating_token"]
    choose(browser, "[name=status]", "ok")
    said(browser, "(129 of 130 match)")


def test_a_hostile_dialogue_is_read_and_does_nothing(browser, index):
    open_cell(browser, index)
    assert HOSTILE in find(browser, "td.c-text").text
    find(browser, "button.open").click()
    wait(browser, lambda _: texts(browser, ".detail h4"))
    shown = texts(browser, ".detail .quote")
    assert all(HOSTILE in text for text in shown) and len(shown) == 3
    assert browser.execute_script("return window.owned") is None
    assert not browser.find_elements(CSS, "main img, main script")


def test_nothing_comes_from_elsewhere(browser, index):
    browser.get(index)
    browser.get_log("performance")  # the browser's own first page
    open_cell(browser, index)
    search(browser, NEEDLE, everywhere=True)
    said(browser, "1–1 of 1 ratings")
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = {e["params"]["request"]["url"] for e in events if e["method"] == REQUEST}
    folder = index.removesuffix("index.html")
    assert {url for url in asked if url.endswith(".js")}
    assert not [url for url in asked if not url.startswith(folder)]


def test_the_keyboard_reaches_and_opens_a_rating(browser, index):
    open_cell(browser, index)
    find(browser, "[name=status]").send_keys(TAB)
    for _ in range(20):
        focused = browser.switch_to.active_element
        if "open" in (focused.get_attribute("class") or "").split():
            break
        focused.send_keys(TAB)
    assert focused.value_of_css_property("outline-style") == "solid"
    focused.send_keys(ENTER)
    wait(browser, lambda _: texts(browser, ".detail h4"))
    assert focused.get_attribute("aria-expanded") == "true"
    focused.send_keys(ENTER)
    assert not browser.find_elements(CSS, ".detail")


def test_no_page_is_wider_than_a_narrow_screen(browser, index):
    narrow = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", narrow)
    folder = Path(unquote(urlsplit(index).path)).parent
    pages = sorted(folder.rglob("*.html"))
    assert len(pages) > 8
    for page in pages:
        browser.get(page.as_uri())
        width = browser.execute_script("return document.documentElement.scrollWidth")
        assert width <= 390, page.name


def test_a_page_does_not_move_while_it_loads(browser, index):
    open_cell(browser, index)
    script = """const done = arguments[0]; let moved = 0;
        new PerformanceObserver((list) => { for (const e of list.getEntries()) moved += e.value; })
          .observe({ type: "layout-shift", buffered: true });
        setTimeout(() => done(moved), 500);"""
    assert browser.execute_async_script(script) < 0.02

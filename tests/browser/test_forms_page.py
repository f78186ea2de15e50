"""What a form shows and how it is used: words, keys, names of controls, narrow screens."""

from typing import Any

import pytest
from form_cases import ATTRIBUTES, read_stories, templates
from form_steps import (
    CSS,
    DELETE,
    RIGHT,
    SPACE,
    Case,
    case,
    checked,
    click,
    find,
    press,
    shown,
    start,
)

from retrial.judging.parts import parts_of
from retrial.judging.prompts import Asking, build_prompts

pytestmark = pytest.mark.browser
__all__ = ["case"]


def test_the_browser_shows_the_judges_words(browser: Any, case: Case) -> None:
    script = """return [...document.querySelectorAll(".block")].flatMap((block) => {
      const words = (part, place) => [...place.querySelectorAll(`[data-part=${part}]`)]
        .map((found) => found.textContent).join("");
      const begin = ["instruction", "head", "turn"].map((part) => words(part, block)).join("");
      return [...block.querySelectorAll("fieldset")].map((asked) => [
        block.closest(".item").dataset.item, asked.dataset.attribute,
        begin + words("tail", asked) + words("cue", asked)]);
    });"""
    browser.get(case.url)
    items, _ = read_stories(case.folder)
    asked = templates()
    askings = [Asking("story", name, template) for name, template in asked.items()]
    rows = build_prompts(items, case.form.about["items"], askings, ATTRIBUTES, {}).to_pylist()
    prompts = {
        (row["item_id"], row["attribute"]): parts_of(row, asked[row["template"]]).text
        for row in rows
    }
    found = {(item, attribute): text for item, attribute, text in browser.execute_script(script)}
    assert found == prompts and len(found) == 24
    assert browser.execute_script("return window.owned") is None


def test_keys_rate_go_on_and_take_back(browser: Any, case: Case) -> None:
    start(browser, case)
    press(browser, "9")
    assert checked(browser) == [None] * 4
    press(browser, "2")
    second = browser.switch_to.active_element
    assert second.get_attribute("name").endswith("cohesiveness") and checked(browser)[1] is None
    second.send_keys(SPACE)
    browser.switch_to.active_element.send_keys(RIGHT)
    assert checked(browser) == ["2", "2", None, None]
    browser.switch_to.active_element.send_keys(DELETE)
    assert checked(browser) == ["2", None, None, None]
    press(browser, "5", "4", "3")
    assert checked(browser) == ["2", "5", "4", "3"]
    assert browser.switch_to.active_element.get_attribute("id") == "next"
    click(browser, shown(browser, "summary")[0])
    shown(browser, "textarea")[0].send_keys("12345")
    assert checked(browser) == ["2", "5", "4", "3"]
    click(browser, shown(browser, ".clear")[0])
    assert checked(browser) == [None, "5", "4", "3"]


def test_every_control_has_a_name(browser: Any, case: Case) -> None:
    start(browser, case)
    for number, fieldset in enumerate(shown(browser, "fieldset"), start=1):
        assert fieldset.aria_role == "group"
        assert fieldset.accessible_name == f"Question {number} of 4"
        radios = fieldset.find_elements(CSS, "input")
        assert [radio.accessible_name for radio in radios] == ["1", "2", "3", "4", "5"]
        described = find(browser, f"[id='{fieldset.get_attribute('aria-describedby')}']")
        assert (
            described.text.rstrip()
            == case.form.pages[0].blocks[0].questions[number - 1].tail.rstrip()
        )
    assert find(browser, "#progress").accessible_name == "0 of 24 ratings"


def test_no_page_of_the_form_is_wider_than_a_narrow_screen(browser: Any, case: Case) -> None:
    narrow = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", narrow)
    start(browser, case)
    press(browser, "1")
    find(browser, "#back").click()
    while True:
        width = browser.execute_script("return document.documentElement.scrollWidth")
        assert width <= 390, shown(browser, "h1")[0].text
        if not find(browser, "#next").is_enabled():
            break
        find(browser, "#next").click()

"""A real browser, without a network, on a site that was written to disk."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from report_root import declare_for_test, make_root, report_of

from retrial.record import Run

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address on disk of the front page of a small site."""
    with pytest.MonkeyPatch.context() as patch:
        declare_for_test(patch)
        root = make_root(tmp_path_factory.mktemp("browser") / "results", items=130)
        folder = root / "report"
        report_of(root, chunk=40).build().write(Run(rule="report", root=root), folder)
        yield (folder / "index.html").as_uri()


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[object]:
    """Headless Chromium with a new profile; it fails the test that logs an error."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="browser tests need selenium")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip("browser tests need chromium and chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1280,1000"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield started
        assert started.get_log("browser") == []
    finally:
        started.quit()

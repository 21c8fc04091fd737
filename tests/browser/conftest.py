"""A real Streamlit server and a real browser, for what only both together can show."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from playwright import sync_api

from tests.browser.waiting import PATIENCE
from tests.ollama import ollama_of

ROOT = Path(__file__).parent.parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
START = 180  # seconds
SIZE: sync_api.ViewportSize = {"width": 1366, "height": 768}
# Chromium draws an address bar for each tab, in a renderer of its own, where nobody sees it: without, a tab
# costs the processor half. Of two lists Chromium takes the second, so what follows is what Playwright lists.
WITHOUT = """\
PreloadTopChromeWebUI,WebUIOmniboxPopup,WebUIOmniboxAimPopup,\
AimEnabled,AvoidCorsURLLoaderRestartOnRedirect,AvoidUnnecessaryBeforeUnloadCheckSync,\
DestroyProfileOnBrowserClose,HttpsFirstBalancedModeAutoEnable,HttpsUpgrades,LensOverlay,MediaRouter,\
NetworkTimeServiceQuerying,OptimizationHints,PaintHolding,PreconnectToSearch,TcpPortRandomizationWin,\
ThirdPartyStoragePartitioning"""
SWITCHES = ["--no-sandbox", f"--disable-features={WITHOUT}"]
# Streamlit draws the last of a run some milliseconds after it has said that the run is over.
DRAWN = "() => new Promise(done => setTimeout(() => setTimeout(done), 30))"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of Loopscope on a free port, warmed up as a real start is, with an Ollama beside it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log"
    with ollama_of({" Paris": 0.6, " the": 0.2}, vocab_size=1000) as ollama, log.open("wb") as output:
        process = subprocess.Popen(
            [
                sys.executable,
                *("-m", "streamlit", "run", "app.py"),
                *(f"--server.port={port}", "--server.address=127.0.0.1"),
            ],
            cwd=ROOT,
            env={**os.environ, "LOOPSCOPE_OLLAMA": ollama.url},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _warm_up(f"http://127.0.0.1:{port}/_stcore/script-health-check", process, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(timeout=60)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator:
    """Beside what failed, tell what its tabs showed: on another machine nobody can look."""
    report = yield
    if call.when == "call" and report.failed and "window" in getattr(item, "funcargs", {}):
        tabs = [_seen(tab) for tab in item.funcargs["window"].pages]
        report.sections.append(("What the tabs showed", "\n\n".join(tabs)))
    return report


def _seen(tab: "sync_api.Page") -> str:
    try:
        app = tab.locator("[data-testid='stApp']").first.evaluate(
            "app => ({ ...app.dataset })", timeout=PATIENCE
        )
        return f"{tab.url}\n{app}\n{tab.locator('body').inner_text()}"
    except sync_api.Error as error:
        return f"{tab.url}\n{error}"


def _warm_up(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(address, timeout=START):
                return
        except urllib.error.HTTPError as error:
            pytest.fail(f"app.py fails: {error.read().decode(errors='replace')}")
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"The server did not start:\n{log.read_text(errors='replace')}")


@pytest.fixture(scope="session")
def browser() -> Iterator["sync_api.Browser"]:
    """The machine's own Chromium: CHROME_PATH, or the first that is found."""
    path = os.environ.get("CHROME_PATH") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.fail("Browser tests need Chromium or Chrome: install one, or name it in CHROME_PATH.")
    sync_api.expect.set_options(timeout=PATIENCE)
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=SWITCHES)
        yield started
        started.close()


@pytest.fixture(scope="session")
def window(browser: "sync_api.Browser") -> "sync_api.BrowserContext":
    """What all tabs share: Streamlit's own script is fetched and compiled once."""
    window = browser.new_context(viewport=SIZE)
    window.set_default_timeout(PATIENCE)
    return window


@pytest.fixture(scope="module")
def tab(window: "sync_api.BrowserContext") -> Iterator["sync_api.Page"]:
    """What the tests of a file share: a page costs a quarter less in a tab that has shown one."""
    tab = window.new_page()
    yield tab
    tab.close()


@pytest.fixture
def page(tab: "sync_api.Page") -> Iterator["sync_api.Page"]:
    """An empty tab of the size that every screen has to fit."""
    tab.set_viewport_size(SIZE)
    tab.emulate_media(color_scheme="light")
    yield tab
    tab.unroute_all()
    tab.goto("about:blank")


@pytest.fixture(scope="session")
def settled() -> Callable[["sync_api.Page"], "sync_api.Page"]:
    """Wait until a page is connected, its script has run and what it wrote is drawn; return the page."""

    def wait(page: "sync_api.Page") -> "sync_api.Page":
        page.wait_for_selector("[data-testid='stApp'][data-test-connection-state='CONNECTED']")
        for _ in range(2):  # what was done just before may only now be on its way to the server
            page.wait_for_selector("[data-testid='stApp'][data-test-script-state='notRunning']")
            page.evaluate(DRAWN)
        return page

    return wait


@pytest.fixture(scope="session")
def choose() -> Callable[["sync_api.Locator", str], None]:
    """Choose an option of a menu as the keyboard does: a click can land while the list still scrolls."""

    def by_name(menu: "sync_api.Locator", option: str) -> None:
        menu.fill(option)
        menu.page.locator("[role=option][data-focused=true]", has_text=option).wait_for()
        menu.press("Enter")
        sync_api.expect(menu).to_have_value(re.compile(re.escape(option)))

    return by_name

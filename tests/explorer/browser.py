"""A real Chromium, driven by Playwright, on a server in a thread."""

import os
import shutil
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import uvicorn

from runout.explorer.server import LOOPBACK_NAMES, Guard, listen, make_app
from tests.conftest import NO_BROWSER

#: Names under which distributions install it.
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
#: Nothing takes so long, but on a machine that is busy with other work.
PATIENCE_MILLISECONDS = int(os.environ.get("RUNOUT_PATIENCE", "300000"))

#: Where screenshots go to be looked at; nowhere if it is not set.
SCREENSHOTS = os.environ.get("RUNOUT_SCREENSHOTS")

#: Says so in the last lines of a test run, see `tests/conftest.py`.
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason=NO_BROWSER)


@contextmanager
def serving(explorer, token=""):
    """Yields the address of a server of an explorer."""
    listener = listen("127.0.0.1", 0)
    config = uvicorn.Config(
        make_app(explorer, Guard(LOOPBACK_NAMES, token)), log_level="error", access_log=False
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener.socket]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.port}"
    finally:
        server.should_exit = True
        thread.join()
        listener.socket.close()


@contextmanager
def chromium():
    """Yields a browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


#: How long axe may take, which needs about a second on a quiet machine.
AXE_MILLISECONDS = 45_000
_ASK_AXE = """most => Promise.race([
  axe.run({resultTypes: ["violations"]}),
  new Promise(resolve => setTimeout(() => resolve(null), most)),
])"""


class Viewer:
    """A page, with everything that it complains about."""

    def __init__(self, page, address):
        self.page = page
        self.address = address
        self.problems = []
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", self._note)

    def _note(self, message):
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def open(self, place):
        self.page.goto(self.address + place)
        self.page.locator(".top").wait_for()  # nothing says that it is loading before
        self.settle()

    def settle(self):
        """Waits until nothing is loading any more."""
        self.page.locator(".top [role=status]").wait_for(state="detached")

    def shoot(self, name, whole=False):
        """Keeps a picture of what is on the page."""
        if SCREENSHOTS:
            with suppress(FileExistsError):
                Path(SCREENSHOTS).mkdir(parents=True)
            self.page.screenshot(path=str(Path(SCREENSHOTS) / f"{name}.png"), full_page=whole)

    def cell(self, hand):
        return self.page.locator(f'[data-hand="{hand}"]')

    def tab(self, name):
        self.page.get_by_role("tab", name=name).click()
        self.settle()

    def params(self):
        return self.page.evaluate("Object.fromEntries(new URLSearchParams(location.search))")

    def check_access(self):
        """Asserts that axe finds nothing wrong.

        On a busy machine axe sometimes never answers, and nothing else would end the wait; the page
        is then loaded anew and axe asked again.
        """
        from axe_playwright_python.base import AXE_SCRIPT
        from axe_playwright_python.sync_playwright import AxeResults

        for _ in range(3):
            self.page.wait_for_load_state("networkidle")
            self.page.evaluate(AXE_SCRIPT)
            if (found := self.page.evaluate(_ASK_AXE, AXE_MILLISECONDS)) is not None:
                results = AxeResults(found)
                assert results.violations_count == 0, results.generate_report()
                return
            self.page.reload()
            self.settle()
        raise AssertionError("axe did not answer")

import functools
import json
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from runout.errors import BundleError
from runout.explorer.site import export_site
from tests.explorer.browser import Viewer, chromium, needs_browser
from tests.explorer.conftest import make_explorer


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def site(explorer, tmp_path_factory):
    path = tmp_path_factory.mktemp("site") / "site"
    return path, export_site(explorer, path, max_nodes=12)


def test_every_solution_that_opens_is_in_the_site(site):
    path, size = site
    runs = json.loads((path / "data" / "runs.json").read_text())["runs"]
    assert size.num_runs == 6
    assert sum(bool(run["problem"]) for run in runs) == 1
    assert size.num_left_out > 0
    assert size.num_bytes == sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def test_answers_are_those_of_the_server(site, client, ids):
    path, _ = site
    for run in ("river", "preflop_game"):
        for file in (path / "data" / ids[run] / "node").iterdir():
            written = json.loads(file.read_text())
            asked = client.get(f"/api/node/{ids[run]}", params={"n": written["path"]})
            assert written == asked.json()


def test_a_directory_with_other_things_is_left_alone(explorer, tmp_path):
    (tmp_path / "letter.txt").write_text("dear reader")
    with pytest.raises(BundleError, match="holds something else"):
        export_site(explorer, tmp_path, 1)
    assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]


def test_an_earlier_site_is_replaced(explorer, tmp_path):
    export_site(explorer, tmp_path / "site", 1)
    assert export_site(explorer, tmp_path / "site", 2).num_runs == 6


def test_nothing_to_export_is_an_error(tmp_path):
    with pytest.raises(BundleError, match="no solution"):
        export_site(make_explorer(tmp_path), tmp_path / "site", 1)


@needs_browser
@pytest.mark.browser
def test_the_site_works_from_any_web_server(site, ids):
    handler = functools.partial(QuietHandler, directory=str(site[0]))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with chromium() as browser:
            viewer = Viewer(browser.new_page(), f"http://127.0.0.1:{server.server_port}")
            viewer.open("/")
            viewer.page.get_by_role("link", name="river", exact=True).click()
            viewer.settle()
            viewer.page.locator(".step").first.click()
            viewer.settle()
            assert viewer.page.url.endswith(f"#/s/{ids['river']}?n=x")
            viewer.page.go_back()
            viewer.settle()
            assert viewer.page.locator(".place").count() == 1
            assert viewer.problems == []
            viewer.open(f"/#/s/{ids['river']}?n=b59:r148:c")
            assert "was left out" in viewer.page.get_by_role("alert").inner_text()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

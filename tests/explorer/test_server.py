"""Tests of `runout.explorer.server`."""

import hashlib
import json
import os
import re
import shutil
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import uvicorn
from typer.testing import CliRunner

from runout.cli.program import app as program
from runout.errors import ExecutionError
from runout.explorer import answers
from runout.explorer.answers import QUESTIONS
from runout.explorer.jobs import Jobs
from runout.explorer.server import (
    INDEX,
    MAX_BODY_BYTES,
    MAX_QUERY_BYTES,
    OWN_HEADER,
    TOKEN_COOKIE,
    Guard,
    listen,
    make_app,
    static_files,
)
from runout.storage.bundle import digest_config
from tests.explorer.conftest import make_client, make_explorer
from tests.explorer.test_jobs import wait_until
from tests.samples.value_bundles import make_values

TOKEN = "a-long-token"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8417", "127.0.0.1.evil.example", "", "[::2]:8417"]
)
def test_foreign_hosts_are_refused(client, host):
    for path in ("/", "/api/runs", "/static/js/main.js"):
        answer = client.get(path, headers={"Host": host})
        assert answer.status_code == 403
        assert "runs" not in answer.json()


@pytest.mark.parametrize("host", ["127.0.0.1:8417", "localhost", "LOCALHOST:1", "[::1]:8417"])
def test_names_of_loopback_are_ours(client, host):
    assert client.get("/api/runs", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
    ],
)
def test_requests_of_other_sites_are_refused(client, headers):
    assert client.get("/api/runs", headers=headers).status_code == 403


def test_a_link_on_another_site_may_open_the_page_itself(client):
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/", headers=headers).status_code == 200


def test_no_answer_allows_other_sites_to_read_it(client):
    answer = client.get("/api/runs")
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_every_answer_tells_browsers_to_run_nothing_of_others(client):
    for path in ("/", "/static/js/main.js", "/api/runs", "/nothing"):
        headers = client.get(path).headers
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_oversize_queries_and_bodies_are_refused(client, ids):
    long = "x:" * MAX_QUERY_BYTES
    assert client.get(f"/api/node/{ids['river']}", params={"n": long}).status_code == 414
    assert client.get(f"/api/node/{ids['river']}", params={"n": "x" * 500}).status_code == 422
    body = b"x" * (MAX_BODY_BYTES + 1)
    answer = client.post("/api/jobs", content=body, headers={OWN_HEADER: "1"})
    assert answer.status_code == 413


def test_a_body_of_unknown_length_is_refused(client):
    def stream():
        yield b"{}"

    answer = client.post("/api/jobs", content=stream(), headers={OWN_HEADER: "1"})
    assert answer.status_code == 413


def test_what_changes_something_needs_our_own_header(client):
    assert client.post("/api/jobs", json={}).status_code == 403


def test_without_the_token_nothing_is_told_beyond_loopback(explorer):
    with make_client(explorer, TOKEN, frozenset()) as client:
        for path in ("/", "/api/runs", "/static/js/main.js", "/?token=wrong"):
            assert client.get(path).status_code == 401


def test_the_token_in_the_address_becomes_a_cookie_and_leaves_the_address(explorer):
    with make_client(explorer, TOKEN, frozenset(), follow_redirects=False) as client:
        answer = client.get(f"/s/river?n=x&token={TOKEN}")
        assert answer.status_code == 303
        assert answer.headers["location"] == "/s/river?n=x"
        cookie = answer.headers["set-cookie"]
        assert TOKEN_COOKIE in cookie
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert client.get("/api/runs").status_code == 200


def test_a_redirect_never_leads_to_another_site(explorer):
    with make_client(explorer, TOKEN, frozenset(), follow_redirects=False) as client:
        answer = client.get(f"http://127.0.0.1:8417//evil.example/?token={TOKEN}")
        assert answer.headers["location"].startswith("/evil.example")


def test_loopback_needs_no_token_and_has_three_names():
    listener = listen("127.0.0.1", 0)
    listener.socket.close()
    assert listener.is_loopback
    assert listener.names == {"127.0.0.1", "localhost", "::1"}
    assert listener.url() == f"http://127.0.0.1:{listener.port}/"


def test_beyond_loopback_the_address_has_the_token():
    listener = listen("0.0.0.0", 0)
    listener.socket.close()
    assert not listener.is_loopback
    assert listener.names == frozenset()
    assert listener.url("secret").endswith("/?token=secret")


def test_the_next_free_port_is_taken_if_none_is_asked_for():
    first, second = listen("127.0.0.1", None), listen("127.0.0.1", None)
    first.socket.close()
    second.socket.close()
    assert first.port != second.port


def test_an_address_of_another_machine_is_refused():
    with pytest.raises(ExecutionError, match="cannot be listened to"):
        listen("192.0.2.1", 0)


def test_all_solutions_are_listed_with_how_well_they_are_solved(client):
    by_name = {
        run["name"].rsplit("/", 1)[-1]: run for run in client.get("/api/runs").json()["runs"]
    }
    assert by_name["river"]["quality"]["exploitability"] < 0.003
    assert by_name["river"]["title"] == "QsJh2h8c3d, pot 180, stack 910"
    assert by_name["preflop_game"]["quality"]["unit"] == "mbb"
    assert by_name["damaged"]["problem"]
    assert by_name["damaged"]["quality"] is None


def test_a_node_is_the_json_of_the_command_line(client, ids, runs):
    arguments = ["show", str(runs / "river"), "--node", "x:b59", "--json"]
    said = json.loads(CliRunner().invoke(program, arguments).stdout)
    told = client.get(f"/api/node/{ids['river']}", params={"n": "x:b59"}).json()
    assert told == said["node"] or told == {key: said[key] for key in told}


def test_both_grammars_of_paths_lead_to_the_same_node(client, ids):
    ours = client.get(f"/api/node/{ids['flop']}", params={"n": "x:x:8h"}).json()
    theirs = client.get(f"/api/node/{ids['flop']}", params={"n": "r:0:c:c:8h"}).json()
    assert ours == theirs


@pytest.mark.parametrize(
    "path", ["b1", "x:x:Td", "x:x:8h:8h", "..", "%2e%2e/", "x/../../x", "\x00"]
)
def test_a_path_that_leads_nowhere_is_one_line(client, ids, path):
    answer = client.get(f"/api/node/{ids['flop']}", params={"n": path})
    assert answer.status_code == 404
    assert answer.json()["problem"]


@pytest.mark.parametrize(
    "run", ["nothing", "..", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "river%2f..%2fflop"]
)
@pytest.mark.parametrize("question", QUESTIONS)
def test_ids_that_were_not_found_are_refused(client, run, question):
    answer = client.get(f"/api/{question}/{run}")
    assert answer.status_code in (404, 422)
    assert "problem" in answer.json() or answer.json() == {"detail": "Not Found"}


@pytest.mark.parametrize(
    "path",
    [
        "/static/../guard.py",
        "/static/%2e%2e/guard.py",
        "/static/..%2f..%2f__init__.py",
        "/static//etc/passwd",
        "/static/js/../../server.py",
        "/guard.py",
        "/static/",
    ],
)
def test_no_file_but_those_of_the_page_is_served(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "import" not in answer.text


def test_an_answer_that_is_known_is_not_sent_again(client, ids):
    first = client.get(f"/api/node/{ids['river']}")
    again = client.get(
        f"/api/node/{ids['river']}", headers={"If-None-Match": first.headers["etag"]}
    )
    assert again.status_code == 304
    assert again.content == b""
    other = client.get(f"/api/node/{ids['river']}", params={"n": "x"})
    assert other.headers["etag"] != first.headers["etag"]


def test_answers_are_compressed_for_those_who_can(client, ids):
    packed = client.get(f"/api/node/{ids['river']}")
    plain = client.get(f"/api/node/{ids['river']}", headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert plain.json() == packed.json()


def test_every_page_is_the_same_file(client):
    pages = {client.get(path).text for path in ("/", "/s/x?n=x:b59", "/p/y", "/f/z", "/d?a=x&b=y")}
    assert len(pages) == 1


def test_next_cards_are_listed_with_what_is_done_there(client, ids):
    cards = client.get(f"/api/cards/{ids['flop']}", params={"n": "x:x"}).json()
    assert sum(len(row["cards"]) for row in cards["rows"]) == 49
    row = next(row for row in cards["rows"] if "8h" in row["cards"])
    node = client.get(f"/api/node/{ids['flop']}", params={"n": "x:x:8h"}).json()
    assert row["range_ev"] == node["range_ev"]
    assert [action["frequency"] for action in row["actions"]] == [
        action["frequency"] for action in node["actions"]
    ]


def test_after_a_card_the_others_that_could_have_come_are_listed(client, ids):
    cards = client.get(f"/api/cards/{ids['flop']}", params={"n": "x:x:8h:x"}).json()
    assert cards["chosen"] == "8h"
    assert {card for row in cards["rows"] for card in row["cards"]} >= {"8h", "2c"}
    assert cards["path"] == "x:x:CARD:x"


def test_before_the_first_card_there_is_none_to_list(client, ids):
    assert client.get(f"/api/cards/{ids['flop']}").json()["rows"] == []


def test_classes_of_all_hands_are_told_by_board(client, ids):
    classes = client.get(f"/api/classes/{ids['flop']}", params={"n": "Td9d6h"}).json()
    made = dict(zip(classes["hands"], classes["made"], strict=True))
    assert classes["made_names"][made["9s9c"]] == "sets"
    draws = dict(zip(classes["hands"], classes["draws"], strict=True))
    assert draws["AdQd"] >> classes["draw_names"].index("nut-flush-draws") & 1


def test_values_of_flops_have_a_report_for_each_ratio(client, ids):
    first = client.get(f"/api/flops/{ids['flop_values']}").json()
    assert first["path"] == "3.5"
    second = client.get(
        f"/api/flops/{ids['flop_values']}", params={"n": first["choices"][1]}
    ).json()
    assert [row["flop"] for row in second["flops"]] == ["AhKsQd", "9s6s2s", "2s2h2d"]
    assert second["flops"][1]["suits"] == "monotone"
    assert client.get(f"/api/flops/{ids['flop_values']}", params={"n": "7"}).status_code == 422


def test_what_a_solution_does_not_have_is_said(client, ids):
    answer = client.get(f"/api/lines/{ids['river']}")
    assert answer.status_code == 422
    assert "has no lines" in answer.json()["problem"]
    assert client.get(f"/api/node/{ids['flop_values']}").status_code == 422


def test_a_bundle_that_is_replaced_while_it_is_open_is_opened_again(tmp_path):
    make_values((2.0,)).save(tmp_path / "values")
    with make_client(make_explorer(tmp_path)) as client:
        (run,) = client.get("/api/runs").json()["runs"]
        first = client.get(f"/api/flops/{run['id']}")
        make_values((5.0,)).save(tmp_path / "values", overwrite=True)
        second = client.get(
            f"/api/flops/{run['id']}", headers={"If-None-Match": first.headers["etag"]}
        )
        assert (first.json()["choices"], second.json()["choices"]) == (["2"], ["5"])


def test_a_file_that_is_cut_short_while_it_is_open_is_an_error_and_not_the_end(runs, tmp_path):
    shutil.copytree(runs / "river", tmp_path / "river")
    with make_client(make_explorer(tmp_path)) as client:
        (run,) = client.get("/api/runs").json()["runs"]
        assert client.get(f"/api/node/{run['id']}").status_code == 200
        for file in (tmp_path / "river").glob("*.npy"):
            file.write_bytes(file.read_bytes()[:200])
        answer = client.get(f"/api/node/{run['id']}", params={"n": "x"})
        assert answer.status_code == 422
        assert "bytes" in answer.json()["problem"]
        assert client.get("/api/runs").status_code == 200


def test_a_bundle_with_a_link_inside_is_refused(runs, tmp_path):
    shutil.copytree(runs / "river", tmp_path / "inside" / "river")
    array = next((tmp_path / "inside" / "river").glob("*.npy"))
    array.rename(tmp_path / "outside.npy")
    array.symlink_to(tmp_path / "outside.npy")
    with make_client(make_explorer(tmp_path / "inside")) as client:
        (run,) = client.get("/api/runs").json()["runs"]
        answer = client.get(f"/api/node/{run['id']}")
        assert answer.status_code == 422
        assert "symbolic link" in answer.json()["problem"]


def test_a_bundle_that_is_removed_is_an_error(runs, tmp_path):
    shutil.copytree(runs / "river", tmp_path / "river")
    with make_client(make_explorer(tmp_path)) as client:
        (run,) = client.get("/api/runs").json()["runs"]
        client.get(f"/api/node/{run['id']}")
        shutil.rmtree(tmp_path / "river")
        assert client.get(f"/api/node/{run['id']}").status_code == 422
        assert client.get("/api/runs").json()["runs"] == []


def test_no_answer_names_a_place_outside_of_what_was_given(client, ids, runs):
    for question in QUESTIONS:
        for run in (*ids.values(), "nothing"):
            answer = client.get(f"/api/{question}/{run}")
            # The facts of a solution have the path that the command line is given.
            assert question == "facts" or str(runs) not in answer.text


def test_jobs_cannot_be_started_where_none_are_allowed(client, ids):
    question = {"run": ids["joint_game"], "node": "c-x", "board": "Td9d6h"}
    answer = client.post("/api/jobs", json=question, headers={"X-Runout": "1"})
    assert answer.status_code in (404, 405)
    assert client.get(f"/api/facts/{ids['joint_game']}").json()["can_solve"] is False


def test_a_joint_game_leads_to_its_own_flops(client, ids):
    before = client.get(f"/api/node/{ids['joint_game']}", params={"n": "c-x"}).json()
    assert (before["kind"], before["flops"]) == ("flop", ["QsTs5s"])
    flop = client.get(f"/api/node/{ids['joint_game']}", params={"n": "c-x:QsTs5s"}).json()
    assert (flop["street"], flop["unit"], flop["board"]) == ("flop", "bb", "QsTs5s")
    assert [step["taken"] for step in flop["trail"]] == ["c", "x", "QsTs5s"]
    report = client.get(f"/api/flops/{ids['joint_game']}", params={"n": "c-x"}).json()
    (row,) = report["flops"]
    assert (row["share"], row["suits"], row["path"]) == (1.0, "monotone", "c:x:QsTs5s")
    assert row["ev"] == flop["range_ev"]
    cards = client.get(f"/api/cards/{ids['joint_game']}", params={"n": "c-x:QsTs5s:x:x"}).json()
    assert sum(len(row["cards"]) for row in cards["rows"]) == 49


MAX_LINES = 400


def own_files():
    files = static_files()
    return {
        name: file.plain().decode()
        for name, file in files.items()
        if not name.startswith("vendor/")
    }


def test_the_page_and_all_that_it_names_are_packaged():
    files = static_files()
    named = re.findall(r'(?:href|src)="/static/([^"]+)"', files[INDEX].plain().decode())
    assert "js/main.js" in named
    assert set(named) <= set(files)


def test_every_import_of_a_module_leads_to_a_file():
    files = static_files()
    for name, text in own_files().items():
        if not name.endswith(".js"):
            continue
        folder = name.rpartition("/")[0].split("/")
        for target in re.findall(r'from "([^"]+)"', text):
            place = list(folder)
            for part in target.split("/"):
                place = place[:-1] if part == ".." else place if part == "." else [*place, part]
            assert "/".join(place) in files, f"{name} imports {target}"


def test_files_are_short():
    assert not [name for name, text in own_files().items() if text.count("\n") > MAX_LINES]


def test_nothing_is_loaded_from_elsewhere():
    for name, text in own_files().items():
        addresses = re.findall(r"https?://[\w.]+", text)
        assert set(addresses) <= {"http://www.w3.org"}, name


def test_libraries_come_with_their_licences():
    files = static_files()
    libraries = {name for name in files if name.startswith("vendor/") and name.endswith(".js")}
    assert libraries == {"vendor/preact.js", "vendor/htm.js"}
    for name in libraries:
        assert name.replace(".js", ".LICENSE") in files


def list_of(directory):
    with make_client(make_explorer(directory)) as client:
        return {run["name"]: run for run in client.get("/api/runs").json()["runs"]}


@pytest.mark.parametrize("name", ["manifest.json", "report.json", "config.yaml"])
def test_the_list_follows_no_link_inside_a_bundle(runs, tmp_path, name):
    shutil.copytree(runs / "river", tmp_path / "inside" / "river")
    shutil.copytree(runs / "flop", tmp_path / "inside" / "flop")
    file = tmp_path / "inside" / "river" / name
    file.rename(tmp_path / "outside")
    file.symlink_to(tmp_path / "outside")
    rows = list_of(tmp_path / "inside")
    assert "symbolic link" in rows["river"]["problem"]
    assert rows["river"]["quality"] is None
    assert not rows["flop"]["problem"]


def test_flops_of_a_game_are_not_looked_for_elsewhere(runs, tmp_path):
    shutil.copytree(runs / "joint_game", tmp_path / "inside" / "game")
    flops = tmp_path / "inside" / "game" / "flops"
    flops.rename(tmp_path / "outside")
    flops.symlink_to(tmp_path / "outside")
    assert "symbolic link" in list_of(tmp_path / "inside")["game"]["problem"]


def sign(directory):
    """Makes the manifest of a bundle say what its documents hold now."""
    manifest = json.loads((directory / "manifest.json").read_text())
    for name, entry in manifest["documents"].items():
        content = (directory / f"{name}.json").read_bytes()
        entry |= {"size_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    unsigned = {key: manifest[key] for key in manifest if key != "digest"}
    manifest["digest"] = digest_config(unsigned)
    (directory / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999", "null", '"x"', "[]"])
@pytest.mark.parametrize("kind", ["river", "joint_game/preflop"])
def test_one_bad_bundle_is_one_bad_row(runs, tmp_path, number, kind):
    shutil.copytree(runs / "flop", tmp_path / "flop")
    shutil.copytree(runs / kind.split("/")[0], tmp_path / "bad")
    bundle = tmp_path / "bad" / Path(*kind.split("/")[1:])
    text = (bundle / "report.json").read_text()
    (bundle / "report.json").write_text(
        re.sub(r'("exploitability_\w+"): [^,]+', rf"\1: {number}", text)
    )
    sign(bundle)
    rows = list_of(tmp_path)
    assert rows["bad"]["problem"]
    assert not rows["flop"]["problem"]


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names there are Unicode")
def test_names_that_are_not_utf8_are_listed_and_opened(runs, tmp_path):
    names = [os.fsdecode(b"r\xff"), os.fsdecode(b"r\xfe")]
    for name in names:
        shutil.copytree(runs / "river", tmp_path / name)
    with make_client(make_explorer(tmp_path)) as client:
        found = client.get("/api/runs").json()["runs"]
        assert len({run["id"] for run in found}) == 2
        for run in found:
            assert run["problem"] == ""
            assert client.get(f"/api/node/{run['id']}").status_code == 200
            assert client.get(f"/api/facts/{run['id']}").status_code == 200


def test_a_defect_of_ours_is_an_answer_with_all_headers(explorer, monkeypatch):
    def fail(self):
        raise KeyError("inside")

    monkeypatch.setattr(type(explorer), "list_runs", fail)
    with make_client(explorer) as client:
        answer = client.get("/api/runs")
    assert answer.status_code == 500
    assert "inside" not in answer.text
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    "path", ["/", "/static/js/main.js", "/api/node/{river}", "/api/v1/solutions/{river}/node"]
)
def test_head_is_what_get_would_be_without_its_content(client, ids, path):
    path = path.format(**ids)
    got, asked = client.get(path), client.head(path)
    assert (asked.status_code, asked.content) == (200, b"")
    assert asked.headers["etag"] == got.headers["etag"]


def test_equal_questions_at_a_time_are_computed_once(runs, monkeypatch):
    explorer, calls, begun = make_explorer(runs), [], threading.Barrier(12)
    real = answers.answer

    def slow(opened, *question):
        calls.append(question)
        time.sleep(0.2)
        return real(opened, *question)

    monkeypatch.setattr(answers, "answer", slow)
    run = next(run for run in explorer.library.runs.values() if run.name == "river")

    def ask(path):
        begun.wait()
        return explorer.answer("node", run.id, path)

    with ThreadPoolExecutor(12) as threads:
        found = list(threads.map(ask, ["", "x"] * 6))
    assert len(calls) == 2
    assert len({each.etag for each in found}) == 2


#: Notes that it has begun and waits for its end.
WAITS = """
import pathlib, sys, time
pathlib.Path(sys.argv[1]).touch()
time.sleep(600)
"""


def test_an_estimate_ends_with_its_client(runs, tmp_path):
    jobs = Jobs([sys.executable, "-c", WAITS, str(tmp_path / "begun")])
    explorer, listener = make_explorer(runs, jobs), listen("127.0.0.1", 0)
    app = make_app(explorer, Guard(listener.names))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener.socket]})
    thread.start()
    try:
        run = next(r for r in explorer.library.runs.values() if r.name == "joint_game")
        body = json.dumps({"run": run.id, "node": "c-x", "board": "Td9d6h"}).encode()
        head = (
            f"POST /api/estimate HTTP/1.1\r\nHost: 127.0.0.1\r\n{OWN_HEADER}: 1\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", listener.port)) as client:
            client.sendall(head.encode() + body)
            wait_until((tmp_path / "begun").exists)
            assert jobs._estimating.locked()
        wait_until(lambda: not jobs._estimating.locked())
    finally:
        server.should_exit = True
        thread.join(60)

import pytest

from runout.explorer.guard import MAX_BODY_BYTES, MAX_QUERY_BYTES, OWN_HEADER, TOKEN_COOKIE
from tests.explorer.conftest import make_client

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

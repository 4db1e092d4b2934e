import pytest
from starlette.datastructures import Headers

from shallows.lab._guard import refuse

HOST = "127.0.0.1:8765"
OWN = f"http://{HOST}"


@pytest.mark.parametrize("host", [HOST, "127.0.0.1", "localhost:1", "LocalHost"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_loopback_may(host, method):
    assert refuse(method, Headers({"host": host})) == ""
    assert refuse(method, Headers({"host": host, "origin": f"http://{host}"})) == ""


@pytest.mark.parametrize(
    "host",
    ["", "evil.com", "evil.com:8765", "127.0.0.1.evil.com", "localhost@evil.com", "127.0.0.2", "x"],
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_a_name_that_leads_here_by_rebinding_may_not(host, method):
    assert f"not to {host!r}" in refuse(method, Headers({"host": host}))


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.com"},
        {"origin": "null"},
        {"origin": "https://127.0.0.1:8765"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "http://localhost:8765"},
        {"sec-fetch-site": "cross-site"},
        {"origin": OWN, "sec-fetch-site": "same-site"},
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_foreign_pages_may_not_change_anything(method, headers):
    assert "Only the lab's own pages" in refuse(method, Headers({"host": HOST, **headers}))


def test_foreign_pages_may_link_here():
    headers = {"host": HOST, "origin": "http://evil.com", "sec-fetch-site": "cross-site"}
    assert refuse("GET", Headers(headers)) == ""

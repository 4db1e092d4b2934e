"""The real server, and clients that send half of what they should, or leave too early."""

import socket
import time
from contextlib import ExitStack

import pytest

from lab.serving import serving, wait_for
from shallows.lab import _connections
from shallows.lab._runs import Runs

HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
FORM = b"POST /experiments/coin HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nn="
WHOLE = b"GET /elsewhere HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.fixture(autouse=True)
def short_times(monkeypatch):
    monkeypatch.setattr(_connections, "REQUEST_SECONDS", 1.0)
    monkeypatch.setattr(_connections, "WRITE_SECONDS", 1.0)


def connect(lab, first=b""):
    client = socket.create_connection(("127.0.0.1", lab.port), timeout=20)
    client.sendall(first)
    return client


def read_all(client):
    """Read until the other side closes, and return how many bytes came."""
    client.settimeout(20)
    found = 0
    try:
        while more := len(client.recv(65536)):
            found += more
    except ConnectionResetError:
        pass
    return found


def is_refused(client):
    try:
        client.sendall(b" ")
    except OSError:
        return True
    return False


def is_closed(client):
    client.settimeout(0.01)
    try:
        return client.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionResetError:
        return True


@pytest.mark.parametrize(
    "first", [b"", HALF, FORM, WHOLE + HALF], ids=["none", "head", "body", "2"]
)
def test_half_a_request_is_given_up(lab, first):
    with connect(lab, first) as client:
        start = time.monotonic()
        read_all(client)
        assert 0.8 < time.monotonic() - start < 8


def test_bytes_that_trickle_do_not_lengthen_the_time(lab):
    with connect(lab, HALF) as client:
        start = time.monotonic()
        while not is_closed(client):
            time.sleep(0.1)
            try:
                client.sendall(b"x")
            except OSError:
                break
            assert time.monotonic() - start < 5


def test_two_hundred_half_requests_do_not_keep_others_out_and_end(lab):
    with ExitStack() as stack:
        clients = [stack.enter_context(connect(lab, HALF)) for _ in range(200)]
        assert lab.get("/").status == 200
        wait_for(lambda: all(is_closed(client) for client in clients), 10)
    assert lab.get("/").status == 200


def test_too_many_connections_make_room_oldest_first(lab, monkeypatch):
    monkeypatch.setattr(_connections, "MOST_CONNECTIONS", 3)
    monkeypatch.setattr(_connections, "REQUEST_SECONDS", 60.0)
    with ExitStack() as stack:
        clients = []
        for _ in range(3):
            clients.append(stack.enter_context(connect(lab, HALF)))
            time.sleep(0.05)
        assert lab.get("/").status == 200
        assert wait_for(lambda: is_closed(clients[0]))
        assert not is_closed(clients[2])


def test_a_reader_that_takes_nothing_is_given_up(lab):
    place = lab.start("coin", n="500")
    lab.end(place)
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", lab.port))
        ask = f"GET {place}/result.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
        client.sendall(ask * 200)
        wait_for(lambda: is_refused(client), 10)


def test_a_client_that_leaves_in_the_middle_leaves_no_traceback(capfd):
    with serving(Runs(at_once=1)) as lab:
        for first in (HALF, FORM, FORM[:-2], WHOLE, WHOLE * 50):
            connect(lab, first).close()
        place = lab.start("coin", n="500")
        lab.end(place)
        for _ in range(5):
            connect(lab, f"GET {place} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()).close()
        assert lab.get("/").status == 200
    assert capfd.readouterr() == ("", "")

"""A lab that is served to the tests, and how they talk to it."""

import json
import re
import time
from contextlib import contextmanager
from http.client import HTTPConnection
from threading import Thread
from types import SimpleNamespace
from urllib.parse import urlencode

import psutil
import uvicorn

from lab.odd_experiments import ENTRIES
from shallows.lab._application import application
from shallows.lab._serve import configuration, listen

FORM = "application/x-www-form-urlencoded"


def wait_for(condition, seconds=60):
    """Return what a condition returns once that is true."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
    return found


def is_alive(pid):
    """Tell whether a process is still at work; one that nobody has buried yet is not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class Client:
    """Sends requests, follows nothing."""

    def __init__(self, port):
        self.port = port
        self.address = f"http://127.0.0.1:{port}"

    def send(self, method, path, body=None, binary=False, **headers):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        text = "" if binary else content.decode()
        return SimpleNamespace(
            status=answer.status, text=text, body=content, headers=answer.headers
        )

    def get(self, path, **headers):
        return self.send("GET", path, **headers)

    def post(self, path, fields=(), **headers):
        return self.send("POST", path, urlencode(dict(fields)), Content_Type=FORM, **headers)

    def start(self, name, **fields):
        """Start a run and return its address."""
        answer = self.post(f"/experiments/{name}", fields)
        assert answer.status == 303
        place = answer.headers["Location"]
        assert re.fullmatch(r"/runs/[0-9a-f]{12}", place)
        return place

    def progress(self, place):
        return json.loads(self.get(f"{place}/progress").text)

    def end(self, place):
        """Wait for the end of a run and return its page."""
        wait_for(lambda: not self.progress(place)["active"])
        return self.get(place).text


@contextmanager
def serving(runs, entries=None, playgrounds=()):
    listening = listen(0)
    entries = entries or ENTRIES.values()
    server = uvicorn.Server(configuration(application(entries, runs, playgrounds)))
    thread = Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield Client(listening.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(30)
        listening.close()

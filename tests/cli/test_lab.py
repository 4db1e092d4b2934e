import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from http.client import HTTPConnection

import psutil
import pytest

from lab.serving import is_alive, wait_for
from shallows.cli import main
from shallows.lab import _serve


@contextmanager
def command(*words):
    line = [sys.executable, "-m", "shallows.cli", "lab", "--no-browser", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(line, **pipes, start_new_session=True) as process:
        try:
            yield process
        finally:
            process.kill()


def port_of(process):
    line = process.stdout.readline()
    return int(re.fullmatch(r"The lab is open at http://127\.0\.0\.1:(\d+)/\n", line)[1])


def start_a_long_run(port):
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", "/experiments/separable_fraction", "trials=10000")
    place = connection.getresponse().headers["Location"]
    connection.close()
    connection.request("GET", f"{place}/progress")
    answer = connection.getresponse().read().decode()
    connection.close()
    assert '"active":true' in answer


@pytest.mark.slow
@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, -signal.SIGTERM)])
def test_an_interrupt_ends_the_server_and_its_runs_without_a_word_too_many(sign, code):
    with command("--port", "0") as process:
        port = port_of(process)
        start_a_long_run(port)
        children = wait_for(lambda: psutil.Process(process.pid).children(recursive=True))
        os.killpg(process.pid, sign)  # as a terminal does
        out, err = process.communicate(timeout=60)
        assert process.returncode == code
        assert err == ""
        assert "Traceback" not in out
        wait_for(lambda: not any(is_alive(child.pid) for child in children))


@pytest.mark.slow
def test_runs_do_not_outlive_a_server_that_is_killed():
    with command("--port", "0") as process:
        start_a_long_run(port_of(process))
        children = wait_for(lambda: psutil.Process(process.pid).children(recursive=True))
        process.kill()
        wait_for(lambda: not any(is_alive(child.pid) for child in children))


def test_a_port_in_use_gives_one_sentence_and_2(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["lab", "--no-browser", "--port", str(port)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        f"shallows: --port {port} can't be used (Address already in use); choose another, or leave "
        "the option out and a free one is taken.\n"
    )


def test_without_a_port_the_usual_one_is_taken_or_else_a_free_one(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setattr(_serve, "USUAL_PORT", port)
    with _serve.listen() as first, _serve.listen() as second, _serve.listen(0) as third:
        hosts, ports = zip(*(s.getsockname() for s in (first, second, third)), strict=True)
    assert set(hosts) == {"127.0.0.1"}
    assert ports[0] == port
    assert len(set(ports)) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--port", "65536"], "--port must be int in [0, 65535], got 65536."),
        (["--port", "-1"], "--port must be int in [0, 65535], got -1."),
        (
            ["--port", "x"],
            "argument --port: invalid int value: 'x'; `shallows lab --help` explains.",
        ),
        (["--host", "0.0.0.0"], "`shallows lab` has no option '--host'; "),
    ],
)
def test_usage_errors_are_one_sentence_and_give_2(capsys, words, message):
    assert main(["lab", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"shallows: {message}")
    assert err.count("\n") == 1


def test_help(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["lab", "--help"])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    assert "--port" in out
    assert "--no-browser" in out


@pytest.mark.parametrize(("words", "opened"), [([], 1), (["--no-browser"], 0)])
def test_a_browser_is_opened_unless_told(capsys, monkeypatch, words, opened):
    addresses = []
    monkeypatch.setattr("webbrowser.open", addresses.append)

    def serve(listening):
        host, port = listening.getsockname()
        wait_for(lambda: len(addresses) == opened)
        assert addresses == [f"http://{host}:{port}/"] * opened
        listening.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(_serve, "serve", serve)
    assert main(["lab", "--port", "0", *words]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("The lab is open at http://127.0.0.1:")
    assert out.endswith("The lab is closed.\n")
    assert err == ""


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_a_missing_extra_is_named(capsys, monkeypatch, package):
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("_serve", "_application", "_guard"):
        monkeypatch.delitem(sys.modules, f"shallows.lab.{name}", raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    assert main(["lab"]) == 1
    assert capsys.readouterr().err == (
        f"shallows: {package} is missing; install it with: pip install 'shallows[lab]'\n"
    )

"""`shallows lab`: experiments in a browser, on this machine only."""

from __future__ import annotations

import socket
import sys
from contextlib import suppress
from threading import Thread

from shallows.cli._errors import UsageError
from shallows.cli._parser import Parser

PORTS = 65535


def main(words: list[str]) -> int:
    """Serve the lab until Ctrl-C."""
    parser = Parser(
        prog="shallows lab",
        description="Run experiments in a browser: set their parameters, watch them, and see each "
        "claim\nof the theory held against what came out. Only this machine can open the pages.\n"
        "Ctrl-C closes the lab and ends its runs.",
    )
    parser.add_argument(
        "--port",
        type=int,
        metavar="INT",
        help="0 for any that is free; unless given, 8765 or else any that is free",
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address only")
    options = parser.parse(words)
    if options.port is not None and not 0 <= options.port <= PORTS:
        raise UsageError(f"--port must be int in [0, {PORTS}], got {options.port}.")
    from shallows.lab._serve import listen, serve

    try:
        listening = listen(options.port)
    except OSError as error:
        raise UsageError(
            f"--port {options.port} can't be used ({error.strerror}); choose another, or leave the "
            "option out and a free one is taken."
        ) from None
    _announce(listening, browser=not options.no_browser)
    with suppress(KeyboardInterrupt):
        serve(listening)
    sys.stdout.write("\nThe lab is closed.\n")
    return 0


def _announce(listening: socket.socket, browser: bool) -> None:
    host, port = listening.getsockname()
    address = f"http://{host}:{port}/"
    sys.stdout.write(f"The lab is open at {address}\nCtrl-C closes it.\n")
    sys.stdout.flush()
    if browser:
        import webbrowser

        # A browser in the terminal would keep the server from starting.
        Thread(target=webbrowser.open, args=(address,), daemon=True).start()

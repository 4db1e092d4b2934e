"""The lab's server: on this machine only, from the command to Ctrl-C."""

from __future__ import annotations

import os
import socket

import uvicorn
from starlette.types import ASGIApp

from shallows._core.contract.registry import playgrounds
from shallows.lab._application import application
from shallows.lab._catalogue import experiments
from shallows.lab._connections import MOST_HEADER_BYTES, BoundedConnection
from shallows.lab._runs import Runs

LOOPBACK = "127.0.0.1"
USUAL_PORT = 8765
GRACE_SECONDS = 2


def listen(port: int | None = None) -> socket.socket:
    """Return a socket that listens on loopback.

    Parameters
    ----------
    port : int, optional
        The port, 0 for any that is free; unless given, 8765 or else any that is free.

    Returns
    -------
    socket.socket
        Browsers may connect to it at once.
    """
    if port is not None:
        return _bind(port)
    try:
        return _bind(USUAL_PORT)
    except OSError:
        return _bind(0)


def serve(listening: socket.socket) -> None:
    """Serve all experiments until interrupted; no run outlives the call.

    Parameters
    ----------
    listening : socket.socket
        From `listen`.
    """
    runs = Runs()
    try:
        uvicorn.Server(configuration(application(experiments(), runs, playgrounds()))).run(
            sockets=[listening]
        )
    finally:
        runs.close()
        listening.close()


def configuration(app: ASGIApp) -> uvicorn.Config:
    """Return how the application is served."""
    return uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        http=BoundedConnection,
        ws="none",
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def _bind(port: int) -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere it would let two servers share a port
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((LOOPBACK, port))
        found.listen()
    except OSError:
        found.close()
        raise
    return found

"""How long a connection may take, and how many there may be."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 512
REQUEST_SECONDS = 10.0  # from the first byte of a request to its last
WRITE_SECONDS = 30.0  # for a reader that takes nothing of its answer
MOST_HEADER_BYTES = 16384


class BoundedConnection(H11Protocol):
    """A connection that is closed when a request or the reading of an answer takes too long.

    When there are too many, the one that has waited longest with half a request, or with none,
    makes room; if each of them is being answered, the new one is closed.
    """

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to count the seconds of the first request."""
        super().connection_made(transport)
        self._begin("request", REQUEST_SECONDS)
        if len(self.connections) > MOST_CONNECTIONS:
            idle = [other for other in self.connections if not other.answering]  # type: ignore[union-attr]
            min(idle, key=lambda other: other.since, default=self).transport.abort()  # type: ignore[union-attr]

    @property
    def answering(self) -> bool:
        """Whether a whole request is here, and its answer is not sent yet."""
        return self.conn.their_state in (h11.DONE, h11.MUST_CLOSE) and not (
            self.cycle is None or self.cycle.response_complete
        )

    def data_received(self, data: bytes) -> None:
        """Let the time of a request begin with its first byte and end with its last."""
        super().data_received(data)
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._begin("request", REQUEST_SECONDS)
        else:
            self._end("request")

    def pause_writing(self) -> None:
        """Count the seconds in which the reader takes nothing."""
        super().pause_writing()
        self._begin("write", WRITE_SECONDS)

    def resume_writing(self) -> None:
        """Go on to write."""
        super().resume_writing()
        self._end("write")

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop to count."""
        super().connection_lost(exc)
        for name in list(self._timers):
            self._end(name)

    def _begin(self, name: str, seconds: float) -> None:
        """Close the connection after so many seconds, unless it is ended before."""
        if name not in self._timers:
            self.since = self.loop.time()
            self._timers[name] = self.loop.call_later(seconds, self.transport.abort)

    def _end(self, name: str) -> None:
        if name in self._timers:
            self._timers.pop(name).cancel()

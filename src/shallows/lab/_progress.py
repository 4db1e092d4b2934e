"""Progress bars on a terminal, silence elsewhere, and the end of a run from outside."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sized
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

Item = TypeVar("Item")


class Cancelled(Exception):
    """The run was stopped from outside.

    Examples
    --------
    >>> from shallows.lab import Run
    >>> list(Run("demo", cancelled=lambda: True).progress(range(3)))
    Traceback (most recent call last):
    shallows.lab._progress.Cancelled: demo was cancelled.
    """


class Bars:
    """One bar per loop; nested loops share the display."""

    def __init__(self) -> None:
        self._display: Progress | None = None

    def track(self, items: Iterable[Item], text: str) -> Iterator[Item]:
        """Yield the items and show how many are done."""
        if not sys.stderr.isatty():
            yield from items
            return
        display = self._open()
        bar = display.add_task(text, total=len(items) if isinstance(items, Sized) else None)
        try:
            for item in items:
                yield item
                display.advance(bar)
        finally:
            display.remove_task(bar)

    def close(self) -> None:
        """Remove the display."""
        if self._display is not None:
            self._display.stop()
            self._display = None

    def _open(self) -> Progress:
        if self._display is None:
            from rich.console import Console
            from rich.progress import Progress

            self._display = Progress(console=Console(stderr=True), transient=True)
            self._display.start()
        return self._display

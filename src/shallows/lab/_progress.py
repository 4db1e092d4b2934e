"""How far a run is: bars on a terminal, a report to whoever asks, and its end from outside."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import TYPE_CHECKING, NamedTuple, TypeVar

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


class Loop(NamedTuple):
    """How far a loop is."""

    text: str
    done: int
    total: int | None


Report = Callable[[tuple[Loop, ...]], None]


class Bars:
    """One bar per loop; nested loops share the display.

    Where a report is wanted it gets all open loops, the outermost first, and nothing is drawn.
    """

    def __init__(self, report: Report | None = None) -> None:
        self._report = report
        self._loops: list[Loop] = []
        self._display: Progress | None = None

    def track(self, items: Iterable[Item], text: str) -> Iterator[Item]:
        """Yield the items and show how many are done."""
        total = len(items) if isinstance(items, Sized) else None
        if self._report is not None:
            yield from self._reported(items, text, total, self._report)
            return
        if not sys.stderr.isatty():
            yield from items
            return
        display = self._open()
        bar = display.add_task(text, total=total)
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

    def _reported(
        self, items: Iterable[Item], text: str, total: int | None, report: Report
    ) -> Iterator[Item]:
        level = len(self._loops)
        try:
            for done, item in enumerate(items):
                self._loops[level:] = [Loop(text, done, total)]
                report(tuple(self._loops))
                yield item
        finally:
            del self._loops[level:]
            report(tuple(self._loops))

    def _open(self) -> Progress:
        if self._display is None:
            from rich.console import Console
            from rich.progress import Progress

            self._display = Progress(console=Console(stderr=True), transient=True)
            self._display.start()
        return self._display

"""Interrupts that are not lost."""

from __future__ import annotations

import signal
from threading import current_thread, main_thread
from typing import Any


class Interrupts:
    """Remembers Ctrl-C while a block runs.

    The exception that it raises may end in code that expects none, such as callbacks of a compiler,
    and be gone; `check` raises it again.
    """

    def __enter__(self) -> Interrupts:
        self.came, self._before = False, None
        if current_thread() is main_thread():  # Python lets no other thread set handlers
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def check(self) -> None:
        """Raise KeyboardInterrupt if one came."""
        if self.came:
            raise KeyboardInterrupt

    def _note(self, *_: Any) -> None:
        self.came = True
        raise KeyboardInterrupt

"""The time that a study may take."""

from __future__ import annotations

import time

import numpy as np

SEARCH_SHARE = 0.7  # the rest is for the final fit, the assessment and the explanation


class Budget:
    """Seconds of work; what an interrupted run spent before counts."""

    def __init__(self, seconds: float | None, spent: float = 0.0):
        self._seconds, self._start = seconds, time.monotonic() - spent

    @property
    def is_spent(self) -> bool:
        """Whether no new work shall begin."""
        return self.left <= 0

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.share(1.0) - (time.monotonic() - self._start)

    @property
    def left_to_search(self) -> float:
        """Seconds that are left of the part in which methods are compared."""
        return self.left - self.share(1 - SEARCH_SHARE) if self._seconds is not None else np.inf

    def share(self, part: float) -> float:
        """Return a part of the whole budget in seconds."""
        return np.inf if self._seconds is None else part * self._seconds

"""The time that a study may take."""

from __future__ import annotations

import time

import numpy as np

REPORT_SHARE, LEAST_REPORT, MOST_REPORT = 0.15, 1.0, 12.0


class Budget:
    """Seconds of work; what an interrupted run spent before counts."""

    def __init__(self, seconds: float | None, spent: float = 0.0):
        self._seconds, self._start = seconds, time.monotonic() - spent

    @property
    def is_limited(self) -> bool:
        """Whether there is an end."""
        return self._seconds is not None

    @property
    def is_spent(self) -> bool:
        """Whether no new work shall begin."""
        return self.left <= 0

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._start

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return np.inf if self._seconds is None else self._seconds - self.spent

    @property
    def for_report(self) -> float:
        """Seconds to keep for assessment, explanation and report."""
        if self._seconds is None:
            return 0.0
        return float(np.clip(REPORT_SHARE * self._seconds, LEAST_REPORT, MOST_REPORT))

    @property
    def left_to_search(self) -> float:
        """Seconds that are left before the report; the final fits come out of them, too."""
        return self.left - self.for_report

    def share(self, part: float) -> float:
        """Return a part of the whole budget in seconds."""
        return np.inf if self._seconds is None else part * self._seconds

"""What a study is doing, live in a terminal and silent elsewhere."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from types import TracebackType

import numpy as np
from rich.console import Console
from rich.live import Live
from rich.table import Table

from shallows.study._budget import Budget
from shallows.study._fits import Entry
from shallows.study._journal import Evaluation
from shallows.study._measures import Measure


class Progress(AbstractContextManager["Progress"]):
    """A live table: stage, method at work, share of the rung, best so far, time left."""

    def __init__(self, console: Console | None, budget: Budget, measure: Measure):
        self._budget, self._measure = budget, measure
        self._start = time.monotonic()
        self._best: tuple[float, str] = (-np.inf, "–")
        shown = console is not None and console.is_terminal
        self._live = Live(console=console, refresh_per_second=8, transient=True) if shown else None

    def __enter__(self) -> Progress:
        if self._live:
            self._live.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live:
            self._live.__exit__(kind, error, trace)

    def say(self, stage: str, text: str = "") -> None:
        """Show that a stage begins."""
        self._show({"stage": stage, "doing": text})

    def watch(self, stage: str, rung: str, done: int, entry: Entry, found: Evaluation) -> None:
        """Show that an evaluation is done."""
        if self._live is None:
            return
        if found.scores and "rows" in rung:
            self._best = max(self._best, (float(np.mean(found.scores)), entry.candidate.name))
        setting = ", ".join(f"{name} = {value}" for name, value in entry.setting.items())
        best = self._measure.say(self._best[0]) if np.isfinite(self._best[0]) else "–"
        left = self._budget.left
        passed = f"{time.monotonic() - self._start:.0f} s"
        self._show(
            {
                "stage": f"{stage}, {rung}",
                "last": f"{entry.candidate.name} {setting}",
                "done": f"{done} evaluations",
                "best so far": f"{best} ({self._best[1]})",
                "time": passed if left == np.inf else f"{passed}, {max(left, 0):.0f} s left",
            }
        )

    def _show(self, rows: dict[str, str]) -> None:
        if self._live is None:
            return
        table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
        for name, text in rows.items():
            table.add_row(f"[dim]{name}[/]", text)
        self._live.update(table)

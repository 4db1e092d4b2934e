"""By how much ours is expected to be quicker, from measured times.

`measured.json` has for each method the sizes that were measured and the ratios of the times, and
says on which machine and with which command. `benchmarks/accelerate.py` writes it.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from functools import cache
from math import log
from pathlib import Path
from typing import Any

PAYS = 1.3  # times as quick as scikit-learn, from which a call comes to us; times scatter
FILE = Path(__file__).with_name("measured.json")


class Grid:
    """Logarithms of ratios at measured numbers of rows and columns."""

    def __init__(self, rows: list[int], columns: list[int], ratios: list[list[float]]):
        self.rows = [log(n) for n in rows]
        self.columns = [log(p) for p in columns]
        self.ratios = [[log(ratio) for ratio in line] for line in ratios]

    def at(self, n_rows: int, n_columns: int) -> float:
        """Return the logarithm of the ratio, interpolated; beyond the grid, that of its edge."""
        i, s = _place(self.rows, log(n_rows or 1))
        j, t = _place(self.columns, log(n_columns or 1))
        low, high = self.ratios[i], self.ratios[min(i + 1, len(self.rows) - 1)]
        k = min(j + 1, len(self.columns) - 1)
        return (1 - s) * ((1 - t) * low[j] + t * low[k]) + s * ((1 - t) * high[j] + t * high[k])


def _place(ticks: list[float], value: float) -> tuple[int, float]:
    """Return the tick below a value and how far it is on the way to the next, from 0 to 1."""
    i = bisect_right(ticks, value) - 1
    if i < 0:
        return 0, 0.0
    if i == len(ticks) - 1:
        return i, 0.0
    return i, (value - ticks[i]) / (ticks[i + 1] - ticks[i])


def expected(call: str, shape: tuple[int, int]) -> float | None:
    """Return the logarithm of the expected ratio of times; None if it was not measured."""
    grid = grids().get(call)
    return grid.at(*shape) if grid else None


@cache
def grids() -> dict[str, Grid]:
    """Return the measured grids by class and method."""
    stored: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        call: Grid(found["rows"], found["columns"], found["ratios"])
        for call, found in stored["calls"].items()
    }

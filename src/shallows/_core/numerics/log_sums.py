"""Sums of numbers that are known by their logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.numerics.threads import map_blocks


def log_sums(logs: NDArray[Any]) -> NDArray[Any]:
    """Return the logarithm of the sum of ``exp(logs)`` in each row, without overflow."""

    def block(rows: slice) -> NDArray[Any]:
        columns = logs[rows].T.copy()  # so that NumPy adds long rows, not many short ones
        peak = columns.max(axis=0)
        peak[~np.isfinite(peak)] = 0
        columns -= peak
        with np.errstate(divide="ignore", over="ignore"):
            return peak + np.log(np.exp(columns, out=columns).sum(axis=0))

    if not len(logs):
        return np.empty(0, dtype=logs.dtype)
    return np.concatenate(map_blocks(block, len(logs)))

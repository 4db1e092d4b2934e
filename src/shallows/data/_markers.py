"""Markers of missing values in their different spellings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shallows.data._column_types import to_array

MISSING = ("", "NA", "N/A", "NaN", "?", "null")


class Markers(NamedTuple):
    """Strings that mark a missing value: in every column, and in single columns."""

    everywhere: Sequence[str]
    by_column: Mapping[str, Sequence[str]]

    def of(self, column: str) -> tuple[str, ...]:
        """Return the markers of one column."""
        return (*self.everywhere, *self.by_column.get(column, ()))


def empty_markers(cells: NDArray[Any], markers: Sequence[str]) -> NDArray[Any]:
    """Return numbers with gaps in place of markers; -999 also means -999.00."""
    values = _numbers_among(markers)
    if not values:
        return cells
    if cells.dtype.kind == "O":
        numbers = np.array([np.nan if cell is None else float(cell) for cell in cells])
    else:
        numbers = cells.astype(np.float64)
    gone = np.isin(numbers, values)
    if not gone.any():
        return cells
    if cells.dtype.kind == "f":
        return np.where(gone, np.nan, cells)
    kept = [None if out else cell for cell, out in zip(cells.tolist(), gone, strict=True)]
    return to_array(kept, "integer")


def _numbers_among(markers: Sequence[str]) -> list[float]:
    found = []
    for marker in markers:
        try:
            found.append(float(marker))
        except ValueError:
            continue
    return [value for value in found if np.isfinite(value)]

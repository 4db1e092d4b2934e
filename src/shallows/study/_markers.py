"""What was said to stand for gaps, beside empty cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows.data._markers import MISSING, Markers, empty_markers


def read_markers(missing: Sequence[str | float]) -> Markers:
    """Read words such as -999 or income=-999; what stands before the last = is a column."""
    everywhere: list[str] = []
    by_column: dict[str, list[str]] = {}
    for word in words_of(missing):
        name, _, marker = word.rpartition("=")
        if name:
            by_column.setdefault(name, []).append(marker)
        else:
            everywhere.append(word)
    return Markers(everywhere, by_column)


def words_of(missing: Sequence[str | float]) -> tuple[str, ...]:
    """Return markers as text, numbers without superfluous digits."""
    return tuple(each if isinstance(each, str) else f"{each:.15g}" for each in missing)


def as_reading(markers: Markers) -> dict[str, Any]:
    """Return markers as `read_table` takes them, beside the usual ones."""
    return {"missing": (*MISSING, *markers.everywhere), "missing_in": markers.by_column}


def empty_cells(cells: NDArray[Any], markers: Sequence[str]) -> NDArray[Any]:
    """Return a column with gaps for markers; if numbers are what is left, it is a number."""
    if cells.dtype.kind in "iuf":
        return empty_markers(cells, markers)
    if cells.dtype.kind != "O" or not markers:
        return cells
    low = {marker.strip().lower() for marker in markers}
    kept = [None if str(cell).strip().lower() in low else cell for cell in cells.tolist()]
    if all(each is None or _is_number(each) for each in kept):
        numbers = np.array([np.nan if each is None else float(each) for each in kept])
        return empty_markers(numbers, markers)
    found = np.empty(len(kept), dtype=object)
    found[:] = kept
    return found


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)

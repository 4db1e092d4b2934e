"""Data tables as indices of states, with -1 for missing entries."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from shallows._core.contract.data import check_table
from shallows._core.contract.targets import is_gap

MISSING, UNKNOWN = -1, -2


def read_columns(estimator, X, *, reset: bool) -> np.ndarray:
    """Return the table as an array; its columns may contain numbers or any other categories."""
    table = check_table(estimator, X, allow_nan=True, reset=reset)
    for value in table.flat if table.dtype.kind == "O" else ():
        if not isinstance(value, Hashable):
            raise TypeError(
                f"{type(estimator).__name__}: X must hold numbers, text or other single values, "
                f"got {value!r}, a {type(value).__name__}."
            )
    return table


def column_names(estimator) -> list[Any]:
    """Return the names of the columns seen in fit, or their numbers if they had no names."""
    names = getattr(estimator, "feature_names_in_", range(estimator.n_features_in_))
    return list(names)


def find_states(column) -> tuple[Any, ...]:
    """Return the distinct values of a column in ascending order, without missing ones."""
    if column.dtype.kind != "O":
        return tuple(np.unique(column[~_is_missing(column)]).tolist())
    values = {value: None for value in column.tolist() if not is_gap(value)}
    try:
        return tuple(sorted(values))
    except TypeError:  # numbers and strings can't be compared
        return tuple(sorted(values, key=lambda value: (type(value).__name__, str(value))))


def encode(column, states) -> np.ndarray:
    """Return the index of each entry's state: MISSING for gaps, UNKNOWN for other values."""
    place = {value: index for index, value in enumerate(states)}
    if column.dtype.kind != "O":
        known, inverse = np.unique(column, return_inverse=True)
        gaps = _is_missing(known)
        codes = np.array([place.get(value, UNKNOWN) for value in known.tolist()], dtype=np.intp)
        codes[gaps] = MISSING
        return codes[inverse.reshape(-1)]
    place.setdefault(None, MISSING)
    entries = column.tolist()
    codes = np.array([place.get(value, UNKNOWN) for value in entries], dtype=np.intp)
    for row in np.flatnonzero(codes == UNKNOWN):
        if is_gap(entries[row]):
            codes[row] = MISSING
    return codes


def as_array(states) -> np.ndarray:
    """Return values as an array of their own type, or of objects if types differ."""
    array = np.array(states)
    if array.ndim == 1 and len({type(value) for value in states}) == 1:
        return array
    values = np.empty(len(states), dtype=object)
    values[:] = states
    return values


def group_rows(codes, weights) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the distinct rows, their total weights, and the index of each row among them."""
    if not codes.shape[1]:
        return codes[:1], weights.sum(keepdims=True), np.zeros(len(codes), dtype=np.intp)
    rows, inverse = np.unique(codes, axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    return rows, np.bincount(inverse, weights, minlength=len(rows)), inverse


def _is_missing(values) -> np.ndarray:
    return np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)

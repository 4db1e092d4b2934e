"""Rows that are equal: which there are, and where a row is found among them."""

from __future__ import annotations

import numpy as np


def distinct_rows(X):
    """Return the different rows in order, first column first, and the number of each row.

    Like `numpy.unique` along the first axis, by a sort of one number per row instead of one of
    whole rows.
    """
    _, numbers = _numbered(X[:, 0])
    for column in X.T[1:]:
        values, places = _numbered(column)
        _, numbers = _numbered(numbers * len(values) + places)
    first = np.empty(numbers.max() + 1, dtype=np.intp)
    first[numbers[::-1]] = np.arange(len(X))[::-1]
    return np.ascontiguousarray(X[first]), numbers


def find_rows(X, points):
    """Return which of the points each row of X equals, -1 for none, of equal points the last."""
    known, found = np.zeros(len(points), dtype=np.intp), np.zeros(len(X), dtype=np.intp)
    n_known = 1
    for column, theirs in zip(X.T, points.T, strict=True):
        values, places = _numbered(theirs)
        place = _find(column, values)
        # One number for the columns so far: the code of the earlier ones and the place in this one.
        n_codes = n_known * len(values)
        codes, known = _numbered(known * len(values) + places)
        if n_known > 1:
            place = np.where((found >= 0) & (place >= 0), found * len(values) + place, -1)
        n_known = len(codes)
        found = place if n_known == n_codes else _find(place, codes)
    which = np.empty(n_known, dtype=np.intp)
    which[known] = np.arange(len(points))
    return np.where(found >= 0, which[found], -1)


def _numbered(values):
    """Return the different values in order, and the place of each value among them."""
    if values.min() >= 0 and values.max() < 4 * len(values):
        numbers = values.astype(np.intp, copy=False)
        if (numbers == values).all():  # no sort where counting will do
            there = np.bincount(numbers) > 0
            return np.flatnonzero(there).astype(values.dtype), (np.cumsum(there) - 1)[numbers]
    known = np.unique(values)
    return known, np.searchsorted(known, values)


def _find(values, known):
    """Return the place of each value among sorted ones, -1 where it is none of them."""
    if known[0] >= 0 and known[-1] < 4 * len(values):
        numbers = known.astype(np.intp, copy=False)
        if (numbers == known).all():  # looked up, between two borders for what is beyond
            table = np.zeros(numbers[-1] + 3, dtype=np.intp)
            table[numbers + 1] = np.arange(len(known))
            place = table[np.clip(values, -1, len(table) - 2).astype(np.intp) + 1]
            return np.where(known[place] == values, place, -1)
    place = np.minimum(np.searchsorted(known, values), len(known) - 1)
    return np.where(known[place] == values, place, -1)

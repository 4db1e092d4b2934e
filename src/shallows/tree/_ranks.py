"""Columns as ranks, which is all that the growth of a tree looks at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from shallows._core.numerics.threads import map_blocks
from shallows.tree._sparse_ranks import Listed, rank_entries

CELLS_PER_BLOCK = 2**15  # fewer are ranked sooner than handed to a thread
BYTE = 256
MOST_BINS = 255
MANY_ROWS = 200_000  # from which on splitter="auto" puts values into bins


class Ranks(NamedTuple):
    """The ranks of all values.

    The rank of a value is its place among the sorted distinct values of its column, or the number
    of a category; a missing value has the rank ``n_values[j]``. ``table[j]`` has the ranks of all
    samples in column j. A sparse matrix has an empty table, and `listed` has the ranks of the
    stored entries. `X` has the values themselves. With bins instead of ranks, `edges[j]` has the
    thresholds of column j.
    """

    table: np.ndarray
    n_values: np.ndarray
    is_category: np.ndarray
    any_missing: bool
    listed: Listed | None
    X: np.ndarray
    edges: list | None = None

    @classmethod
    def of(cls, X, categories, splitter: str = "best") -> Ranks:
        """Rank each column of X; `categories[j]` lists the categories of column j, or is None."""
        if issparse(X):
            listed, n_values, any_missing = rank_entries(X)
            none = np.zeros(X.shape[1], dtype=bool)
            return cls(np.empty((0, 0), np.int32), n_values, none, any_missing, listed, X.tocsr())
        n, d = X.shape
        table, n_values = np.empty((d, n), dtype=np.int32), np.empty(d, dtype=np.int64)
        binned = splitter == "hist" or (splitter == "auto" and n > MANY_ROWS)
        edges: list = [None] * d

        def rank(columns):
            for j in range(columns.start, columns.stop):
                column = np.ascontiguousarray(X[:, j])
                if categories[j] is None:
                    n_values[j] = _rank_numbers(column, table[j])
                    if binned:
                        edges[j] = _merge_ranks(column, table[j], int(n_values[j]))
                        n_values[j] = min(n_values[j], len(edges[j]) + 1)
                else:
                    n_values[j] = len(categories[j])
                    table[j] = np.where(np.isnan(column), n_values[j], column)

        map_blocks(rank, d, max(1, CELLS_PER_BLOCK // n))
        is_category = np.array([part is not None for part in categories])
        return cls(
            table,
            n_values,
            is_category,
            bool(np.isnan(X.min())),
            None,
            X,
            edges if binned else None,
        )

    def values_at(self, samples, features) -> np.ndarray:
        """Return one value for each pair of a sample and a feature; sample -1 means a zero."""
        if not len(samples):
            return np.empty(0)
        values = np.asarray(self.X[samples, features], dtype=np.float64).ravel()
        return np.where(samples < 0, 0.0, values)


def _rank_numbers(column, ranks) -> int:
    """Write the ranks of a column and return how many distinct values it has."""
    with np.errstate(invalid="ignore"):
        codes = column.astype(np.uint8)
    if np.array_equal(codes, column):  # small whole numbers need no sorting
        is_there = np.bincount(codes, minlength=BYTE) > 0
        ranks[:] = (np.cumsum(is_there) - 1)[codes]
        return int(np.count_nonzero(is_there))
    order = np.argsort(column)
    ordered = column[order]
    known = len(ordered) - np.count_nonzero(np.isnan(ordered))
    is_new = np.empty(len(ordered), dtype=bool)
    is_new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    is_new[known + 1 :] = False  # all gaps, which sort to the end, have one rank
    ranks[order] = np.cumsum(is_new, dtype=np.int32) - 1
    return int(np.count_nonzero(is_new[:known]))


def _merge_ranks(column, ranks, n_values) -> np.ndarray:
    """Write numbers of bins over the ranks, and return the thresholds between the bins.

    Bins have about equally many rows. There are none but ranks if there are few ranks.
    """
    if not n_values:
        return np.empty(0)
    size = np.bincount(ranks, minlength=n_values + 1)[:n_values]
    reached = np.cumsum(size)
    if n_values <= MOST_BINS:
        last = np.arange(n_values - 1)
    else:
        shares = np.arange(1, MOST_BINS) / MOST_BINS * reached[-1]
        last = np.unique(np.minimum(np.searchsorted(reached, shares), n_values - 2))
    low, high = np.empty(n_values + 1), np.empty(n_values + 1)
    low[ranks] = high[ranks] = column
    low, high = low[last].astype(np.float64), high[last + 1].astype(np.float64)
    middle = low / 2 + high / 2
    places = np.append(np.searchsorted(last, np.arange(n_values)), len(last) + 1)
    ranks[:] = places[ranks]
    return np.where((low <= middle) & (middle < high), middle, low)

"""Ranks of the entries of a sparse matrix, and their keys at the nodes of a tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array

from shallows._core.numerics.compile import compiled


class Listed(NamedTuple):
    """Entries of a sparse matrix, row by row.

    Row i lists its `columns`, in order, and their `ranks` from ``starts[i]`` to
    ``starts[i + 1]``. A value that is not listed is zero, which has the rank `zero` of its column.
    """

    starts: np.ndarray
    columns: np.ndarray
    ranks: np.ndarray
    zero: np.ndarray

    @property
    def per_row(self) -> int:
        """Mean number of entries of a row, at least 1."""
        return max(1, len(self.ranks) // (len(self.starts) - 1))


def rank_entries(X) -> tuple[Listed, np.ndarray, bool]:
    """Rank the stored values of each column, and the zeros that are not stored.

    Returns the entries, the number of distinct values of each column, and whether any is missing.
    """
    n, d = X.shape
    X = csc_array(X)
    X.sum_duplicates()
    used = X.data != 0
    data, rows = X.data[used], X.indices[used]
    columns = np.repeat(np.arange(d, dtype=np.int32), np.diff(X.indptr))[used]
    order = np.lexsort((data, columns))
    data, rows, columns = data[order], rows[order], columns[order]
    counts = np.bincount(columns, minlength=d)
    first = np.cumsum(counts) - counts
    has_zeros = counts < n
    missing = np.isnan(data)
    is_new = np.ones(len(data), dtype=bool)
    is_new[1:] = (columns[1:] != columns[:-1]) | (data[1:] != data[:-1])
    is_new &= ~missing
    # distinct values up to each entry of its column, and below zero
    seen = np.cumsum(is_new) - np.concatenate([[0], np.cumsum(is_new)])[first[columns]]
    below = np.bincount(columns[is_new & (data < 0)], minlength=d)
    n_values = np.bincount(columns[is_new], minlength=d) + has_zeros
    ranks = np.where(missing, n_values[columns], seen - 1 + (has_zeros[columns] & (data > 0)))
    by_row = np.argsort(rows, kind="stable")
    listed = Listed(
        starts=np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))]),
        columns=columns[by_row],
        ranks=ranks[by_row].astype(np.int32),
        zero=below.astype(np.int32),
    )
    return listed, n_values.astype(np.int64), bool(missing.any())


@compiled
def look_up_ranks(listed, samples, features):
    """Return the rank of each sample in its own feature, found by bisection in its row."""
    found = np.empty(len(samples), np.int32)
    for i in range(len(samples)):
        low, high = listed.starts[samples[i]], listed.starts[samples[i] + 1]
        end = high
        while low < high:
            middle = (low + high) // 2
            if listed.columns[middle] < features[i]:
                low = middle + 1
            else:
                high = middle
        is_listed = low < end and listed.columns[low] == features[i]
        found[i] = listed.ranks[low] if is_listed else listed.zero[features[i]]
    return found

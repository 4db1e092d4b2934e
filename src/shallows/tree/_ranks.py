"""Columns as ranks, which is all that the growth of a tree looks at."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, issparse

from shallows._core.compile import compiled
from shallows._core.threads import map_blocks

FEW = 48  # a column with at most so many values is counted, not sorted
SMALL = 255  # largest rank that one byte holds
CELLS_PER_BLOCK = 2**15  # fewer are sooner ranked than handed to a thread


class Table(NamedTuple):
    """Ranks of all samples in all columns, as plain arrays for compiled functions.

    The rank of a value is its place among the sorted distinct values of its column, or the number
    of a category; a missing value has the rank ``n_values[j]``. Dense column j is row ``place[j]``
    of `few`, or where that is negative row ``-1 - place[j]`` of `many`. Of a sparse matrix, row i
    lists `columns` and `ranks` from ``starts[i]`` to ``starts[i + 1]``, and column j `column_rows`
    and `column_ranks` in the same way; `few` and `many` are empty. A node lists its samples by
    their ranks, except for those of the rank ``usual[j]``, zero in a sparse matrix; where it is -1
    all are listed. The values of a column are `counted` where they are few, and else sorted.
    """

    few: np.ndarray
    many: np.ndarray
    place: np.ndarray
    starts: np.ndarray
    columns: np.ndarray
    ranks: np.ndarray
    column_starts: np.ndarray
    column_rows: np.ndarray
    column_ranks: np.ndarray
    usual: np.ndarray
    counted: np.ndarray
    n_values: np.ndarray
    is_category: np.ndarray


class Ranks(NamedTuple):
    """A table of ranks, and what they stand for.

    The sorted distinct values of column j stand in `values` from ``starts[j]`` on. Those of a
    dense column of many values are not kept: ``starts[j]`` is -1, and `X` holds them.
    """

    table: Table
    values: np.ndarray
    starts: np.ndarray
    any_missing: bool
    X: np.ndarray

    @classmethod
    def of(cls, X, categories) -> Ranks:
        """Rank each column of X; `categories[j]` lists the categories of column j, or is None."""
        return _rank_sparse(X) if issparse(X) else _rank_dense(X, categories)

    def values_at(self, features, places) -> np.ndarray:
        """Return a value of each feature, which `places` give as ranks, or as rows of `X`."""
        found, kept = np.empty(len(features)), self.starts[features] >= 0
        found[kept] = self.values[self.starts[features[kept]] + places[kept]]
        if not kept.all():
            found[~kept] = self.X[places[~kept], features[~kept]]
        return found


def _rank_dense(X, categories):
    n, d = X.shape
    small = _map_columns(lambda j: _rank_few(X, j, categories[j]), d, n)
    is_small = np.array([part is not None for part in small])
    place = np.where(is_small, np.cumsum(is_small) - 1, -np.cumsum(~is_small)).astype(np.int32)
    kept = [part for part in small if part is not None]
    few = np.stack([ranks for ranks, _ in kept]) if kept else np.empty((0, 0), dtype=np.uint8)
    large = np.flatnonzero(~is_small)
    many = np.empty((len(large), n), dtype=np.int32)
    n_large = _map_columns(
        lambda k: _rank_many(X[:, large[k]], categories[large[k]], many[k]), len(large), n
    )
    is_category = np.array([part is not None for part in categories])
    n_values = np.empty(d, dtype=np.int64)
    n_values[is_small] = [len(values) for _, values in kept]
    n_values[large] = n_large
    table = Table(
        few=few,
        many=many,
        place=place,
        starts=np.empty(0, dtype=np.int64),
        columns=np.empty(0, dtype=np.int32),
        ranks=np.empty(0, dtype=np.int32),
        column_starts=np.empty(0, dtype=np.int64),
        column_rows=np.empty(0, dtype=np.int32),
        column_ranks=np.empty(0, dtype=np.int32),
        usual=np.where(is_small, 0, -1).astype(np.int64),
        counted=is_small | is_category,
        n_values=n_values,
        is_category=is_category,
    )
    starts = np.where(is_small, np.cumsum(n_values * is_small) - n_values, -1)
    values = np.concatenate([np.empty(0), *(values for _, values in kept)])
    highest = np.empty(d, dtype=np.int64)
    highest[is_small], highest[large] = few.max(axis=1, initial=0), many.max(axis=1, initial=0)
    return Ranks(table, values, starts, bool((highest == n_values).any()), X)


def _map_columns(task, n_columns, n_rows):
    """Return what the task says of each column, on threads where columns are long."""
    parts = map_blocks(
        lambda columns: [task(j) for j in range(columns.start, columns.stop)],
        n_columns,
        max(1, CELLS_PER_BLOCK // n_rows),
    )
    return list(chain(*parts))


def _rank_few(X, j, categories):
    """Return the ranks of a column as bytes, and what they stand for; None if there are many."""
    if categories is not None:
        if len(categories) > SMALL:
            return None
        ranks = np.where(np.isnan(X[:, j]), len(categories), X[:, j]).astype(np.uint8)
        return ranks, np.arange(len(categories))
    seen, codes = np.empty(FEW, dtype=X.dtype), np.empty(len(X), dtype=np.uint8)
    n_seen = number_values(X, j, seen, codes)
    if n_seen > FEW:
        return None
    order = np.argsort(seen[:n_seen])  # a gap comes last
    ranks = np.empty(n_seen, dtype=np.uint8)
    ranks[order] = np.arange(n_seen)
    known = seen[order]
    return ranks[codes], known[~np.isnan(known)]


def _rank_many(column, categories, ranks):
    """Write the ranks of a column and return how many values they stand for."""
    if categories is not None:
        ranks[:] = np.where(np.isnan(column), len(categories), column)
        return len(categories)
    order = np.argsort(column)
    ordered = column[order]
    known = len(ordered) - np.count_nonzero(np.isnan(ordered))
    new = np.empty(len(ordered), dtype=bool)
    new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    new[known + 1 :] = False  # all gaps, which stand last, have one rank
    ranks[order] = np.cumsum(new, dtype=np.int32) - 1
    return np.count_nonzero(new[:known])


def _rank_sparse(X):
    """Rank the stored values of each column, and the zeros that are not stored."""
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
    zeros = counts < n
    missing = np.isnan(data)
    new = np.ones(len(data), dtype=bool)
    new[1:] = (columns[1:] != columns[:-1]) | (data[1:] != data[:-1])
    new &= ~missing
    # distinct values up to each entry of its column, and below zero
    seen = np.cumsum(new) - np.concatenate([[0], np.cumsum(new)])[first[columns]]
    below = np.bincount(columns[new & (data < 0)], minlength=d)
    n_values = np.bincount(columns[new], minlength=d) + zeros
    ranks = np.where(missing, n_values[columns], seen - 1 + (zeros[columns] & (data > 0)))
    ranks = ranks.astype(np.int32)
    starts = np.cumsum(n_values) - n_values
    values = np.zeros(n_values.sum())
    values[starts[columns[new]] + ranks[new]] = data[new]
    by_row = np.argsort(rows, kind="stable")
    table = Table(
        few=np.empty((0, 0), dtype=np.uint8),
        many=np.empty((0, 0), dtype=np.int32),
        place=np.empty(0, dtype=np.int32),
        starts=np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))]),
        columns=columns[by_row],
        ranks=ranks[by_row],
        column_starts=np.append(first, len(data)),
        column_rows=rows.astype(np.int32),
        column_ranks=ranks,
        usual=np.where(zeros, below, -1),
        counted=n_values <= FEW,
        n_values=n_values,
        is_category=np.zeros(d, dtype=bool),
    )
    return Ranks(table, values, starts, bool(missing.any()), X)


@compiled
def number_values(X, j, seen, codes):
    """Number the values of a column as they come; return how many, at most one more than fit."""
    n_seen = 0
    for i in range(len(X)):
        x, code = X[i, j], 0
        while code < n_seen and x != seen[code] and (x == x or seen[code] == seen[code]):
            code += 1
        if code == n_seen:
            if n_seen == len(seen):
                return n_seen + 1
            seen[n_seen] = x
            n_seen += 1
        codes[i] = code
    return n_seen

"""Columns as ranks, which is all that the growth of a tree looks at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, issparse

from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import map_blocks

FEW = 48  # a column with at most so many values is counted, not sorted
SMALL = 255  # largest rank that one byte holds
CELLS_PER_BLOCK = 2**15  # fewer are sooner ranked than handed to a thread


class Table(NamedTuple):
    """Ranks of all samples in all columns, as plain arrays for compiled functions.

    The rank of a value is its place among the sorted distinct values of its column, or the number
    of a category; a missing value has the rank ``n_values[j]``. Dense column j is row ``place[j]``
    of `few`, or where that is negative row ``-1 - place[j]`` of `many`; those of a sparse matrix
    are empty. A node lists its samples by their ranks, except for those of the rank ``usual[j]``,
    zero in a sparse matrix; where it is -1 all are listed. The values of a column are `counted`
    where they are few, and else sorted.
    """

    few: np.ndarray
    many: np.ndarray
    place: np.ndarray
    usual: np.ndarray
    counted: np.ndarray
    n_values: np.ndarray
    is_category: np.ndarray


class Listed(NamedTuple):
    """Ranks of the entries of a sparse matrix.

    Row i has `columns` and `ranks` from ``starts[i]`` to ``starts[i + 1]``, and column j
    `column_rows` and `column_ranks` in the same way.
    """

    starts: np.ndarray
    columns: np.ndarray
    ranks: np.ndarray
    column_starts: np.ndarray
    column_rows: np.ndarray
    column_ranks: np.ndarray


class Ranks(NamedTuple):
    """A table of ranks, what a sparse matrix lists, and what the ranks stand for.

    The sorted distinct values of column j stand in `values` from ``starts[j]`` on. Those of a
    dense column of many values are not kept: ``starts[j]`` is -1, and `X` holds them.
    """

    table: Table
    listed: Listed | None
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
        starts = self.starts[features]
        kept = starts >= 0
        if kept.all():
            return self.values[starts + places]
        found = np.empty(len(features))
        found[kept] = self.values[starts[kept] + places[kept]]
        found[~kept] = self.X[places[~kept], features[~kept]]
        return found


def _rank_dense(X, categories):
    n, d = X.shape
    is_category = np.array([part is not None for part in categories])
    n_values = np.array([0 if part is None else len(part) for part in categories])
    is_small = n_values <= SMALL
    few, distinct = np.empty((d, n), dtype=np.uint8), np.empty((d, FEW))
    columns_per_block = max(1, CELLS_PER_BLOCK // n)
    map_blocks(
        lambda part: rank_few(
            X, part.start, part.stop, is_category, few, distinct, n_values, is_small
        ),
        d,
        columns_per_block,
    )
    for j in np.flatnonzero(is_category & is_small):
        few[j] = np.where(np.isnan(X[:, j]), n_values[j], X[:, j])
    large = np.flatnonzero(~is_small)
    few = few[is_small] if len(large) else few
    many = np.empty((len(large), n), dtype=np.int32)

    def rank(part):
        for k in range(part.start, part.stop):
            n_values[large[k]] = _rank_many(X[:, large[k]], categories[large[k]], many[k])

    map_blocks(rank, len(large), columns_per_block)
    place = np.empty(d, dtype=np.int32)
    place[is_small], place[large] = np.arange(d - len(large)), -1 - np.arange(len(large))
    kept = [
        np.arange(n_values[j]) if is_category[j] else distinct[j, : n_values[j]]
        for j in np.flatnonzero(is_small)
    ]
    table = Table(
        few=few,
        many=many,
        place=place,
        usual=np.where(is_small, 0, -1).astype(np.int64),
        counted=is_small | is_category,
        n_values=n_values,
        is_category=is_category,
    )
    starts = np.where(is_small, np.cumsum(n_values * is_small) - n_values, -1)
    values = np.concatenate([np.empty(0), *kept])
    return Ranks(table, None, values, starts, bool(np.isnan(X.min())), X)


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
        usual=np.where(zeros, below, -1),
        counted=n_values <= FEW,
        n_values=n_values,
        is_category=np.zeros(d, dtype=bool),
    )
    listed = Listed(
        starts=np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))]),
        columns=columns[by_row],
        ranks=ranks[by_row],
        column_starts=np.append(first, len(data)),
        column_rows=rows.astype(np.int32),
        column_ranks=ranks,
    )
    return Ranks(table, listed, values, starts, bool(missing.any()), X)


@compiled
def rank_few(X, start, stop, is_category, ranks, distinct, n_values, is_small):
    """Rank the columns from `start` to `stop` that have few values, and are no categories.

    Writes their ranks, sorted values and how many these are; others are marked as not small.
    """
    active, n_active = np.empty(stop - start, np.int64), 0
    for j in range(start, stop):
        if not is_category[j]:
            active[n_active] = j
            n_active += 1
    listed = active[:n_active].copy()
    code_of = np.full((stop - start, 256), 255, np.uint8)  # where values are whole numbers
    for i in range(len(X)):
        k = 0
        while k < n_active:  # values are numbered as they come
            j = active[k]
            x, seen, code = np.float64(X[i, j]), n_values[j], 0
            whole = 0 <= x < 256 and x == np.floor(x)
            if x != x:
                code = 255
            elif whole:
                code = min(np.int64(code_of[j - start, int(x)]), seen)
            else:
                while code < seen and x != distinct[j, code]:
                    code += 1
            if code == seen:
                if seen == distinct.shape[1]:
                    is_small[j] = False
                    n_active -= 1
                    active[k] = active[n_active]
                    continue
                distinct[j, code] = x
                n_values[j] += 1
                if whole:
                    code_of[j - start, int(x)] = code
            ranks[j, i] = code
            k += 1
    order, rank_of = np.empty(256, np.int64), np.empty(256, np.uint8)
    for j in listed:
        if is_small[j]:
            for code in range(n_values[j]):  # sorted by insertion
                x, rank = distinct[j, code], code
                while rank > 0 and distinct[j, rank - 1] > x:
                    distinct[j, rank], order[rank] = distinct[j, rank - 1], order[rank - 1]
                    rank -= 1
                distinct[j, rank], order[rank] = x, code
            rank_of[255] = n_values[j]
            for rank in range(n_values[j]):
                rank_of[order[rank]] = rank
            for i in range(len(X)):
                ranks[j, i] = rank_of[ranks[j, i]]

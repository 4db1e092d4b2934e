"""Columns as ranks, which is all that the growth of a tree looks at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.threads import map_blocks

SAMPLE, FEW = 1000, 100  # so few distinct values in so many rows are looked up, not sorted


class Ranks(NamedTuple):
    """Ranks of shape (n_features, n_samples), and what they stand for.

    The sorted distinct numbers of column j stand in `values` from ``starts[j]`` on; of a column
    of categories these are 0, 1 and so on. A missing value has the rank ``n_values[j]``.
    """

    ranks: np.ndarray
    n_values: np.ndarray
    is_category: np.ndarray
    values: np.ndarray
    starts: np.ndarray
    any_missing: bool

    @classmethod
    def of(cls, X, categories) -> Ranks:
        """Rank each column of X; `categories[j]` lists the categories of column j, or is None."""
        n, d = X.shape
        ranks = np.empty((d, n), dtype=np.int32)
        parts = map_blocks(
            lambda js: _rank(X[:, js.start], categories[js.start], ranks[js.start]), d, 1
        )
        n_values = np.array([len(part) for part in parts], dtype=np.int64)
        is_category = np.array([part is not None for part in categories])
        starts = np.cumsum(n_values) - n_values
        missing = bool((ranks.max(axis=1) == n_values).any())
        return cls(ranks, n_values, is_category, np.concatenate(parts), starts, missing)


def _rank(column, categories, ranks):
    """Write the ranks of a column and return what they stand for."""
    if categories is not None:
        ranks[:] = np.where(np.isnan(column), len(categories), column)
        return np.arange(len(categories), dtype=column.dtype)
    if len(np.unique(column[:SAMPLE])) <= FEW:
        distinct = np.unique(column)
        distinct = distinct[~np.isnan(distinct)]
        ranks[:] = np.searchsorted(distinct, column)  # gaps come after all
        return distinct
    order = np.argsort(column)
    ordered = column[order]
    known = len(ordered) - np.count_nonzero(np.isnan(ordered))
    new = np.empty(len(ordered), dtype=bool)
    new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    new[known + 1 :] = False  # all gaps, which stand last, have one rank
    ranks[order] = np.cumsum(new, dtype=np.int32) - 1
    return ordered[:known][new[:known]]

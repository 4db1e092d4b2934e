"""Rows that a tree answers, as compiled walks want them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse


class Rows(NamedTuple):
    """Rows of a sparse matrix with `width` columns.

    Row i lists its `columns` and `values` from ``starts[i]`` to ``starts[i + 1]``.
    """

    values: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    width: int

    @classmethod
    def of(cls, X) -> Rows:
        """Read a CSR matrix; entries at the same place are added."""
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        values = X.data.view()
        values.flags.writeable = False  # kernels compile once
        return cls(values, X.indices.astype(np.int32), X.indptr.astype(np.int64), X.shape[1])


def rows_with_gaps(X) -> np.ndarray:
    """Return the rows in which a value is missing."""
    if issparse(X):
        missing = np.flatnonzero(np.isnan(X.data))
        return np.unique(np.searchsorted(X.indptr, missing, side="right") - 1)
    if not X.size or not np.isnan(X.min()):
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(np.isnan(X).any(axis=1))

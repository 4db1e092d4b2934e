"""Rows of a dense or sparse matrix in one form, so that compiled walks need only one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse


class Rows(NamedTuple):
    """Numbers of a matrix with `width` columns.

    Of a dense matrix `values` holds row after row, and the other arrays are empty. Of a sparse one
    row i lists its `columns`, in order, and `values` from ``starts[i]`` to ``starts[i + 1]``.
    """

    values: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    width: int

    @classmethod
    def of(cls, X) -> Rows:
        """Read a C-ordered array or a CSR matrix, without a copy where it is in order."""
        starts, columns = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
        values = X
        if issparse(X):
            if not X.has_canonical_format:
                X = X.copy()
                X.sum_duplicates()
            starts, columns = X.indptr.astype(np.int64), X.indices.astype(np.int32)
            values = X.data
        values = values.reshape(-1)
        values.flags.writeable = False  # kernels compile once
        return cls(values, columns, starts, X.shape[1])

    def any_missing(self) -> bool:
        """Tell whether any value is missing."""
        return len(self.values) > 0 and bool(np.isnan(self.values.min()))

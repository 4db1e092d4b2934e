"""Rows with missing values and sparse rows: which metrics take them, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from shallows._core.numerics.neighbors import Metric, minkowski_power


def takes_gaps(metric: Metric, p: float = 2) -> bool:
    """Tell whether missing values can be left out of a distance."""
    if not isinstance(metric, str):
        return False
    return metric == "hamming" or minkowski_power(metric, p) is not None


def takes_sparse(metric: Metric, p: float = 2) -> bool:
    """Tell whether a distance comes from inner products, so that sparse rows stay sparse."""
    if not isinstance(metric, str):
        return False
    return metric == "cosine" or minkowski_power(metric, p) == 2


def refuse_sparse(owner: str, X: Any, metric: Metric, p: float = 2) -> None:
    """Raise for sparse training rows under a metric that can't take them."""
    if issparse(X) and not takes_sparse(metric, p):
        raise ValueError(
            f"{owner} takes sparse data with metric 'euclidean' or 'cosine', or with 'minkowski' "
            f"and p=2, got {metric!r}. Choose one of them, or use X.toarray() if it fits in memory."
        )


def refuse_gaps(owner: str, X: Any, metric: Metric, p: float = 2, *, sparse: bool) -> None:
    """Raise for missing values that no distance can leave out; `sparse` as rows are or X is."""
    if not takes_gaps(metric, p) and not sparse and np.isnan(X).any():
        raise ValueError(
            f"{owner}: missing values can be left out of Minkowski and Hamming distances only, "
            f"got NaN with metric={metric!r}. Fill them in first."
        )
    if sparse and np.isnan(X.data if issparse(X) else X).any():
        raise ValueError(
            f"{owner}: missing values can be left out of distances of dense rows only, got NaN "
            "and a sparse matrix. Use X.toarray(), or fill them in first."
        )
    refuse_empty_rows(owner, X)


def refuse_sparse_gaps(owner: str, X: Any) -> None:
    """Raise for a sparse matrix with missing values, and for rows of nothing else."""
    if issparse(X) and np.isnan(X.data).any():
        raise ValueError(
            f"{owner}: a sparse matrix must hold no missing values, got "
            f"{int(np.isnan(X.data).sum())}. Use X.toarray() if it fits in memory."
        )
    refuse_empty_rows(owner, X)


def refuse_empty_rows(owner: str, X: Any) -> None:
    """Raise where a row has no value at all; one of a sparse matrix has zeros."""
    if not issparse(X):
        refuse_empty(owner, empty_rows(X), len(X))


def empty_rows(X: NDArray[Any]) -> NDArray[np.intp]:
    """Return the places of rows that have no value at all."""
    if not np.isnan(X[:, 0]).any():
        return np.empty(0, np.intp)
    return np.flatnonzero(np.isnan(X).all(axis=1))


def refuse_empty(owner: str, empty: NDArray[np.intp], n_rows: int) -> None:
    """Raise where there are places of rows that have no value at all."""
    if len(empty):
        raise ValueError(
            f"{owner}: row {empty[0]} of X holds only missing values, and {len(empty)} of "
            f"{n_rows} rows do. Drop such rows."
        )


def one_entry_each(X: Any) -> Any:
    """Return X, of a sparse matrix one where no value is spread over several entries."""
    if issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X

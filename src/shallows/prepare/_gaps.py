"""Incomplete data: input checks, and rows grouped by their missing columns."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_rows


def check_gappy(estimator, X, *, reset):
    """Return a copy of X as a float array; NaN is allowed."""
    if not reset:
        check_is_fitted(estimator)
    return np.array(check_rows(estimator, X, reset=reset, allow_nan=True), order="C")


def refuse_empty_columns(estimator, X):
    """Raise an error for columns without any value."""
    empty = np.flatnonzero(np.isnan(X).all(axis=0))
    if len(empty):
        raise ValueError(
            f"{type(estimator).__name__}: column {empty[0]} has no value to learn from. "
            "Drop it first, with drop_incomplete(X, axis='columns', max_missing=0.99)."
        )


def each_pattern(X):
    """Yield (rows, missing) for every pattern of missing columns, complete rows last.

    `missing` is a boolean vector over the columns.
    """
    patterns, member = np.unique(np.isnan(X), axis=0, return_inverse=True)
    order = np.argsort(member.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(member.ravel(), minlength=len(patterns)))
    for missing, rows in reversed(list(zip(patterns, np.split(order, ends[:-1]), strict=True))):
        yield rows, missing


def allow_nan(tags):
    """Return the tags with NaN allowed."""
    tags.input_tags.allow_nan = True
    return tags

"""The base of linear estimators: stored weights, predictions, messages."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.linalg import LinAlgWarning

from shallows._core.contract.data import check_new
from shallows._core.numerics.streams import check_stream, is_stream, map_rows


def store_linear(model, coef, intercept, single, dtype):
    """Keep weights of shape (n_features, n_targets) and offsets, in the dtype of the data."""
    model.coef_ = np.ascontiguousarray(coef.T, dtype=dtype)
    model.intercept_ = np.asarray(intercept, dtype=dtype)
    if single:
        model.coef_ = model.coef_[0]
        model.intercept_ = model.intercept_[0]


def predict_linear(model, X):
    """Return the values of a fitted linear function on an array, CSR matrix or stream."""
    if not is_stream(X):
        return values_of(model, check_new(model, X, sparse=True))
    check_stream(model, X, reset=False)
    width = np.atleast_2d(model.coef_).shape[0]
    values = map_rows(
        lambda rows: values_of(model, rows).reshape(-1, width), X, width, model.coef_.dtype
    )
    return values[:, 0] if model.coef_.ndim == 1 else values


def values_of(model, X):
    """Return w.x + b of checked samples."""
    return X @ model.coef_.T + model.intercept_


def two_dimensional(y):
    """Return targets as columns."""
    return y[:, None] if y.ndim == 1 else y


def warn_of_rank(model, rank, full_rank):
    """Warn where double precision can't tell a column from a combination of others."""
    if rank is not None and rank < full_rank:
        warnings.warn(
            f"{type(model).__name__}: the {full_rank} columns of X have rank {rank} in double "
            "precision. Of all least-squares weights those of smallest norm are returned; drop "
            "columns that others determine, or penalise the weights with Ridge.",
            LinAlgWarning,
            stacklevel=4,
        )

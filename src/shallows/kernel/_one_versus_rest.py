"""What the online kernel classifiers share: one column of coefficients per class."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from shallows._core.data import check_labelled
from shallows.kernel._machine import drop_columns, expansion, rows_in_use
from shallows.kernel._resolve import resolve_kernel


def prepare(model, X, y, sample_weight=None):
    """Return X, its Gram matrix, signs by class, weights and the numbers of the rows in use."""
    X, y, weights = check_labelled(model, X, y, sample_weight)
    used = rows_in_use(sample_weight, len(y))
    X = drop_columns(model, X, used)
    options = model.gamma, model.degree, model.coef0, weights
    model._kernel = resolve_kernel(model, model.kernel, X, *options)
    gram = X if model.kernel == "precomputed" else model._kernel(X)
    gram = np.ascontiguousarray(gram, dtype=np.float64)
    signs = np.where(y == np.arange(len(model.classes_))[:, None], 1.0, -1.0)
    return X, gram, signs[1:] if len(signs) == 2 else signs, weights, used


def keep_support(model, X, used, coefficients, intercepts):
    """Store the samples with a coefficient; `coefficients` has one row per class."""
    support = np.flatnonzero(coefficients.any(axis=0))
    model.support_ = used[support].astype(np.int32)
    empty = np.empty((0, 0), dtype=X.dtype)
    model.support_vectors_ = empty if model.kernel == "precomputed" else X[support]
    model.dual_coef_ = coefficients[:, support].astype(X.dtype)
    model.intercept_ = np.asarray(intercepts).astype(X.dtype)


def decisions(model, X):
    """Return one column per class; of two classes the second alone."""
    check_is_fitted(model)
    values = expansion(model, X, model.dual_coef_.T)
    values = values + model.intercept_.astype(values.dtype)
    return values[:, 0] if len(model.classes_) == 2 else values


def winners(model, X):
    """Return the labels of the largest decisions."""
    values = decisions(model, X)
    index = values.argmax(axis=1) if values.ndim == 2 else (values > 0).astype(np.intp)
    return model.classes_[index]

"""What kernel classifiers that learn one class against the rest share."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, issparse, vstack
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_labelled
from shallows.kernel._machine import (
    drop_columns,
    expand_support,
    rows_in_use,
    set_tags,
    support_samples,
)
from shallows.kernel._resolve import resolve_kernel


class KernelClassifier(ClassifierMixin):
    """The methods of a fitted classifier with one row of `dual_coef_` per class.

    With two classes there is one row, positive for the second class.
    """

    def decision_function(self, X):
        """Return the outputs by class.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples, or kernel values between them and all training samples.

        Returns
        -------
        values : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, positive for ``classes_[1]``.
        """
        check_is_fitted(self)
        values = expand_support(self, X, self.dual_coef_.T)
        values = values + self.intercept_.astype(values.dtype)
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X):
        """Return the class of the largest output.

        Parameters
        ----------
        X : array-like or CSR array of shape (n_samples, n_features)
            Samples, or kernel values between them and all training samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        values = self.decision_function(X)
        index = values.argmax(axis=1) if values.ndim == 2 else (values > 0).astype(np.intp)
        return self.classes_[index]

    def __sklearn_tags__(self):
        return set_tags(self, super().__sklearn_tags__())


def prepare(model, X, y, sample_weight=None):
    """Return X, its Gram matrix, signs by class, weights and the numbers of the rows in use."""
    X, y, weights = check_labelled(model, X, y, sample_weight, sparse=True)
    used = rows_in_use(sample_weight, len(y))
    X = drop_columns(model, X, used)
    options = model.gamma, model.degree, model.coef0, weights
    model._kernel = resolve_kernel(model, model.kernel, X, *options)
    gram = X if model.kernel == "precomputed" else model._kernel(X)
    gram = np.ascontiguousarray(gram, dtype=np.float64)
    return X, gram, one_versus_rest(y, len(model.classes_)), weights, used


def one_versus_rest(y, n_classes):
    """Return labels -1, +1 of each class against the rest; of two classes, the second alone."""
    signs = np.where(y == np.arange(n_classes)[:, None], 1.0, -1.0)
    return signs[1:] if n_classes == 2 else signs


def keep_support(model, X, used, coefficients, intercepts):
    """Store the samples with a coefficient; `coefficients` has one row per class."""
    support = np.flatnonzero(coefficients.any(axis=0))
    model.support_, model._n_members = used[support].astype(np.int32), len(used)
    model.support_vectors_ = support_samples(model, X, support)
    model.dual_coef_ = coefficients[:, support].astype(X.dtype)
    model.intercept_ = np.asarray(intercepts).astype(X.dtype)


def add_support(model, X, coefficients):
    """Add more samples to the support vectors; the kernel has 1 added, as offset."""
    support = np.flatnonzero(coefficients.any(axis=0))
    numbers = (model._n_members + support).astype(np.int32)
    model.support_ = np.concatenate([model.support_, numbers])
    join = vstack if issparse(X) else np.concatenate
    model.support_vectors_ = join([model.support_vectors_, X[support]])
    added = coefficients[:, support].astype(model.dual_coef_.dtype)
    model.dual_coef_ = np.hstack([model.dual_coef_, added])
    model.intercept_ = model.intercept_ + added.sum(axis=1)
    model._n_members += X.shape[0]


def like(samples, X):
    """Return more samples in the form and dtype of the first ones."""
    X = X.astype(samples.dtype, copy=False)
    if issparse(samples) == issparse(X):
        return X
    return X.toarray() if issparse(X) else csr_array(X)

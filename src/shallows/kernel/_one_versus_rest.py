"""The base of kernel classifiers that learn one class against the rest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse, vstack
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_labelled
from shallows.kernel._kernel_machine import (
    drop_columns,
    expand_support,
    rows_in_use,
    set_tags,
    support_samples,
)
from shallows.kernel._resolve import resolve_kernel


class Task(NamedTuple):
    """What a kernel classifier learns from: samples, Gram matrix, signs by class, weights, rows.

    `used` are the numbers of the rows that have a weight.
    """

    X: np.ndarray
    gram: np.ndarray
    signs: np.ndarray
    weights: np.ndarray
    used: np.ndarray


class KernelClassifier(ClassifierMixin):
    """Classifiers that learn one class against the rest, with one row of `dual_coef_` per class.

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
        values = expand_support(self, self._kernel, X, self.dual_coef_.T)
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

    def _prepare(self, X, y, sample_weight=None):
        """Choose the kernel; return the task, with signs of each class against the rest."""
        X, y, weights = check_labelled(self, X, y, sample_weight, sparse=True)
        used = rows_in_use(sample_weight, len(y))
        X = drop_columns(self, X, used)
        options = self.gamma, self.degree, self.coef0, weights
        self._kernel = resolve_kernel(self, self.kernel, X, *options)
        gram = X if self.kernel == "precomputed" else self._kernel(X)
        gram = np.ascontiguousarray(gram, dtype=np.float64)
        return Task(X, gram, one_versus_rest(y, len(self.classes_)), weights, used)

    def _keep_support(self, X, used, coefficients, intercepts):
        """Store the samples with a coefficient; `coefficients` has one row per class."""
        support = np.flatnonzero(coefficients.any(axis=0))
        self.support_, self._n_members = used[support].astype(np.int32), len(used)
        self.support_vectors_ = support_samples(self, X, support)
        self.dual_coef_ = coefficients[:, support].astype(X.dtype)
        self.intercept_ = np.asarray(intercepts).astype(X.dtype)

    def _add_support(self, X, coefficients):
        """Add more samples to the support vectors; the kernel has 1 added, as offset."""
        support = np.flatnonzero(coefficients.any(axis=0))
        numbers = (self._n_members + support).astype(np.int32)
        self.support_ = np.concatenate([self.support_, numbers])
        join = vstack if issparse(X) else np.concatenate
        self.support_vectors_ = join([self.support_vectors_, X[support]])
        added = coefficients[:, support].astype(self.dual_coef_.dtype)
        self.dual_coef_ = np.hstack([self.dual_coef_, added])
        self.intercept_ = self.intercept_ + added.sum(axis=1)
        self._n_members += X.shape[0]

    def __sklearn_tags__(self):
        return set_tags(self, super().__sklearn_tags__())


def one_versus_rest(y, n_classes):
    """Return labels -1, +1 of each class against the rest; of two classes, the second alone."""
    signs = np.where(y == np.arange(n_classes)[:, None], 1.0, -1.0)
    return signs[1:] if n_classes == 2 else signs


def like(samples, X):
    """Return more samples in the form and dtype of the first ones."""
    X = X.astype(samples.dtype, copy=False)
    if issparse(samples) == issparse(X):
        return X
    return X.toarray() if issparse(X) else csr_array(X)

"""Classification by principal components, one-hot targets and least squares."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from shallows._core.contract.data import check_labelled, check_new
from shallows._core.contract.params import PositiveInt, check_params
from shallows._core.numerics import moments
from shallows._core.numerics.threads import quick_lapack


class PCALinearClassifier(ClassifierMixin, BaseEstimator):
    r"""Principal components, one linear function of them per class, and the largest wins.

    A baseline that is hard to beat for its simplicity. Samples are centred with the mean of
    the training data and projected on its first m principal components; the projections are
    uncorrelated, so each weight is found by itself and does not change when m grows. Without
    a bias the training error (per sample, summed over classes) is
    :math:`1 - \sum_{k \le m} |V f_k / N|^2 / \sigma_k^2`.

    Parameters
    ----------
    n_components : int or None, default=None
        Number of components m; None takes all that have variance.
    bias : bool, default=False
        Whether the functions get the shares of their classes as offset. With equally many
        samples in each class no decision changes.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features_in_)
        Principal components, by descending variance.
    explained_variance_ : ndarray of shape (n_components_,)
        Variance along each, with divisor n_samples.
    mean_ : ndarray of shape (n_features_in_,)
        Mean of the training data.
    coef_ : ndarray of shape (n_classes, n_components_)
        Weights of the components.
    intercept_ : ndarray of shape (n_classes,)
        Offsets.
    n_components_ : int
        Number of components used.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from shallows.linear import PCALinearClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> bool(PCALinearClassifier(40).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > 0.85)
    True
    """

    def __init__(self, n_components: PositiveInt | None = None, *, bias: bool = False):
        self.n_components = n_components
        self.bias = bias

    def fit(self, X, y, sample_weight=None):
        """Find components and weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; a sample of weight two counts as two samples.

        Returns
        -------
        self : PCALinearClassifier
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_labelled(self, X, y, sample_weight)
        members = (y[:, None] == np.arange(len(self.classes_))) * weights[:, None]
        with quick_lapack(min(X.shape)):
            mean, values, vectors = _spectrum(X.astype(np.float64, copy=False), weights)
        limit = int(np.sum(values > len(X) * np.finfo(np.float64).eps * values.max(initial=0)))
        if self.n_components is not None and self.n_components > min(X.shape):
            raise ValueError(
                f"PCALinearClassifier: n_components={self.n_components} must be at most "
                f"min(n_samples, n_features)={min(X.shape)}."
            )
        kept = limit if self.n_components is None else min(self.n_components, limit)
        values, vectors = values[:kept], vectors[:kept]
        # Components are uncorrelated, so that each coefficient is a covariance over a variance.
        coef = (members.T @ (X - mean)) @ vectors.T / (weights.sum() * values)

        self.mean_, self.components_ = mean.astype(X.dtype), vectors.astype(X.dtype)
        self.explained_variance_ = values.astype(X.dtype)
        self.coef_ = coef.astype(X.dtype)
        shares = members.sum(axis=0) / weights.sum()
        self.intercept_ = (shares if self.bias else np.zeros_like(shares)).astype(X.dtype)
        self.n_components_ = kept
        return self

    def decision_function(self, X):
        """Return the values of the functions; with two classes, their difference.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, positive values mean ``classes_[1]``.
        """
        X = check_new(self, X)
        values = (X - self.mean_) @ self.components_.T @ self.coef_.T + self.intercept_
        return values[:, 1] - values[:, 0] if values.shape[1] == 2 else values

    def predict(self, X):
        """Return the class of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Class labels.
        """
        scores = self.decision_function(X)
        return self.classes_[scores.argmax(1) if scores.ndim == 2 else (scores > 0).astype(int)]


def _spectrum(X, weights):
    """Return mean, variances by descending size and components, by the smaller matrix."""
    if len(X) > X.shape[1]:
        found = moments.accumulate(X, weights)
        values, vectors = np.linalg.eigh(found.scatter / found.weight)
        return found.mean, values[::-1], vectors.T[::-1]
    mean = np.average(X, axis=0, weights=weights)
    moved = (X - mean) * np.sqrt(weights / weights.sum())[:, None]
    _, values, vectors = np.linalg.svd(moved, full_matrices=False)
    return mean, values**2, vectors

"""Interpolation between all training rows, weighted by a power of the distance."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.data import check_new, check_regression
from shallows._core.contract.params import NonNegativeFloat, check_params
from shallows._core.numerics.neighbors import refuse_extremes
from shallows._core.numerics.threads import map_blocks

CELLS = 2**20


class InverseDistanceRegressor(RegressorMixin, BaseEstimator):
    r"""Mean of all targets, weighted by :math:`d^{-a}`.

    The prediction goes through the training targets and lies between the smallest and the largest
    of them.

    Parameters
    ----------
    a : float, default=2.0
        Power of the distance: 0 gives the mean of the targets everywhere, a large one the
        target of the nearest row.

    Attributes
    ----------
    X_fit_ : ndarray of shape (n_samples, n_features)
        Training rows.
    y_fit_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Their targets.
    sample_weight_ : ndarray of shape (n_samples,)
        Their weights, relative to the largest.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.prototype import InverseDistanceRegressor
    >>> model = InverseDistanceRegressor(2.0).fit([[0.0], [3.0]], [0.0, 10.0])
    >>> model.predict([[0.0], [1.0], [1.5]])
    array([0., 2., 5.])
    """

    _takes_any_size = True  # distances are in double precision, which is checked for them

    def __init__(self, a: NonNegativeFloat = 2.0):
        self.a = a

    def fit(self, X, y, sample_weight=None):
        """Keep the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of the weights.

        Returns
        -------
        self : InverseDistanceRegressor
            The fitted estimator.
        """
        check_params(self)
        self.X_fit_, self.y_fit_, weights = check_regression(self, X, y, sample_weight)
        refuse_extremes("InverseDistanceRegressor", self.X_fit_)
        kind = self.X_fit_.dtype
        shares = np.maximum(weights / weights.max(), np.finfo(kind).tiny)  # none becomes zero
        self.sample_weight_ = shares.astype(kind)
        return self

    def predict(self, X):
        """Return the weighted mean of all targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predictions.
        """
        X = check_new(self, X)
        refuse_extremes("InverseDistanceRegressor", X, queries=True)
        size = max(1, CELLS // len(self.X_fit_))
        parts = map_blocks(lambda rows: self._predict_block(X[rows]), len(X), size)
        return np.concatenate(parts).astype(X.dtype, copy=False)

    def _predict_block(self, X):
        distances = cdist(X, self.X_fit_)
        nearest = distances.min(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            # relative to the nearest one, so that no power overflows
            weights = (nearest / distances) ** self.a
        exact = (nearest == 0) & (self.a > 0)
        weights = np.where(exact, distances == 0, np.where(distances == 0, 1.0, weights))
        weights = weights * self.sample_weight_
        weights /= weights.sum(axis=1, keepdims=True)
        return weights @ self.y_fit_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

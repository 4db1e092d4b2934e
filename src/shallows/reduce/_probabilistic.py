"""Principal components as a Gaussian model of the data."""

from __future__ import annotations

from math import log, pi

import numpy as np
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_new


class ProbabilisticModel:
    """Likelihood of samples under a Gaussian with some long axes and equal short ones.

    Methods of estimators with components, the variances along them, and the mean variance of
    all other directions: the noise.
    """

    components_: np.ndarray
    explained_variance_: np.ndarray
    noise_variance_: float
    mean_: np.ndarray

    def score_samples(self, X):
        """Return the log-likelihood of samples under probabilistic PCA.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_likelihood : ndarray of shape (n_samples,)
            Log of the density of the fitted Gaussian at each sample.
        """
        X = check_new(self, X)
        n_components, size = self.components_.shape
        variance, noise = self._variances()
        centred = X - self.mean_
        inside = (centred @ self.components_.T) ** 2
        value = (inside / variance).sum(axis=1) + np.log(variance).sum()
        if size > n_components:
            outside = np.maximum((centred**2).sum(axis=1) - inside.sum(axis=1), 0)
            value += outside / noise + (size - n_components) * log(noise)
        return -0.5 * (value + size * log(2 * pi))

    def score(self, X, y=None):
        """Return the mean log-likelihood of samples under probabilistic PCA.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : None
            Ignored.

        Returns
        -------
        score : float
            Mean of `score_samples`.
        """
        return float(self.score_samples(X).mean())

    def get_covariance(self):
        """Return the covariance matrix of the probabilistic model.

        Returns
        -------
        covariance : ndarray of shape (n_features, n_features)
            The components' part plus the noise of the directions left out.
        """
        check_is_fitted(self)
        above = np.maximum(self.explained_variance_ - self.noise_variance_, 0)
        return _lifted((self.components_.T * above) @ self.components_, self.noise_variance_)

    def get_precision(self):
        """Return the inverse of the covariance matrix of the probabilistic model.

        Returns
        -------
        precision : ndarray of shape (n_features, n_features)
            Very large along directions in which the training data do not vary.
        """
        check_is_fitted(self)
        variance, noise = self._variances()
        inner = 1 / variance
        if len(self.components_) == self.components_.shape[1]:
            return (self.components_.T * inner) @ self.components_
        return _lifted((self.components_.T * (inner - 1 / noise)) @ self.components_, 1 / noise)

    def _variances(self):
        """Return variances and noise, above zero."""
        smallest = np.finfo(self.explained_variance_.dtype).tiny
        return np.maximum(self.explained_variance_, smallest), max(self.noise_variance_, smallest)


def _lifted(matrix, value):
    matrix[np.diag_indices_from(matrix)] += value
    return matrix

"""Bayesian linear regression with Gaussian prior and Gaussian noise."""

from __future__ import annotations

from math import log, pi

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.data import check_new, check_regression
from shallows._core.contract.params import PositiveFloat, PositiveInt, check_params
from shallows._core.contract.training import IterativeMixin, Training
from shallows.linear._ridge_path import decompose, residual_squares

MANY_ENTRIES = 1_000_000  # from here on X'X is decomposed instead of X


class BayesianLinear(RegressorMixin, IterativeMixin, BaseEstimator):
    r"""Linear regression that knows how uncertain it is.

    The model is :math:`y = w \cdot x + b + \sigma \eta` with Gaussian noise and the prior
    :math:`p(w) \propto \exp(-\frac{\gamma}{2} |w|^2)`; every offset b is equally likely. The
    posterior of the weights is Gaussian with precision
    :math:`A = X'X / \sigma^2 + \gamma I`; its mean is the ridge solution with penalty
    :math:`\sigma^2 \gamma`. The prediction has variance
    :math:`\sigma^2 + \sigma^2/n + x' A^{-1} x` with x centred, the middle term from the offset.
    Where `sigma` or `gamma` is None it is the value that makes the data most likely [1]_.

    Parameters
    ----------
    sigma : float or None, default=None
        Standard deviation of the noise, or None to estimate it.
    gamma : float or None, default=None
        Precision of the prior of each weight, or None to estimate it.
    fit_intercept : bool, default=True
        Whether to fit the offset b; the weights then belong to centred data.
    max_iter : int, default=300
        Largest number of steps of the estimation.
    tol : float, default=1e-8
        The estimation ends when the log evidence per sample rises by less than this.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features_in_,)
        Posterior mean of the weights.
    intercept_ : float
        Posterior mean of the offset, 0 without one.
    covariance_ : ndarray of shape (n_features_in_, n_features_in_)
        Posterior covariance of the weights.
    sigma_ : float
        Standard deviation of the noise.
    gamma_ : float
        Precision of the prior.
    effective_parameters_ : float
        Number of weights that the data rather than the prior determine.
    log_evidence_ : float
        Log of the probability density of the targets, weights and offset integrated out.
    history_ : dict of lists
        "loss", the negative log evidence per sample, "sigma" and "gamma" of each step.
    n_iter_ : int
        Steps made.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] D. MacKay, "Bayesian interpolation", Neural Computation 4, 415-447, 1992.

    Examples
    --------
    >>> from shallows.data import make_linear
    >>> from shallows.linear import BayesianLinear
    >>> X, y = make_linear(200, [1.0, -2.0], noise=0.5, random_state=0)
    >>> model = BayesianLinear().fit(X, y)
    >>> bool(abs(model.sigma_ - 0.5) < 0.05)
    True
    >>> mean, std = model.predict(X[:2], return_std=True)
    >>> bool((std > model.sigma_).all())
    True
    """

    def __init__(
        self,
        *,
        sigma: PositiveFloat | None = None,
        gamma: PositiveFloat | None = None,
        fit_intercept: bool = True,
        max_iter: PositiveInt = 300,
        tol: PositiveFloat = 1e-8,
    ):
        self.sigma = sigma
        self.gamma = gamma
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X, y, sample_weight=None):
        """Find the posterior and, where they are not given, noise and prior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; a sample of weight two counts as two samples.

        Returns
        -------
        self : BayesianLinear
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_regression(self, X, y, sample_weight, multi_output=False)
        precise = 0.0 if X.size < MANY_ENTRIES else np.inf
        found = decompose(X, y[:, None], weights, self.fit_intercept, precise)
        freedom = found.weight - self.fit_intercept
        if self.sigma is None and not freedom > 0:
            raise ValueError(
                f"BayesianLinear needs more than n_samples={found.weight:g} to estimate the "
                "noise. Give sigma, or more samples."
            )
        variance, gamma = self._start(found)

        run = Training(self, 1 if self._known() else self.max_iter, self._tolerance())
        for _ in run:
            mean, effective, rss = _posterior(found, variance, gamma)
            evidence = _log_evidence(found, variance, gamma, mean, rss, freedom)
            kept = variance, gamma, effective, evidence
            run.record(-evidence / found.weight, sigma=variance**0.5, gamma=gamma)
            if self.gamma is None and effective > 0:  # else no input varies
                gamma = min(effective / max(mean @ mean, 1e-300), 1e300)
            if self.sigma is None:
                smallest = 1e-20 * max(found.yy[0] / freedom, 1e-280)
                variance = max(rss / max(freedom - effective, 1e-9 * freedom), smallest)
        self.history_, self.n_iter_ = run.history, run.n_iter
        self._keep(found, *kept, X.dtype)
        return self

    def predict(self, X, return_std=False):
        """Return the mean of the predictive distribution and, if wanted, its deviation.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        return_std : bool, default=False
            Whether to return the standard deviation as well.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
            Expected values.
        std : ndarray of shape (n_samples,)
            Standard deviations of new observations, noise included; with `return_std` only.
        """
        X = check_new(self, X)
        mean = X @ self.coef_ + self.intercept_
        if not return_std:
            return mean
        moved = X - self._x_mean
        variance = self.sigma_**2 * (1 + self._offset_share)
        spread = np.einsum("ij,ij->i", moved @ self.covariance_, moved)
        return mean, np.sqrt(np.maximum(variance + spread, 0)).astype(X.dtype)

    def _known(self):
        return self.sigma is not None and self.gamma is not None

    def _tolerance(self):
        return None if self._known() else self.tol

    def _start(self, found):
        """Return the first noise variance and prior precision."""
        scale = found.yy[0] / found.weight or 1.0
        variance = scale / 2 if self.sigma is None else self.sigma**2
        spread = found.values.sum() / found.weight or 1.0
        return variance, spread / scale if self.gamma is None else self.gamma

    def _keep(self, found, variance, gamma, effective, evidence, dtype):
        mean = _posterior(found, variance, gamma)[0]
        self.coef_ = (found.vectors @ mean).astype(dtype)
        self.intercept_ = dtype.type(found.y_mean[0] - found.x_mean @ (found.vectors @ mean))
        inner = 1 / (found.values / variance + gamma) - 1 / gamma
        covariance = (found.vectors * inner) @ found.vectors.T
        covariance[np.diag_indices_from(covariance)] += 1 / gamma
        self.covariance_ = covariance.astype(dtype)
        self.sigma_, self.gamma_ = float(variance**0.5), float(gamma)
        self.effective_parameters_, self.log_evidence_ = float(effective), float(evidence)
        self._x_mean = found.x_mean.astype(dtype)
        self._offset_share = 1 / found.weight if self.fit_intercept else 0.0


def _posterior(found, variance, gamma):
    """Return mean weights along the eigenvectors, effective parameters and residual squares."""
    penalty = variance * gamma
    mean = found.targets[:, 0] / (found.values + penalty)
    effective = float((found.values / (found.values + penalty)).sum())
    return mean, effective, float(residual_squares(found, np.array([penalty]))[0])


def _log_evidence(found, variance, gamma, mean, rss, freedom):
    """Return the log density of the targets; a flat prior of the offset takes one freedom."""
    volume = np.log1p(found.values / (variance * gamma)).sum()
    misfit = rss / variance + gamma * (mean @ mean)
    offset = log(found.weight) * (found.weight - freedom)
    return -0.5 * (freedom * log(2 * pi * variance) + offset + volume + misfit)

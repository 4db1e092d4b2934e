"""Bayesian ridge regression."""

from __future__ import annotations

import numpy as np
from scipy.linalg import null_space
from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.data import check_new, check_regression
from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    Verbose,
    check_params,
)
from shallows._core.contract.training import IterativeMixin, Training
from shallows.linear._ridge_path import decompose, residual_squares


class BayesianRidge(RegressorMixin, IterativeMixin, BaseEstimator):
    r"""Ridge regression whose penalty the data determine, under scikit-learn's name.

    Noise has precision :math:`\alpha`, weights have the prior precision :math:`\lambda`, and both
    have Gamma priors. Steps of MacKay raise the density of the targets [1]_. `BayesianLinear`
    does without those priors and counts the uncertain offset in its predictions.

    Parameters
    ----------
    max_iter : int, default=300
        Largest number of steps.
    tol : float, default=1e-3
        Training ends when the weights change by less than this, summed over features.
    alpha_1, alpha_2 : float, default=1e-6
        Shape and rate of the prior of the noise precision.
    lambda_1, lambda_2 : float, default=1e-6
        Shape and rate of the prior of the weights' precision.
    alpha_init : float or None, default=None
        First noise precision; None takes one over the variance of the targets.
    lambda_init : float or None, default=None
        First precision of the weights; None takes 1.
    compute_score : bool, default=False
        Whether to keep the log density of the targets of each step in `scores_`.
    fit_intercept : bool, default=True
        Whether to fit an offset; the weights then belong to centred data.
    copy_X : bool, default=True
        Taken for scikit-learn's sake: X is never changed, and copied only where it must be.
    verbose : int or bool, default=False
        Whether to report each step.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Mean of the weights.
    intercept_ : float
        Offset, 0 without one.
    alpha_ : float
        Precision of the noise.
    lambda_ : float
        Precision of the weights.
    sigma_ : ndarray of shape (n_features, n_features)
        Covariance of the weights.
    scores_ : ndarray of shape (n_iter_ + 1,) or list
        Log density of the targets before each step and at the end; empty without `compute_score`.
    X_offset_, X_scale_ : ndarray of shape (n_features,)
        What was subtracted from the features, and ones.
    history_ : dict of str to list of float
        "loss", the mean squared residual of each step, "alpha" and "lambda".
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
    >>> from shallows.linear import BayesianRidge
    >>> X, y = make_linear(200, [1.0, -2.0], noise=0.5, random_state=0)
    >>> model = BayesianRidge().fit(X, y)
    >>> bool(abs(model.alpha_**-0.5 - 0.5) < 0.05)
    True
    """

    def __init__(
        self,
        *,
        max_iter: PositiveInt = 300,
        tol: PositiveFloat = 1e-3,
        alpha_1: NonNegativeFloat = 1e-6,
        alpha_2: NonNegativeFloat = 1e-6,
        lambda_1: NonNegativeFloat = 1e-6,
        lambda_2: NonNegativeFloat = 1e-6,
        alpha_init: NonNegativeFloat | None = None,
        lambda_init: NonNegativeFloat | None = None,
        compute_score: bool = False,
        fit_intercept: bool = True,
        copy_X: bool = True,
        verbose: Verbose = False,
    ):
        self.max_iter = max_iter
        self.tol = tol
        self.alpha_1 = alpha_1
        self.alpha_2 = alpha_2
        self.lambda_1 = lambda_1
        self.lambda_2 = lambda_2
        self.alpha_init = alpha_init
        self.lambda_init = lambda_init
        self.compute_score = compute_score
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.verbose = verbose

    def fit(self, X, y, sample_weight=None):
        """Find the weights and both precisions.

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
        self : BayesianRidge
            The fitted estimator.
        """
        check_params(self)
        X, y, weights = check_regression(self, X, y, sample_weight, multi_output=False)
        found = decompose(X, y[:, None], weights, self.fit_intercept)
        variance = np.average((y - np.average(y, weights=weights)) ** 2, weights=weights)
        alpha = 1 / (variance + np.finfo(np.float64).eps)
        alpha = alpha if self.alpha_init is None else float(self.alpha_init)
        decay = 1.0 if self.lambda_init is None else float(self.lambda_init)

        run, scores, earlier = Training(self, self.max_iter), [], None
        for _ in run:
            mean, rss = _posterior(found, alpha, decay)
            if self.compute_score:
                scores.append(self._score(found, alpha, decay, mean, rss))
            run.record(rss / found.weight, **{"alpha": float(alpha), "lambda": float(decay)})
            share = np.sum(alpha * found.values / (decay + alpha * found.values))
            decay = (share + 2 * self.lambda_1) / (mean @ mean + 2 * self.lambda_2)
            alpha = (found.weight - share + 2 * self.alpha_1) / (rss + 2 * self.alpha_2)
            coef = found.vectors @ mean
            if earlier is not None and np.abs(earlier - coef).sum() < self.tol:
                run.stop("tol")
            earlier = coef
        self.history_, self.n_iter_ = run.history, run.n_iter
        mean, rss = _posterior(found, alpha, decay)
        if self.compute_score:
            scores.append(self._score(found, alpha, decay, mean, rss))
        self.scores_ = np.array(scores) if self.compute_score else []
        self._keep(found, alpha, decay, mean, X.dtype)
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
            Standard deviations of new observations; with `return_std` only.
        """
        X = check_new(self, X)
        mean = X @ self.coef_ + self.intercept_
        if not return_std:
            return mean
        moved = X - self.X_offset_
        spread = np.einsum("ij,ij->i", moved @ self.sigma_, moved)
        return mean, np.sqrt(spread + 1 / self.alpha_).astype(X.dtype)

    def _score(self, found, alpha, decay, mean, rss):
        """Return the log density of the targets and of both precisions."""
        n_features = len(found.vectors)
        prior = self.lambda_1 * np.log(decay) - self.lambda_2 * decay
        prior += self.alpha_1 * np.log(alpha) - self.alpha_2 * alpha
        volume = np.log(decay + alpha * found.values).sum()
        volume += (n_features - len(found.values)) * np.log(decay)
        fit = n_features * np.log(decay) + found.weight * np.log(alpha)
        fit -= alpha * rss + decay * (mean @ mean) + volume + found.weight * np.log(2 * np.pi)
        return float(prior + 0.5 * fit)

    def _keep(self, found, alpha, decay, mean, dtype):
        coef = found.vectors @ mean
        self.coef_ = coef.astype(dtype)
        self.intercept_ = dtype.type(found.y_mean[0] - found.x_mean @ coef)
        self.alpha_, self.lambda_ = float(alpha), float(decay)
        sigma = (found.vectors / (alpha * found.values + decay)) @ found.vectors.T
        if found.vectors.shape[1] < len(found.vectors):  # directions without any data
            rest = null_space(found.vectors.T)
            sigma += rest @ rest.T / decay
        self.sigma_ = sigma.astype(dtype)
        self.X_offset_ = found.x_mean.astype(dtype)
        self.X_scale_ = np.ones_like(self.X_offset_)


def _posterior(found, alpha, decay):
    """Return mean weights along the eigenvectors, and the residual squares."""
    penalty = np.array([decay / alpha])
    mean = found.targets[:, 0] / (found.values + penalty[0])
    return mean, float(residual_squares(found, penalty)[0])

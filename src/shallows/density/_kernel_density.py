"""Kernel density estimation under scikit-learn's name."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.special import gammaln
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.data import check_new, check_unlabelled
from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import as_generator
from shallows._core.numerics.named_distance import resolve_metric
from shallows._core.numerics.neighbors import Metric, NeighborIndex
from shallows._core.numerics.threads import map_blocks
from shallows.density._windows import log_gaussian_windows

Window = Literal["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"]
CELLS = 2**20


class KernelDensity(DensityMixin, BaseEstimator):
    r"""Density as the mean of windows around the samples, under scikit-learn's name.

    A window is a function of the distance over the bandwidth, scaled to integrate to one in the
    Euclidean space of the features. `Parzen` also chooses the width by the likelihood of samples
    left out, and adapts it to where samples are dense.

    Parameters
    ----------
    bandwidth : float or {"scott", "silverman"}, default=1.0
        Width of the windows, or the rule that gives it from the numbers of samples and features.
    algorithm : {"auto", "kd_tree", "ball_tree"}, default="auto"
        Taken for scikit-learn's sake; the search is chosen by the data.
    kernel : str, default="gaussian"
        "gaussian", "tophat", "epanechnikov", "exponential", "linear" or "cosine".
    metric : str or callable, default="euclidean"
        Distance between rows, as `KNeighborsClassifier` takes it.
    atol : float, default=0
        Taken for scikit-learn's sake; sums have all digits.
    rtol : float, default=0
        Taken for scikit-learn's sake; sums have all digits.
    breadth_first : bool, default=True
        Taken for scikit-learn's sake; the order of sums is chosen by the data.
    leaf_size : int, default=40
        Taken for scikit-learn's sake; the size of leaves is chosen by the data.
    metric_params : dict or None, default=None
        Parameters of the metric: `p` and `w`, weights of the features, of a Minkowski distance;
        keyword arguments of a function.

    Attributes
    ----------
    bandwidth_ : float
        Width in use.
    tree_ : NeighborIndex
        The training samples, as they are searched.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.density import KernelDensity
    >>> model = KernelDensity(kernel="tophat", bandwidth=0.5).fit([[0.0], [0.25], [3.0]])
    >>> np.exp(model.score_samples([[0.1], [3.2], [9.0]])).round(3)
    array([0.667, 0.333, 0.   ])
    """

    def __init__(
        self,
        *,
        bandwidth: PositiveFloat | Literal["scott", "silverman"] = 1.0,
        algorithm: Literal["kd_tree", "ball_tree", "auto"] = "auto",
        kernel: Window = "gaussian",
        metric: Metric = "euclidean",
        atol: NonNegativeFloat = 0,
        rtol: NonNegativeFloat = 0,
        breadth_first: bool = True,
        leaf_size: PositiveInt = 40,
        metric_params: dict | None = None,
    ):
        self.bandwidth = bandwidth
        self.algorithm = algorithm
        self.kernel = kernel
        self.metric = metric
        self.atol = atol
        self.rtol = rtol
        self.breadth_first = breadth_first
        self.leaf_size = leaf_size
        self.metric_params = metric_params

    def fit(self, X, y=None, sample_weight=None):
        """Keep the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each window.

        Returns
        -------
        self : KernelDensity
            The fitted estimator.
        """
        check_params(self)
        X, weights = check_unlabelled(self, X, sample_weight)
        n, d = X.shape
        rules = {"scott": n ** (-1 / (d + 4)), "silverman": (n * (d + 2) / 4) ** (-1 / (d + 4))}
        named = isinstance(self.bandwidth, str)
        self.bandwidth_ = float(rules[self.bandwidth] if named else self.bandwidth)
        metric = resolve_metric("KernelDensity", self.metric, X, params=self.metric_params)
        self.tree_ = NeighborIndex(X.copy(), metric)
        self._log_weights = np.log(weights / weights.sum())
        return self

    def score_samples(self, X):
        """Return the log density of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
            Natural logarithms; minus infinity where no window reaches.
        """
        X = check_new(self, X)
        if self.kernel == "gaussian" and self.tree_.power == 2 and self.tree_.factors is None:
            widths = np.array([self.bandwidth_])
            return log_gaussian_windows(X, self.tree_.rows, self._log_weights, widths).astype(
                X.dtype
            )

        def block(rows):
            scaled = self.tree_.distances(self.tree_.scaled(X[rows])) / self.bandwidth_
            with np.errstate(divide="ignore", invalid="ignore"):
                logs = log_window(self.kernel, scaled.astype(np.float64)) + self._log_weights
                top = logs.max(axis=1, keepdims=True)
                top = np.where(np.isfinite(top), top, 0.0)
                return top[:, 0] + np.log(np.exp(logs - top).sum(axis=1))

        logs = np.concatenate(map_blocks(block, len(X), max(1, CELLS // len(self._log_weights))))
        d = X.shape[1]
        return (logs + log_norm(self.kernel, d) - d * np.log(self.bandwidth_)).astype(X.dtype)

    def score(self, X, y=None):
        """Return the log-likelihood of all samples together.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : None
            Ignored.

        Returns
        -------
        score : float
            Sum of the log densities.
        """
        return float(self.score_samples(X).sum(dtype=np.float64))

    def sample(self, n_samples=1, random_state=None):
        """Draw a training sample by weight, and a point of its window.

        Parameters
        ----------
        n_samples : int, default=1
            Number of samples.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The samples.
        """
        check_is_fitted(self)
        if self.kernel not in ("gaussian", "tophat") or self.tree_.power != 2:
            raise NotImplementedError(
                "KernelDensity: samples can be drawn from kernel='gaussian' and 'tophat' with the "
                f"Euclidean metric, got kernel={self.kernel!r} and metric={self.metric!r}."
            )
        rng, rows = as_generator(random_state), self.tree_.rows
        chances = np.exp(self._log_weights)
        chosen = rng.choice(len(rows), n_samples, p=chances / chances.sum())
        noise = rng.standard_normal((n_samples, rows.shape[1]))
        if self.kernel == "tophat":  # a direction, and a radius that fills the ball evenly
            lengths = np.linalg.norm(noise, axis=1, keepdims=True)
            noise *= rng.uniform(size=(n_samples, 1)) ** (1 / rows.shape[1]) / lengths
        return rows[chosen] + self.bandwidth_ * noise


def log_window(kernel, t):
    """Return the logarithm of a window at distances over the bandwidth, without its norm."""
    inside = t < 1
    if kernel == "gaussian":
        return -0.5 * t**2
    if kernel == "exponential":
        return -t
    if kernel == "tophat":
        return np.where(inside, 0.0, -np.inf)
    if kernel == "epanechnikov":
        return np.where(inside, np.log(np.maximum(1 - t**2, 0)), -np.inf)
    if kernel == "linear":
        return np.where(inside, np.log(np.maximum(1 - t, 0)), -np.inf)
    return np.where(inside, np.log(np.maximum(np.cos(0.5 * np.pi * t), 0)), -np.inf)


def log_norm(kernel, d):
    """Return minus the logarithm of the integral of a window of bandwidth one in d dimensions."""
    ball = 0.5 * d * np.log(np.pi) - gammaln(0.5 * d + 1)  # volume of the unit ball
    if kernel == "gaussian":
        return -0.5 * d * np.log(2 * np.pi)
    if kernel == "tophat":
        return -ball
    if kernel == "epanechnikov":
        return -(ball + np.log(2 / (d + 2)))
    if kernel == "exponential":
        return -(ball + gammaln(d + 1))
    if kernel == "linear":
        return -(ball - np.log(d + 1))
    return -(ball + np.log(_cosine_integral(d)))


def _cosine_integral(d):
    """Return d times the integral of cos(pi t / 2) t^(d-1) from 0 to 1, by a series."""
    total, term = 0.0, 1.0
    for k in range(60):
        total += term * d / (d + 2 * k)
        term *= -((np.pi / 2) ** 2) / ((2 * k + 1) * (2 * k + 2))
    return total

"""Sammon's mapping."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.data import check_new, check_unlabelled
from shallows._core.contract.params import NonNegativeFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.numerics.neighbors import Metric
from shallows._core.numerics.threads import hold_threads
from shallows.descent import StoppingRule, minimize
from shallows.reduce._argument_checks import at_most
from shallows.reduce._embedding import Embedding
from shallows.reduce._known import keep_known
from shallows.reduce._scaling import all_distances, classical_scaling
from shallows.reduce._stress import place_by_stress, stress_and_gradient


class Sammon(Embedding, BaseEstimator):
    r"""Points of few dimensions that keep above all the small distances of the samples.

    Minimises :math:`\frac{1}{\sum \delta_{ij}} \sum_{i<j} (\delta_{ij} - |y_i - y_j|)^2 /
    \delta_{ij}`, metric scaling with weights :math:`1 / \delta_{ij}` [1]_, by limited-memory
    BFGS. Samples at the same place exert no force on one another.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the embedding.
    init : {"classical", "random"}, default="classical"
        Start with classical scaling or with random points.
    max_iter : int, default=500
        Largest number of steps.
    tol : float, default=1e-6
        It stops when the stress has fallen by less than this share of itself in each of
        five steps, or to this share squared of a start with no order.
    metric : str or callable, default="euclidean"
        Distance between samples; "precomputed" takes the distances as X.
    random_state : int, RandomState, Generator or None, default=None
        Draws the random points.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the samples.
    stress_ : float
        Sammon's stress.
    history_ : dict of str to list of float
        The stress by step under ``"loss"``.
    n_iter_ : int
        Steps made.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] J. Sammon, "A nonlinear mapping for data structure analysis", IEEE Transactions
       on Computers C-18, 401-409, 1969.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.reduce import Sammon
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Sammon().fit(X)
    >>> round(model.stress_, 3)
    0.004
    >>> model.transform(X[:3] + 0.1).shape
    (3, 2)
    """

    def __init__(
        self,
        n_components: PositiveInt = 2,
        *,
        init: Literal["classical", "random"] = "classical",
        max_iter: PositiveInt = 500,
        tol: NonNegativeFloat = 1e-6,
        metric: Metric = "euclidean",
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.metric = metric
        self.random_state = random_state

    def fit(self, X, y=None):
        """Embed the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, or distances between them where precomputed.
        y : None
            Ignored.

        Returns
        -------
        self : Sammon
            The fitted estimator.
        """
        check_params(self)
        X, _ = check_unlabelled(self, X)
        at_most(self, "n_components", len(X), "n_samples =")
        distances = all_distances(self, X, self.metric)
        total = max(float(distances.sum()) / 2, np.finfo(float).tiny)
        size = max(float(distances.mean()), np.finfo(float).tiny)
        shape = self.n_components, len(X)
        start = as_generator(self.random_state).standard_normal(shape)
        if self.init == "classical":
            # A little noise, lest points start at one place, where they exert no force.
            start = classical_scaling(distances, self.n_components)[0].T / size + 1e-4 * start

        distances /= size

        def stress(flat):
            value, gradient = stress_and_gradient(distances, flat.reshape(shape), sammon=True)
            return value * size / total, gradient.ravel() * (size / total)

        rule = StoppingRule(loss=self.tol**2, change=self.tol, max_iter=self.max_iter)
        with hold_threads():
            found = minimize(stress, np.ascontiguousarray(start).ravel(), stopping=rule)
        if found.stopped_by == "max_iter":
            warnings.warn(
                f"Sammon stopped after max_iter={self.max_iter} steps before it converged. "
                "Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.embedding_ = np.ascontiguousarray(found.x.reshape(shape).T * size, dtype=X.dtype)
        self.stress_ = float(found.value)
        self.history_ = {"loss": found.history["loss"][1:] or [self.stress_]}
        self.n_iter_ = len(self.history_["loss"])
        self._X_fit = None if self.metric == "precomputed" else np.array(X)
        return self

    def transform(self, X):
        """Place new samples among the embedded ones, which stay where they are.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, or their distances to all training samples where precomputed.

        Returns
        -------
        embedding : ndarray of shape (n_samples, n_components)
            Coordinates of least stress. A training sample keeps its own.
        """
        X = check_new(self, X)
        fixed = self.embedding_.astype(np.float64)
        placed = place_by_stress(X, self._X_fit, self.metric, fixed, sammon=True)
        keep_known(placed, X, self._X_fit, self.metric, fixed)
        return placed.astype(X.dtype)

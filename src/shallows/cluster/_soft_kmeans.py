"""Soft k-means."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from shallows._core.contract.data import check_new, check_unlabelled, check_weights
from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.contract.training import IterativeMixin, Training
from shallows._core.numerics.distances import squared_distances
from shallows._core.numerics.log_sums import log_sums
from shallows._core.numerics.threads import hold_threads, map_blocks
from shallows.cluster._centers import CentersMixin, Init, check_samples, start_centers
from shallows.descent import softmax

BLOCK_ROWS = 4096


class SoftKMeans(CentersMixin, IterativeMixin, BaseEstimator):
    r"""Clustering in which every sample belongs to every cluster, to the nearest most.

    Sample i belongs to cluster k by :math:`r_{ik} = e^{-\beta d_{ik}} / \sum_l e^{-\beta d_{il}}`
    with half the squared distance :math:`d_{ik} = \|x_i - c_k\|^2 / 2`, and each centre is the
    mean of all samples so weighted [1]_. The free energy
    :math:`-\frac{1}{\beta} \sum_i w_i \ln \frac{1}{K} \sum_k e^{-\beta d_{ik}}` never rises.

    The stiffness :math:`\beta` sets the width :math:`1/\sqrt\beta` of the clusters: where it is
    large this is k-means, and below one over the largest variance all centres fall together
    into the mean.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    beta : float, default=1.0
        Stiffness, in one over squared units of the data.
    init : {"k-means++", "random", "assignment"}, array-like or callable, default="k-means++"
        Starting centres, see `KMeans`.
    max_iter : int, default=300
        Largest number of iterations.
    tol : float, default=1e-6
        Training ends when the free energy per unit of weight falls by less than this times the
        variance of the data.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the starting centres.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centres.
    labels_ : ndarray of shape (n_samples,)
        The cluster to which each training sample belongs most.
    history_ : dict of str to list of float
        The free energy per unit of weight before each iteration under ``"loss"``.
    n_iter_ : int
        Iterations run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] D. J. C. MacKay, "Information theory, inference, and learning algorithms", chapter
       20, Cambridge University Press, 2003.

    Examples
    --------
    >>> from shallows.cluster import SoftKMeans
    >>> model = SoftKMeans(2, random_state=0).fit([[0.0], [1.0], [4.0], [5.0]])
    >>> model.predict_proba([[2.5]]).round(2)
    array([[0.5, 0.5]])
    """

    _takes_sparse = False

    def __init__(
        self,
        n_clusters: PositiveInt = 8,
        *,
        beta: PositiveFloat = 1.0,
        init: Init = "k-means++",
        max_iter: PositiveInt = 300,
        tol: NonNegativeFloat = 1e-6,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.beta = beta
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Find the centres.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,), default=None
            Not used to find the centres; handed to the callbacks.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        self : SoftKMeans
            The fitted estimator.
        """
        check_params(self)
        data, weights = check_unlabelled(self, X, sample_weight)
        check_samples(self, data, data.dtype)
        rng = as_generator(self.random_state)
        self.cluster_centers_ = start_centers(self, data, weights, rng)
        mean = np.average(data, axis=0, weights=weights)
        # The tolerance is relative to the variance of the data.
        variance = float(np.average((data - mean) ** 2, axis=0, weights=weights).sum())
        training = Training(
            self,
            self.max_iter,
            self.tol * variance,
            state=("cluster_centers_",),
            X=X,
            y=y,
            sample_weight=sample_weight,
        )
        with hold_threads():
            for _ in training:
                energy, self.cluster_centers_ = self._step(data, weights)
                training.record(energy)
        self.history_, self.n_iter_ = training.history, training.n_iter
        self.labels_ = self.predict(X)
        return self

    def predict_proba(self, X):
        """Return how far each sample belongs to each cluster.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        shares : ndarray of shape (n_samples, n_clusters)
            Shares that sum to one for each sample.
        """
        X = check_new(self, X)
        return softmax(squared_distances(X, self.cluster_centers_), -self.beta / 2)

    def score(self, X, y=None, sample_weight=None):
        """Return the free energy with the sign turned, so that larger is better.

        For a large `beta` that is half the score of `KMeans`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample.

        Returns
        -------
        score : float
            Minus the free energy of all samples.
        """
        X = check_new(self, X)
        weights = check_weights(sample_weight, len(X), "SoftKMeans")
        exponent = squared_distances(X, self.cluster_centers_).astype(np.float64)
        exponent *= -self.beta / 2
        return float(weights @ (log_sums(exponent) - np.log(self.n_clusters))) / self.beta

    def _step(self, X, weights):
        """Return the free energy of the centres, and the centres after one step."""
        centers = self.cluster_centers_

        def block(rows):
            exponent = squared_distances(X[rows], centers).astype(np.float64)
            exponent *= -self.beta / 2
            # Shares exp(-beta d^2 / 2) over their sum; the largest exponent is taken out against
            # underflow.
            top = exponent.max(axis=1)
            shares = np.exp(exponent - top[:, None])
            total = shares.sum(axis=1)
            energy = weights[rows] @ (top + np.log(total / self.n_clusters))
            shares *= (weights[rows] / total)[:, None]
            return energy, shares.sum(axis=0), shares.T @ (X[rows] - centers[0])

        energies, masses, sums = zip(*map_blocks(block, len(X), BLOCK_ROWS), strict=True)
        mass, moved = np.sum(masses, axis=0), centers.astype(np.float64)

        # A centre becomes the mean of its shares; one without any stays.
        used = mass > 0
        moved[used] = centers[0] + np.sum(sums, axis=0)[used] / mass[used, None]
        return -float(np.sum(energies)) / self.beta / weights.sum(), moved.astype(X.dtype)

"""Laplacian eigenmaps."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from scipy.sparse import diags_array
from sklearn.base import BaseEstimator

from shallows._core.contract.data import check_new, check_unlabelled
from shallows._core.contract.params import PositiveFloat, PositiveInt, check_params
from shallows._core.numerics.neighbors import Metric, NeighborIndex
from shallows.reduce._argument_checks import at_most
from shallows.reduce._embedding import Embedding
from shallows.reduce._known import keep_known
from shallows.reduce._neighbor_graph import neighbor_graph
from shallows.reduce._smallest import smallest_eigenpairs


class LaplacianEigenmaps(Embedding, BaseEstimator):
    r"""Coordinates that differ little between neighbours.

    Samples are joined to their neighbours with weights :math:`w_{ij}`; the coordinates
    minimise :math:`\sum w_{ij} (y_i - y_j)^2` at fixed variance, each sample weighed by its
    degree [1]_: they solve :math:`L y = \lambda D y` with the graph's Laplacian
    :math:`L = D - W`. The first solution is constant with eigenvalue zero and is left out.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the embedding.
    n_neighbors : int, default=10
        Neighbours of each sample, all others where these are fewer.
    weights : {"uniform", "rbf"}, default="uniform"
        Weight of an edge: one, or :math:`\exp(-\gamma d^2)`.
    gamma : float or None, default=None
        Coefficient of "rbf"; None takes one over the median squared length of an edge.
    metric : str or callable, default="euclidean"
        Distance between samples; "precomputed" takes the distances as X.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the samples.
    eigenvalues_ : ndarray of shape (n_components + 1,)
        Smallest eigenvalues; the first is zero but for rounding.
    gamma_ : float
        Coefficient in use.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] M. Belkin and P. Niyogi, "Laplacian eigenmaps for dimensionality reduction and
       data representation", Neural Computation 15, 1373-1396, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_swiss_roll
    >>> from shallows.reduce import LaplacianEigenmaps
    >>> X, angle = make_swiss_roll(800, random_state=0)
    >>> embedding = LaplacianEigenmaps().fit_transform(X)
    >>> bool(abs(np.corrcoef(embedding[:, 0], angle)[0, 1]) > 0.9)
    True
    """

    def __init__(
        self,
        n_components: PositiveInt = 2,
        *,
        n_neighbors: PositiveInt = 10,
        weights: Literal["uniform", "rbf"] = "uniform",
        gamma: PositiveFloat | None = None,
        metric: Metric = "euclidean",
    ):
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.gamma = gamma
        self.metric = metric

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
        self : LaplacianEigenmaps
            The fitted estimator.
        """
        check_params(self)
        X, _ = check_unlabelled(self, X)
        at_most(self, "n_components", len(X) - 1, f"n_samples - 1 with n_samples={len(X)}:")
        graph = neighbor_graph(X, min(self.n_neighbors, len(X) - 1), metric=self.metric)
        if graph.n_components > 1:
            warnings.warn(
                f"LaplacianEigenmaps: the neighbour graph has {graph.n_components} connected "
                "parts; the embedding tells them apart and little else. Raise n_neighbors.",
                UserWarning,
                stacklevel=2,
            )

        # By default the heat kernel gives the median edge the weight 1 / e.
        squares = graph.lengths.data**2
        middle = max(float(np.median(squares)), np.finfo(float).tiny)
        self.gamma_ = 1 / middle if self.gamma is None else float(self.gamma)
        affinity = graph.lengths.copy()
        affinity.data = self._weigh(squares)

        # Normalised Laplacian I - D^-1/2 W D^-1/2, whose smallest eigenvector is constant and left
        # out.
        degrees = np.asarray(affinity.sum(axis=1)).ravel()
        roots = np.sqrt(np.maximum(degrees, np.finfo(float).tiny))
        scaled = diags_array(1 / roots) @ affinity @ diags_array(1 / roots)
        laplacian = (diags_array(np.ones(len(X))) - scaled).tocsr()
        values, vectors = smallest_eigenpairs(laplacian, self.n_components + 1)

        self.embedding_ = (vectors[:, 1:] / roots[:, None]).astype(X.dtype)
        self.eigenvalues_ = values.astype(X.dtype)
        self._X_fit = None if self.metric == "precomputed" else np.array(X)
        return self

    def transform(self, X):
        r"""Place new samples at the weighted mean of their neighbours.

        The mean is divided by :math:`1 - \lambda`, which a training sample's mean would need
        to give its own place (Nystroem's formula).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples, or their distances to all training samples where precomputed.

        Returns
        -------
        embedding : ndarray of shape (n_samples, n_components)
            Coordinates; a training sample keeps its own.
        """
        X = check_new(self, X)
        known = NeighborIndex(self.embedding_ if self._X_fit is None else self._X_fit, self.metric)
        distances, index = known.query(X, min(self.n_neighbors, len(self.embedding_)))
        squares = distances.astype(np.float64) ** 2
        # Counted from the nearest, so that far samples keep weights above zero.
        weights = self._weigh(squares - squares[:, :1])
        weights /= weights.sum(axis=1, keepdims=True)
        mean = np.einsum("ij,ijk->ik", weights, self.embedding_[index])
        placed = mean / np.maximum(1 - self.eigenvalues_[1:].astype(np.float64), 0.5)
        keep_known(placed, X, self._X_fit, self.metric, self.embedding_)
        return placed.astype(X.dtype)

    def _weigh(self, squares):
        return (
            np.ones_like(squares) if self.weights == "uniform" else np.exp(-self.gamma_ * squares)
        )

"""Spectral embedding of an affinity matrix."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.sparse.csgraph import connected_components, laplacian
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import rbf_kernel

from shallows._core.contract.data import check_rows
from shallows._core.contract.params import (
    NJobs,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState
from shallows._core.numerics.neighbors import NeighborIndex
from shallows._core.numerics.threads import uses_jobs
from shallows.reduce._argument_checks import at_most
from shallows.reduce._smallest import smallest_eigenpairs

Affinity = (
    Literal["nearest_neighbors", "rbf", "precomputed", "precomputed_nearest_neighbors"]
    | Callable[..., Any]
)


class SpectralEmbedding(BaseEstimator):
    r"""Laplacian eigenmaps of an affinity matrix, under scikit-learn's name and parameters.

    With affinities :math:`A` and degrees :math:`D` the coordinates are the eigenvectors of
    :math:`I - D^{-1/2} A D^{-1/2}` with the smallest eigenvalues, but for the first, over the
    roots of the degrees [1]_. `LaplacianEigenmaps` also places new samples.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the embedding.
    affinity : str or callable, default="nearest_neighbors"
        "nearest_neighbors": 1 where both samples are among the nearest of one another, 1/2 where
        one is; "rbf": :math:`\exp(-\gamma d^2)`; "precomputed": X has the affinities;
        "precomputed_nearest_neighbors": X is a sparse graph of distances; or a function of X.
    gamma : float or None, default=None
        Coefficient of "rbf"; None is one over the number of features.
    random_state : int, RandomState, Generator or None, default=None
        Taken for scikit-learn's sake; nothing is random.
    eigen_solver : {"arpack", "lobpcg", "amg"} or None, default=None
        Taken for scikit-learn's sake; the solver is chosen by the size of the problem.
    eigen_tol : float or "auto", default="auto"
        Taken for scikit-learn's sake; eigenvectors are found to the last digits.
    n_neighbors : int or None, default=None
        Neighbours of each sample, itself counted; None takes a tenth of the samples.
    n_jobs : int or None, default=None
        Number of threads: None takes as many as the process may use, -1 all cores.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the samples. The largest entry of each column is positive.
    affinity_matrix_ : ndarray or CSR array of shape (n_samples, n_samples)
        Affinities.
    n_neighbors_ : int
        Number of neighbours in use; only for "nearest_neighbors".
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
    >>> from shallows.reduce import SpectralEmbedding
    >>> X, angle = make_swiss_roll(800, random_state=0)
    >>> embedding = SpectralEmbedding(n_neighbors=10).fit_transform(X)
    >>> bool(abs(np.corrcoef(embedding[:, 0], angle)[0, 1]) > 0.9)
    True
    """

    def __init__(
        self,
        n_components: PositiveInt = 2,
        *,
        affinity: Affinity = "nearest_neighbors",
        gamma: PositiveFloat | None = None,
        random_state: RandomState = None,
        eigen_solver: Literal["arpack", "lobpcg", "amg"] | None = None,
        eigen_tol: NonNegativeFloat | Literal["auto"] = "auto",
        n_neighbors: PositiveInt | None = None,
        n_jobs: NJobs = None,
    ):
        self.n_components = n_components
        self.affinity = affinity
        self.gamma = gamma
        self.random_state = random_state
        self.eigen_solver = eigen_solver
        self.eigen_tol = eigen_tol
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs

    @uses_jobs
    def fit(self, X, y=None):
        """Embed the samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples, or what `affinity` says.
        y : None
            Ignored.

        Returns
        -------
        self : SpectralEmbedding
            The fitted estimator.
        """
        check_params(self)
        X = check_rows(self, X, sparse=True)
        n = X.shape[0]
        if n < 2:
            raise ValueError(f"SpectralEmbedding needs at least 2 samples, got n_samples={n}.")
        at_most(self, "n_components", n - 1, f"n_samples - 1 with n_samples={n}:")
        self.affinity_matrix_ = self._affinities(X)
        self.embedding_ = spectral_coordinates(
            "SpectralEmbedding", self.affinity_matrix_, self.n_components
        ).astype(X.dtype)
        return self

    def fit_transform(self, X, y=None):
        """Embed the samples and return their coordinates.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples, or what `affinity` says.
        y : None
            Ignored.

        Returns
        -------
        embedding : ndarray of shape (n_samples, n_components)
            Coordinates.
        """
        return self.fit(X).embedding_.copy()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.affinity in (
            "precomputed",
            "precomputed_nearest_neighbors",
        )
        return tags

    def _affinities(self, X):
        if callable(self.affinity):
            return np.asarray(self.affinity(X))
        if self.affinity == "precomputed":
            return X.copy()
        if self.affinity == "rbf":
            return rbf_kernel(X, gamma=self.gamma)
        n = X.shape[0]
        if self.affinity == "nearest_neighbors":
            self.n_neighbors_ = min(self.n_neighbors or max(n // 10, 1), n)
            nearest = NeighborIndex(X).query(X, self.n_neighbors_)[1]
        else:
            if not issparse(X):
                raise ValueError(
                    "SpectralEmbedding: affinity='precomputed_nearest_neighbors' takes a sparse "
                    "graph of distances, got a dense array."
                )
            nearest = _shortest_edges(X, self.n_neighbors or max(n // 10, 1))
        starts = np.arange(n + 1) * nearest.shape[1]
        graph = csr_array((np.ones(nearest.size), nearest.ravel(), starts), shape=(n, n))
        return (0.5 * (graph + graph.T)).tocsr()


def spectral_coordinates(owner, affinities, n_components):
    """Return eigenvectors of the Laplacian over the roots of the degrees, without the first."""
    pieces = connected_components(csr_array(affinities), directed=False, return_labels=False)
    if pieces > 1:
        warnings.warn(
            f"{owner}: Graph is not fully connected, spectral embedding may not work as expected. "
            f"It has {pieces} parts; raise n_neighbors.",
            UserWarning,
            stacklevel=3,
        )
    matrix, roots = laplacian(affinities, normed=True, return_diag=True)
    matrix = csr_array(matrix, dtype=np.float64)
    _, vectors = smallest_eigenpairs(matrix, n_components + 1)
    found = vectors[:, 1:] / roots[:, None]
    peaks = np.abs(found).argmax(axis=0)
    return found * np.where(found[peaks, np.arange(n_components)] < 0, -1.0, 1.0)


def _shortest_edges(graph, n_neighbors):
    """Return for each row the places of its shortest edges, an edge to itself counted."""
    fewest = np.diff(graph.indptr).min()
    if fewest < n_neighbors:
        raise ValueError(
            f"SpectralEmbedding: {n_neighbors} neighbors per samples are required, but some "
            f"samples have only {fewest} neighbors in precomputed graph matrix. Decrease number of "
            "neighbors used or recompute the graph with more neighbors."
        )
    found = np.empty((graph.shape[0], n_neighbors), dtype=np.intp)
    for row in range(graph.shape[0]):
        edges = slice(graph.indptr[row], graph.indptr[row + 1])
        order = np.argsort(graph.data[edges], kind="stable")[:n_neighbors]
        found[row] = graph.indices[edges][order]
    return found

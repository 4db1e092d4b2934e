"""Isomap: scaling of distances along the data."""

from __future__ import annotations

import warnings
from typing import Literal

import numpy as np
from sklearn import decomposition, neighbors
from sklearn.base import BaseEstimator

from shallows._core.contract.data import check_new, check_unlabelled
from shallows._core.contract.params import (
    NJobs,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.numerics.named_distance import resolve_metric
from shallows._core.numerics.neighbors import Metric, NeighborIndex
from shallows._core.numerics.threads import map_blocks, uses_jobs
from shallows.reduce._argument_checks import at_most, neighbors_or_radius
from shallows.reduce._embedding import Embedding
from shallows.reduce._neighbor_graph import join_components, neighbor_graph
from shallows.reduce._scaling import (
    classical_scaling,
    new_distances,
    place_by_distances,
    warn_unless_positive,
)
from shallows.reduce._shortest_paths import shortest_paths

PATHS = {"auto": "auto", "FW": "floyd-warshall", "D": "dijkstra"}


class Isomap(Embedding, BaseEstimator):
    """Unroll a curved sheet of data by the distances along it.

    Samples are joined to their neighbours; the length of the shortest path between two
    stands for their distance along the sheet; classical scaling of these distances gives
    the coordinates [1]_. With all samples joined the result is that of PCA. An edge that
    leaves the sheet (too many neighbours, noise) is a shortcut and spoils the result, which
    shows in negative eigenvalues; too few neighbours leave the graph in pieces.

    Parameters
    ----------
    n_neighbors : int or None, default=5
        Neighbours of each sample, all others where these are fewer; None where `radius` is
        given.
    radius : float or None, default=None
        Join all samples within this distance instead.
    n_components : int, default=2
        Dimensions of the embedding.
    eigen_solver : {"auto", "arpack", "dense"}, default="auto"
        Taken for scikit-learn's sake; the solver is chosen by the size of the problem.
    tol : float, default=0
        Taken for scikit-learn's sake; eigenvectors are found to the last digits.
    max_iter : int or None, default=None
        Taken for scikit-learn's sake; iterations end by their accuracy.
    path_method : {"auto", "FW", "D"}, default="auto"
        Shortest paths by Floyd and Warshall, by Dijkstra, or by what is quicker.
    neighbors_algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        Taken for scikit-learn's sake; the search is chosen by the data, and the result is
        the same.
    n_jobs : int or None, default=None
        Number of threads: None takes as many as the process may use, -1 all cores.
    metric : str or callable, default="minkowski"
        Distance between samples; "precomputed" takes the distances as X.
    p : float, default=2
        Power of "minkowski".
    metric_params : dict or None, default=None
        Parameters of the metric: `p` and `w`, weights of the features, of a Minkowski
        distance; keyword arguments of a function.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the samples.
    dist_matrix_ : ndarray of shape (n_samples, n_samples)
        Lengths of the shortest paths.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the centred matrix of squared lengths times -1/2.
    smallest_eigenvalue_ : float
        Smallest eigenvalue of all; the further below zero, the less the paths are those of
        a flat sheet.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] J. Tenenbaum, V. de Silva and J. Langford, "A global geometric framework for
       nonlinear dimensionality reduction", Science 290, 2319-2323, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_swiss_roll
    >>> from shallows.reduce import Isomap
    >>> X, angle = make_swiss_roll(500, random_state=0)
    >>> embedding = Isomap(n_neighbors=8).fit_transform(X)
    >>> bool(abs(np.corrcoef(embedding[:, 0], angle)[0, 1]) > 0.95)
    True
    """

    def __init__(
        self,
        *,
        n_neighbors: PositiveInt | None = 5,
        radius: PositiveFloat | None = None,
        n_components: PositiveInt = 2,
        eigen_solver: Literal["auto", "arpack", "dense"] = "auto",
        tol: NonNegativeFloat = 0,
        max_iter: PositiveInt | None = None,
        path_method: Literal["auto", "FW", "D"] = "auto",
        neighbors_algorithm: Literal["auto", "brute", "kd_tree", "ball_tree"] = "auto",
        n_jobs: NJobs = None,
        metric: Metric = "minkowski",
        p: PositiveFloat = 2,
        metric_params: dict | None = None,
    ):
        self.n_neighbors = n_neighbors
        self.radius = radius
        self.n_components = n_components
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.path_method = path_method
        self.neighbors_algorithm = neighbors_algorithm
        self.n_jobs = n_jobs
        self.metric = metric
        self.p = p
        self.metric_params = metric_params

    @uses_jobs
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
        self : Isomap
            The fitted estimator.
        """
        check_params(self)
        neighbors_or_radius(self)
        X, _ = check_unlabelled(self, X)
        at_most(self, "n_components", len(X), "n_samples =")
        if len(X) < 2:
            raise ValueError("Isomap needs at least 2 samples, got n_samples=1.")
        metric = self._metric = resolve_metric("Isomap", self.metric, X, self.p, self.metric_params)
        count = self.n_neighbors and min(self.n_neighbors, len(X) - 1)
        graph = neighbor_graph(X, count, radius=self.radius, metric=metric)
        if graph.n_components > 1:
            warnings.warn(
                "Isomap: The number of connected components of the neighbors graph is "
                f"{graph.n_components} > 1 "
                f"({len(graph.isolated)} samples without neighbour), which were joined by their "
                "shortest gaps. Raise n_neighbors or radius.",
                UserWarning,
                stacklevel=2,
            )
            graph = join_components(graph, X, metric)
        paths = shortest_paths(graph, PATHS[self.path_method])
        coordinates, values, smallest = classical_scaling(paths, self.n_components)
        warn_unless_positive(self, values)

        self.embedding_ = coordinates.astype(X.dtype)
        self.eigenvalues_ = values.astype(X.dtype)
        self.smallest_eigenvalue_ = smallest
        self._mean_squares = np.einsum("ij,ij->i", paths, paths) / len(X)
        self.dist_matrix_ = paths.astype(X.dtype, copy=False)
        self._X_fit = None if self.metric == "precomputed" else np.array(X)
        return self

    @uses_jobs
    def transform(self, X):
        """Place new samples by their shortest paths through the graph.

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
        placed = np.empty((len(X), self.embedding_.shape[1]), X.dtype)
        fixed, values = self.embedding_.astype(np.float64), self.eigenvalues_.astype(np.float64)
        searched = NeighborIndex(fixed if self._X_fit is None else self._X_fit, self._metric)

        def block(rows):
            paths = (
                self._through_nearest(X[rows], searched)
                if self.radius is None
                else self._through_near(X[rows], rows.start)
            )
            placed[rows] = place_by_distances(paths, self._mean_squares, fixed, values)

        map_blocks(block, len(X), 256)
        return placed

    @property
    def nbrs_(self):
        """scikit-learn's search among the training samples."""
        search = neighbors.NearestNeighbors(
            n_neighbors=self.n_neighbors or 5,
            radius=self.radius or 1.0,
            metric=self.metric,
            p=self.p,
            metric_params=self.metric_params,
        )
        return search.fit(self.dist_matrix_ if self._X_fit is None else self._X_fit)

    @property
    def kernel_pca_(self):
        """scikit-learn's `KernelPCA` of the paths' inner products."""
        model = decomposition.KernelPCA(self.n_components, kernel="precomputed")
        return model.fit(-0.5 * self.dist_matrix_.astype(np.float64) ** 2)

    def reconstruction_error(self):
        """Return how far inner products of the embedding are from those of the paths.

        Returns
        -------
        error : float
            Frobenius norm of the difference over the number of samples.
        """
        squares = self.dist_matrix_.astype(np.float64) ** 2 * -0.5
        squares -= squares.mean(axis=0)
        squares -= squares.mean(axis=1, keepdims=True)
        left = np.sum(squares**2) - np.sum(self.eigenvalues_.astype(np.float64) ** 2)
        return float(np.sqrt(max(left, 0)) / len(squares))

    def _through_nearest(self, X, searched):
        distances, nearest = searched.query(X, min(self.n_neighbors, len(self.embedding_)))
        paths = np.full((len(X), len(self.embedding_)), np.inf)
        for k in range(nearest.shape[1]):
            np.minimum(paths, distances[:, k, None] + self.dist_matrix_[nearest[:, k]], out=paths)
        return paths

    def _through_near(self, X, first):
        distances = new_distances(X, self._X_fit, self._metric)
        paths = np.empty_like(distances)
        for row, lengths in enumerate(distances):
            near = np.flatnonzero(lengths <= self.radius)
            if not len(near):
                raise ValueError(
                    f"Isomap: sample {first + row} has no training sample within "
                    f"radius={self.radius}; the nearest is {lengths.min():.3g} away."
                )
            paths[row] = (lengths[near, None] + self.dist_matrix_[near]).min(axis=0)
        return paths

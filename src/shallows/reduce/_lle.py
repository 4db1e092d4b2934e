"""Locally linear embedding."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
from scipy.sparse import csr_array, eye_array
from sklearn import neighbors
from sklearn.base import BaseEstimator

from shallows._core.contract.data import check_new, check_unlabelled
from shallows._core.contract.params import (
    NJobs,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    check_params,
)
from shallows._core.contract.rng import RandomState
from shallows._core.numerics.k_nearest import k_nearest
from shallows._core.numerics.threads import uses_jobs
from shallows.reduce._argument_checks import at_most, neighbors_or_radius
from shallows.reduce._barycentric import barycentric_weights
from shallows.reduce._embedding import Embedding
from shallows.reduce._known import keep_known
from shallows.reduce._neighbor_graph import nearest_others, neighbor_graph
from shallows.reduce._neighborhoods import (
    hessian_combinations,
    modified_combinations,
    residual_matrix,
    tangent_combinations,
)
from shallows.reduce._smallest import smallest_eigenpairs

METHODS = {
    "modified": modified_combinations,
    "hessian": hessian_combinations,
    "ltsa": tangent_combinations,
}


class LocallyLinearEmbedding(Embedding, BaseEstimator):
    r"""Coordinates in which each sample is made up of its neighbours as in the data.

    Weights :math:`W` that restore each sample from its neighbours, and sum to one, describe
    the data locally, whatever their rotation and shift. The coordinates are the eigenvectors
    of :math:`M = (I - W)'(I - W)` with the smallest eigenvalues, but for the constant one
    [1]_: those that the same weights restore best. Distances are not kept. Several
    eigenvalues near zero mean a graph in pieces, or too little regularisation.

    Where neighbours outnumber features, many weights restore a sample equally well, and the
    choice of one set bends the map. The other methods ask more of each neighbourhood in place
    of the rows of :math:`I - W`, and unroll a surface without bending it.

    Parameters
    ----------
    n_neighbors : int or None, default=5
        Neighbours of each sample; None where `radius` is given.
    n_components : int, default=2
        Dimensions of the embedding.
    reg : float, default=0.001
        Added to the diagonal of the local products of differences, which are singular where
        there are more neighbours than features.
    eigen_solver : {"auto", "arpack", "dense"}, default="auto"
        Taken for scikit-learn's sake; the solver is chosen by the size of the problem.
    tol : float, default=1e-6
        Taken for scikit-learn's sake; eigenvectors are found to the last digits.
    max_iter : int, default=100
        Taken for scikit-learn's sake; iterations end by their accuracy.
    method : {"standard", "modified", "hessian", "ltsa"}, default="standard"
        One set of weights; several sets for each sample [2]_; second derivatives along the
        surface [3]_, from at least ``n_components (n_components + 3) / 2`` neighbours; or what
        is left of neighbourhoods that are fitted by their tangent coordinates [4]_. These
        use `reg` for new samples only.
    hessian_tol : float, default=1e-4
        Taken for scikit-learn's sake; "hessian" divides by no sum.
    modified_tol : float, default=1e-12
        Lengths of reflections of "modified" below this count as zero.
    neighbors_algorithm : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        Taken for scikit-learn's sake; the search is chosen by the data, and the result is
        the same.
    random_state : int, RandomState, Generator or None, default=None
        Taken for scikit-learn's sake; nothing is random.
    n_jobs : int or None, default=None
        Number of threads: None takes as many as the process may use, -1 all cores.
    reg_scale : {"trace", "absolute"}, default="trace"
        Whether `reg` is a share of the trace of the products, or a number as it is.
    radius : float or None, default=None
        Take all samples within this distance as neighbours instead.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Coordinates of the samples; columns of length one.
    eigenvalues_ : ndarray of shape (n_components + 1,)
        Smallest eigenvalues; the first is zero but for rounding.
    reconstruction_error_ : float
        Sum of the eigenvalues of the embedding.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] S. Roweis and L. Saul, "Nonlinear dimensionality reduction by locally linear
       embedding", Science 290, 2323-2326, 2000.
    .. [2] Z. Zhang and J. Wang, "MLLE: modified locally linear embedding using multiple weights",
       NIPS 19, 1593-1600, 2006.
    .. [3] D. Donoho and C. Grimes, "Hessian eigenmaps: locally linear embedding techniques for
       high-dimensional data", PNAS 100, 5591-5596, 2003.
    .. [4] Z. Zhang and H. Zha, "Principal manifolds and nonlinear dimensionality reduction via
       tangent space alignment", SIAM Journal on Scientific Computing 26, 313-338, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_swiss_roll
    >>> from shallows.reduce import LocallyLinearEmbedding
    >>> X, angle = make_swiss_roll(1500, random_state=0)
    >>> embedding = LocallyLinearEmbedding(n_neighbors=12).fit_transform(X)
    >>> bool(abs(np.corrcoef(embedding[:, 0], angle)[0, 1]) > 0.9)
    True
    """

    def __init__(
        self,
        *,
        n_neighbors: PositiveInt | None = 5,
        n_components: PositiveInt = 2,
        reg: NonNegativeFloat = 1e-3,
        eigen_solver: Literal["auto", "arpack", "dense"] = "auto",
        tol: NonNegativeFloat = 1e-6,
        max_iter: PositiveInt = 100,
        method: Literal["standard", "modified", "hessian", "ltsa"] = "standard",
        hessian_tol: NonNegativeFloat = 1e-4,
        modified_tol: NonNegativeFloat = 1e-12,
        neighbors_algorithm: Literal["auto", "brute", "kd_tree", "ball_tree"] = "auto",
        random_state: RandomState = None,
        n_jobs: NJobs = None,
        reg_scale: Literal["trace", "absolute"] = "trace",
        radius: PositiveFloat | None = None,
    ):
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.reg = reg
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.method = method
        self.hessian_tol = hessian_tol
        self.modified_tol = modified_tol
        self.neighbors_algorithm = neighbors_algorithm
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.reg_scale = reg_scale
        self.radius = radius

    @uses_jobs
    def fit(self, X, y=None):
        """Embed the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : None
            Ignored.

        Returns
        -------
        self : LocallyLinearEmbedding
            The fitted estimator.
        """
        check_params(self)
        neighbors_or_radius(self)
        X, _ = check_unlabelled(self, X)
        at_most(self, "n_components", len(X) - 1, f"n_samples - 1 with n_samples={len(X)}:")
        # The embedding is spanned by the smallest eigenvectors of (I - W)'(I - W), but the constant
        # one.
        groups = self._neighborhoods(X)
        residual = self._residual(X, groups)
        values, vectors = smallest_eigenpairs(
            (residual.T @ residual).tocsr(), self.n_components + 1
        )
        self.embedding_ = np.ascontiguousarray(vectors[:, 1:], dtype=X.dtype)
        self.eigenvalues_ = values.astype(X.dtype)
        self.reconstruction_error_ = float(values[1:].sum())
        self._X_fit = np.array(X)
        self._mean_neighbors = max(1, round(sum(index.size for _, index in groups) / len(X)))
        return self

    @uses_jobs
    def transform(self, X):
        """Make up new samples from the coordinates of their neighbours.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        embedding : ndarray of shape (n_samples, n_components)
            Coordinates; a training sample keeps its own.
        """
        X = check_new(self, X)
        index, _ = k_nearest(X, self._X_fit, self.n_neighbors or self._mean_neighbors)
        weights = barycentric_weights(
            X, self._X_fit, index, self.reg, by_trace=self.reg_scale == "trace"
        )
        placed = np.einsum("ij,ijk->ik", weights, self.embedding_[index])
        keep_known(placed, X, self._X_fit, "euclidean", self.embedding_)
        return placed.astype(X.dtype)

    @property
    def nbrs_(self):
        """scikit-learn's search among the training samples."""
        return neighbors.NearestNeighbors(n_neighbors=self.n_neighbors or 5).fit(self._X_fit)

    def weight_matrix(self):
        """Return the weights with which neighbours make up the training samples.

        Returns
        -------
        weights : CSR array of shape (n_samples, n_samples)
            One row per sample, which sums to one.
        """
        X = check_new(self, self._X_fit)
        return self._weights(X, self._neighborhoods(X))

    def _neighborhoods(self, X):
        """Return places of samples and of their neighbours, for each number of neighbours."""
        if self.radius is None:
            return [(np.arange(len(X)), nearest_others(X, self.n_neighbors)[1])]
        graph = neighbor_graph(X, radius=self.radius)
        if len(graph.isolated):
            raise ValueError(
                f"LocallyLinearEmbedding: {len(graph.isolated)} samples have no neighbour within "
                f"radius={self.radius}, the first is sample {graph.isolated[0]}. Raise the radius."
            )
        starts, counts = graph.lengths.indptr, np.diff(graph.lengths.indptr)
        groups = [(np.flatnonzero(counts == count), count) for count in np.unique(counts)]
        return [
            (rows, graph.lengths.indices[starts[rows][:, None] + np.arange(count)])
            for rows, count in groups
        ]

    def _residual(self, X, groups):
        if self.method == "standard":
            return (eye_array(len(X), format="csr") - self._weights(X, groups)).tocsr()

        # The other methods need enough neighbours to span the tangent space, Hessian its products
        # as well.
        needed = self.n_components + 1
        if self.method == "hessian":
            needed = self.n_components * (self.n_components + 3) // 2
        fewest = min(index.shape[1] for _, index in groups)
        if fewest < needed:
            raise ValueError(
                f"LocallyLinearEmbedding: method={self.method!r} with n_components="
                f"{self.n_components} needs at least {needed} neighbours of each sample, got "
                f"{fewest}. Raise {'n_neighbors' if self.radius is None else 'radius'}."
            )
        combine = METHODS[self.method]
        if self.method == "modified":
            combine = partial(combine, tol=self.modified_tol)
        found = [combine(X, rows, index, self.n_components) for rows, index in groups]
        return residual_matrix([part for parts in found for part in parts], len(X))

    def _weights(self, X, groups):
        relative, n = self.reg_scale == "trace", len(X)
        entries = [
            (
                np.repeat(rows, index.shape[1]),
                index.ravel(),
                barycentric_weights(X[rows], X, index, self.reg, by_trace=relative).ravel(),
            )
            for rows, index in groups
        ]
        rows, columns, weights = (np.concatenate(part) for part in zip(*entries, strict=True))
        return csr_array((weights, (rows, columns)), shape=(n, n))

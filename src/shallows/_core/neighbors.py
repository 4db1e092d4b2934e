"""The nearest rows of a fixed set, by the fastest way that its shape and metric allow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from shallows._core.distances import k_nearest
from shallows._core.threads import map_blocks, n_threads

Array = NDArray[Any]
Metric = (
    Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "precomputed"]
    | Callable[..., Any]
)
TREE_FEATURES, TREE_ROWS = 6, 500  # a tree pays off for many rows of few features
CELLS = 2**20
POWERS = {"euclidean": 2.0, "manhattan": 1.0, "chebyshev": np.inf}


class NeighborIndex:
    """Finds the nearest rows of X; a gap (NaN) is left out of a distance, which is scaled up.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The rows to search in. With a precomputed metric, anything of that length.
    metric : str or callable
        Distance between two rows.
    p : float
        Power of the Minkowski distance.
    weights : ndarray of shape (n_features,), optional
        Weight of each feature in a Minkowski distance.
    """

    def __init__(
        self, X: Any, metric: Metric = "euclidean", p: float = 2, weights: Array | None = None
    ):
        self.metric = metric
        self.power = POWERS.get(metric, float(p)) if isinstance(metric, str) else 0.0
        self.factors = None
        if weights is not None and not np.isinf(self.power):
            self.factors = np.asarray(weights) ** (1 / self.power)
        self.rows = X if metric == "precomputed" else self._scaled(X)
        self.has_gaps = not issparse(X) and metric != "precomputed" and bool(np.isnan(X).any())
        self._tree = self._build_tree()

    def _build_tree(self) -> cKDTree | None:
        if self.metric == "precomputed" or issparse(self.rows):
            return None
        few = self.rows.shape[1] <= TREE_FEATURES and self.rows.shape[0] >= TREE_ROWS
        return cKDTree(self.rows) if few and not self.has_gaps and self._is_minkowski else None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_tree"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._tree = self._build_tree()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NeighborIndex):
            return NotImplemented
        same_rows = self.rows is other.rows or (
            not issparse(self.rows) and np.array_equal(self.rows, other.rows, equal_nan=True)
        )
        same_factors = np.array_equal(self.factors, other.factors)  # type: ignore[arg-type]
        return (
            same_rows and same_factors and (self.metric, self.power) == (other.metric, other.power)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def _is_minkowski(self) -> bool:
        return isinstance(self.metric, str) and self.metric not in ("cosine", "precomputed")

    def query(self, X: Any, k: int) -> tuple[Array, Array]:
        """Return distances to the k nearest rows, from near to far, and their places."""
        if self.metric != "precomputed":
            X = self._scaled(X)
        gaps = not issparse(X) and self.metric != "precomputed" and bool(np.isnan(X).any())
        if self._tree is not None and not gaps:
            found = self._tree.query(X, k=np.arange(1, k + 1), p=self.power, workers=n_threads())
            return found[0].astype(X.dtype, copy=False), np.asarray(found[1], dtype=np.intp)
        plain = not gaps and not self.has_gaps and not issparse(self.rows) and not issparse(X)
        if plain and self._is_minkowski and self.power == 2:
            index, squared = k_nearest(X, self.rows, k)
            return np.sqrt(squared), index
        return self._by_blocks(X, k)

    def _by_blocks(self, X: Any, k: int) -> tuple[Array, Array]:
        n = X.shape[0]

        def block(rows: slice) -> tuple[Array, Array]:
            distances = self.distances(X[rows])
            if k < distances.shape[1]:
                index = np.argpartition(distances, k - 1, axis=1)[:, :k]
            else:
                index = np.broadcast_to(np.arange(distances.shape[1]), distances.shape)
            index = np.sort(index, axis=1)
            near = np.take_along_axis(distances, index, 1).astype(X.dtype, copy=False)
            order = np.argsort(near, axis=1, kind="stable")
            return np.take_along_axis(near, order, 1), np.take_along_axis(index, order, 1)

        size = max(1, CELLS // self.rows.shape[0])
        parts = (
            [block(slice(a, min(a + size, n))) for a in range(0, n, size)]
            if callable(self.metric)
            else map_blocks(block, n, size)
        )
        return np.concatenate([part[0] for part in parts]), np.concatenate([p[1] for p in parts])

    def distances(self, X: Any) -> Array:
        """Return the distance of each row of X, scaled already, to every row."""
        if self.metric == "precomputed":
            return np.asarray(X)
        if issparse(X) or issparse(self.rows):
            return _sparse_distances(X, self.rows, cosine=self.metric == "cosine")
        if self.has_gaps or np.isnan(X).any():
            return _partial_distances(X, self.rows, self.power)
        if callable(self.metric):
            return cdist(X, self.rows, self.metric)
        if self.metric == "cosine":
            return np.maximum(cdist(X, self.rows, "cosine"), 0)
        if np.isinf(self.power):
            return cdist(X, self.rows, "chebyshev")
        return cdist(X, self.rows, "minkowski", p=self.power)

    def _scaled(self, X: Any) -> Any:
        if self.factors is None:
            return X
        return X.multiply(self.factors).tocsr() if issparse(X) else X * self.factors


def _partial_distances(X: Array, Z: Array, power: float) -> Array:
    """Return distances over the features that both rows have, scaled up to all of them.

    Rows without a common feature are infinitely far apart.
    """
    has_x, has_z = ~np.isnan(X), ~np.isnan(Z)
    common = has_x.astype(float) @ has_z.T.astype(float)
    x, z = np.nan_to_num(X), np.nan_to_num(Z)
    if power == 2:
        total = (x**2) @ has_z.T - 2 * x @ z.T + has_x @ (z**2).T
        total = np.maximum(total, 0)
    else:
        total = np.zeros(common.shape)
        for j in range(X.shape[1]):
            both = np.outer(has_x[:, j], has_z[:, j])
            step = np.where(both, np.abs(np.subtract.outer(x[:, j], z[:, j])), 0)
            total = np.maximum(total, step) if np.isinf(power) else total + step**power
    with np.errstate(divide="ignore", invalid="ignore"):
        if np.isinf(power):
            return np.where(common > 0, total, np.inf)
        return np.where(common > 0, (total * X.shape[1] / common) ** (1 / power), np.inf)


def _sparse_distances(X: Any, Z: Any, *, cosine: bool) -> Array:
    inner = (X @ Z.T).toarray()
    x, z = (np.asarray(part.multiply(part).sum(axis=1)).ravel() for part in (X, Z))
    if not cosine:
        return np.sqrt(np.maximum(x[:, None] - 2 * inner + z, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(1 - inner / np.sqrt(np.outer(x, z)), nan=1.0)

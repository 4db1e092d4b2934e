"""The nearest rows of a fixed set, by the fastest way that its shape and metric allow."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from shallows._core.contract.magnitude import check_magnitude
from shallows._core.numerics.box_tree import BoxTree, plant
from shallows._core.numerics.compile import compiled
from shallows._core.numerics.csr import CsrRows
from shallows._core.numerics.distances import k_smallest
from shallows._core.numerics.k_nearest import NearestRows
from shallows._core.numerics.minkowski import is_product, power_sums, root_of_sums
from shallows._core.numerics.named_distance import (
    POWERS,
    NamedDistance,
    SciPyMetric,
    resolve_metric,
)
from shallows._core.numerics.threads import map_blocks, n_threads

Array = NDArray[Any]
Metric = (
    Literal[
        "minkowski",
        "euclidean",
        "l2",
        "nan_euclidean",
        "manhattan",
        "cityblock",
        "l1",
        "chebyshev",
        "cosine",
        "hamming",
        "precomputed",
    ]
    | SciPyMetric
    | NamedDistance
    | Callable[..., Any]
)
OF_SCIPY = frozenset(get_args(SciPyMetric))
TREE_ROWS = 500  # a tree pays off for many rows of few features
BOX_FEATURES, TREE_FEATURES = 32, 15
CELLS = 2**20
LARGE_POWER = 16.0  # beyond it, powers of plain gaps leave the range of floats


class NeighborIndex:
    """Finds the nearest rows of X.

    A gap (NaN) is left out of a Minkowski or Hamming distance, which is scaled up. Under the
    other metrics X must have none.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The rows to search in. With a precomputed metric, anything of that length.
    metric : str or callable
        Distance between two rows. A row of zeros has the cosine distance 1 to all rows.
    p : float
        Power of the Minkowski distance.
    weights : ndarray of shape (n_features,), optional
        Weight of each feature in a Minkowski distance of finite power.
    """

    def __init__(
        self, X: Any, metric: Metric = "euclidean", p: float = 2, weights: Array | None = None
    ):
        if isinstance(metric, str) and metric in OF_SCIPY:
            metric = resolve_metric("NeighborIndex", metric, X)
        self.metric = metric
        self.power = minkowski_power(metric, p)
        if weights is None and isinstance(metric, NamedDistance):
            weights = metric.params.get("w")
        self.factors = None
        if weights is not None and self.power is not None:
            self.factors = np.asarray(weights) ** (1 / self.power)
        self.rows = X if metric == "precomputed" else self.scaled(X)
        if issparse(X):  # inner products need the digits that float32 does not have
            self.rows = self.rows.astype(np.float64)
        self.has_gaps = not issparse(X) and metric != "precomputed" and bool(np.isnan(X).any())
        self._build()

    def _build(self) -> None:
        """Make what speeds up the search; it is not stored, but made again."""
        self._tree = self._build_tree()
        if self.metric == "precomputed":
            return
        rows = _at_length_one(self.rows) if self.metric == "cosine" else self.rows
        if issparse(rows):
            self._across, self._squares = CsrRows.of(rows.T.tocsr()), _squared_lengths(rows)
        else:
            self._nearest = NearestRows(rows)
        if self.metric == "cosine":
            self._all_have_angles = issparse(rows) or bool(rows.any(axis=1).all())

    def _build_tree(self) -> BoxTree | cKDTree | None:
        if self.metric == "precomputed" or issparse(self.rows) or self.has_gaps:
            return None
        (n, n_features), power = self.rows.shape, self.power
        if n < TREE_ROWS or power is None or power < 1 or LARGE_POWER < power < np.inf:
            return None
        if power in (1, 2, np.inf):
            return plant(self.rows, power) if n_features <= BOX_FEATURES else None
        most = math.log2(n) / 2 if is_product(power) else TREE_FEATURES
        return cKDTree(self.rows) if n_features <= most else None

    def __getstate__(self) -> dict[str, Any]:
        made = ("_tree", "_nearest", "_all_have_angles", "_across", "_squares")
        return {name: value for name, value in vars(self).items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if self.metric != "precomputed" and (self.rows.ndim != 2 or 0 in self.rows.shape):
            raise ValueError("A neighbour index needs rows with at least one column.")
        self._build()

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

    def query(self, X: Any, k: int) -> tuple[Array, Array]:
        """Return distances to the k nearest rows, from near to far, and their places."""
        dtype = X.dtype
        if self.metric != "precomputed":
            X = self.scaled(self.alike(X))
        gaps = not issparse(X) and self.metric != "precomputed" and bool(np.isnan(X).any())
        plain = not gaps and not self.has_gaps and not issparse(X)
        tree = None if gaps else self._tree
        if isinstance(tree, cKDTree):
            places = np.arange(1, k + 1)
            distances, index = tree.query(X, k=places, p=self.power, workers=n_threads())
        elif tree is not None and tree.is_worth_it(X, k):
            index, distances = tree.query(X, k)
        elif plain and self.power == 2:
            index, distances = self._nearest.query(X, k, root=True)
        elif plain and self.metric == "cosine" and self._all_have_angles:
            index, squared = self._nearest.query(_at_length_one(X), k)
            zero = ~X.any(axis=1)
            index[zero], distances = np.arange(k), np.where(zero[:, None], 1.0, squared / 2)
        else:
            distances, index = self._by_blocks(X, k)
        return distances.astype(dtype, copy=False), np.asarray(index, dtype=np.intp)

    def _by_blocks(self, X: Any, k: int) -> tuple[Array, Array]:
        n = X.shape[0]

        def block(rows: slice) -> tuple[Array, Array]:
            sums = self._sums(X[rows])
            values = self.distances(X[rows]) if sums is None else sums
            index = k_smallest(values, k)
            near = np.take_along_axis(values, index, 1)
            if sums is not None and self.power is not None:
                near = root_of_sums(near, self.power)
            elif self.power == 2:  # inner products leave a row off itself
                from_gaps = _sparse_from_gaps if issparse(X) else _partial_from_gaps
                near = from_gaps(X[rows], self.rows, index)
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
        sums = self._sums(X)
        if sums is not None and self.power is not None:
            return root_of_sums(sums, self.power)
        if issparse(X):
            return self._sparse_distances(X)
        if callable(self.metric):
            return cdist(X, self.rows, self.metric)
        if isinstance(self.metric, NamedDistance) and self.power is None:
            return self.metric.between(X, self.rows)
        if self.metric == "cosine":
            return np.maximum(1 - _at_length_one(X) @ self._nearest.Z.T, 0)
        if self.power is None and not self.has_gaps and not np.isnan(X).any():
            return cdist(X, self.rows, "hamming")
        return _partial_distances(X, self.rows, self.power)

    def _sums(self, X: Any) -> Array | None:
        """Return what the distances are roots of, which need not be taken of all; else None."""
        power = self.power
        if power is None or LARGE_POWER < power < np.inf or issparse(X):
            return None
        if self.has_gaps or np.isnan(X).any():
            return None
        return power_sums(X, self.rows, power)

    def _sparse_distances(self, X: Any) -> Array:
        found = np.zeros((X.shape[0], self.rows.shape[0]))
        if self.metric == "cosine":
            add_products(CsrRows.of(_at_length_one(X)), self._across, found)
            np.subtract(1, found, out=found)
            return np.maximum(found, 0, out=found)
        add_products(CsrRows.of(X), self._across, found)
        found *= -2
        found += _squared_lengths(X)[:, None]
        found += self._squares
        np.maximum(found, 0, out=found)
        return np.sqrt(found, out=found)

    def alike(self, X: Any) -> Any:
        """Return X sparse or dense as the rows are."""
        if issparse(X) and not issparse(self.rows):
            return X.toarray()
        return csr_array(X, dtype=np.float64) if issparse(self.rows) else X

    def scaled(self, X: Any) -> Any:
        if self.factors is None:
            return X
        return X.multiply(self.factors).tocsr() if issparse(X) else X * self.factors


def refuse_extremes(
    owner: str, X: Any, metric: Metric = "euclidean", *, queries: bool = False
) -> None:
    """Raise where squares of the values would leave the range of floats; queries may be tiny."""
    named = isinstance(metric, NamedDistance)
    if named or callable(metric) or metric in ("hamming", "precomputed") or X.dtype == np.float32:
        return  # float32 is squared as float64
    check_magnitude(owner, X, tiny=queries)


def without_itself(distances: Array, index: Array) -> tuple[Array, Array]:
    """Drop each row's own place from what a query of the rows themselves found.

    Where copies crowd a row out of its neighbours, the last of them is dropped.

    Examples
    --------
    >>> import numpy as np
    >>> without_itself(np.array([[0.0, 2.0], [0.0, 0.0]]), np.array([[0, 1], [0, 1]]))
    (array([[2.],
           [0.]]), array([[1],
           [0]]))
    """
    own = index == np.arange(len(index))[:, None]
    own[:, -1] |= ~own.any(axis=1)
    shape = (len(index), index.shape[1] - 1)
    return distances[~own].reshape(shape), index[~own].reshape(shape)


def minkowski_power(metric: Metric, p: float = 2) -> float | None:
    """Return the power of a Minkowski distance, or None for another metric.

    Examples
    --------
    >>> minkowski_power("cityblock"), minkowski_power("minkowski", 3), minkowski_power("cosine")
    (1.0, 3.0, None)
    """
    if isinstance(metric, NamedDistance):
        return metric.params["p"] if metric.name == "minkowski" else None
    if not isinstance(metric, str):
        return None
    return float(p) if metric == "minkowski" and isinstance(p, Real) else POWERS.get(metric)


def _at_length_one(X: Any) -> Any:
    """Return the rows over their length; a row of zeros stays one."""
    if issparse(X):
        length = np.sqrt(_squared_lengths(X))
        return X.multiply((1 / np.where(length > 0, length, 1))[:, None]).tocsr()
    size = np.abs(X).max(axis=1, keepdims=True).astype(np.float64)
    units = X / np.where(size > 0, size, 1)
    length = np.sqrt(np.einsum("ij,ij->i", units, units))[:, None]
    units /= np.where(length > 0, length, 1)
    return units


def _partial_distances(X: Array, Z: Array, power: float | None) -> Array:
    """Return distances over the features that both rows have, scaled up to all of them.

    Without a power it is Hamming's, the share of features that differ. Rows without a common
    feature are infinitely far apart.
    """
    has_x, has_z = ~np.isnan(X), ~np.isnan(Z)
    common = has_x.astype(float) @ has_z.T.astype(float)
    centre = np.where(has_z, Z, 0).sum(axis=0) / np.maximum(has_z.sum(axis=0), 1)
    x, z = np.where(has_x, X - centre, 0), np.where(has_z, Z - centre, 0)
    if power == 2:
        found = np.hstack([x**2, -2 * x, has_x]) @ np.hstack([has_z, z, z**2]).T
        np.maximum(found, 0, out=found)  # in place, since time goes into memory
        with np.errstate(invalid="ignore"):
            found /= common
        found *= X.shape[1]
        np.sqrt(found, out=found)
        np.copyto(found, np.inf, where=common == 0)
        return found

    def gaps(j: int) -> Array:
        both = np.outer(has_x[:, j], has_z[:, j])
        return np.where(both, np.abs(np.subtract.outer(x[:, j], z[:, j])), 0)

    total = np.zeros(common.shape)
    if power is None:
        for j in range(X.shape[1]):
            total += gaps(j) > 0
        return np.where(common > 0, total / np.maximum(common, 1), np.inf)
    largest = np.zeros(common.shape)
    for j in range(X.shape[1]):
        np.maximum(largest, gaps(j), out=largest)
    if np.isinf(power):
        return np.where(common > 0, largest, np.inf)
    unit = np.where(largest > 0, largest, 1)  # no power leaves the range of floats
    for j in range(X.shape[1]):
        total += (gaps(j) / unit) ** power
    found = unit * (total * _upscale(common, X.shape[1])) ** (1 / power)
    return np.where(common > 0, found, np.inf)


def _partial_from_gaps(X: Array, Z: Array, index: Array) -> Array:
    """Return Euclid's distances to the rows of Z in `index`, from differences."""
    found = np.empty(index.shape)
    for place in range(index.shape[1]):
        gaps = X - Z[index[:, place]]
        common = np.sum(~np.isnan(gaps), axis=1)
        total = np.nansum(gaps.astype(float) ** 2, axis=1)
        found[:, place] = np.sqrt(total * _upscale(common, X.shape[1]))
        found[common == 0, place] = np.inf
    return found


def _sparse_from_gaps(X: Any, Z: Any, index: Array) -> Array:
    """Return Euclid's distances to the rows of Z in `index`, from differences of sparse rows."""
    gaps = X[np.repeat(np.arange(len(index)), index.shape[1])] - Z[index.ravel()]
    return np.sqrt(np.asarray(gaps.multiply(gaps).sum(axis=1, dtype=float)).reshape(index.shape))


def _upscale(common: Array, n_features: int) -> Array:
    factors: Array = n_features / np.maximum(common, 1)
    return factors


def _squared_lengths(X: Any) -> Array:
    return np.asarray(X.multiply(X).sum(axis=1)).ravel()


@compiled
def add_products(left, right, found):  # type: ignore[no-untyped-def]
    """Add the product of two CSR matrices to a dense array."""
    values, columns, starts = left
    others, rows, bounds = right
    for i in range(len(starts) - 1):
        for entry in range(starts[i], starts[i + 1]):
            value, column = values[entry], columns[entry]
            for other in range(bounds[column], bounds[column + 1]):
                found[i, rows[other]] += value * others[other]

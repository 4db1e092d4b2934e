"""Rows that are not one dense array: CSR matrices, and streams larger than memory."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.numerics.compile import compiled
from shallows._core.numerics.csr import CsrRows
from shallows._core.numerics.kmeans.dense import (
    Tally,
    cost_of,
    empty_tally,
    nearest_centers,
    squared_to_own,
    tally_of,
)
from shallows._core.numerics.streams import fold
from shallows._core.numerics.threads import map_blocks

Array = NDArray[Any]
BLOCK_ROWS = 4096


class SparseRows:
    """The rows of a CSR matrix; see `Rows` in `lloyd`.

    Distances come from products, with the origin at zero so that nothing is filled in.
    """

    def __init__(self, X: Any, weights: Array):
        self.X, self.weights = X, weights
        self.origin = np.zeros(X.shape[1])
        self._rows = CsrRows.of(X)
        self._labels = np.empty(0, np.int32)
        self._squared = np.empty(0)

    @cached_property
    def scatter(self) -> float:
        """The cost of one cluster at the origin."""
        return float(self.weights @ self._norms)

    @cached_property
    def variance(self) -> float:
        """The mean variance of a feature."""
        shares = self.weights / self.weights.sum()
        return float((shares @ self._squares - (shares @ self.X) ** 2).mean())

    @cached_property
    def _squares(self) -> Any:
        return self.X.multiply(self.X).tocsr()

    @cached_property
    def _norms(self) -> Array:
        return np.asarray(self._squares.sum(axis=1)).ravel().astype(np.float64)

    def restart(self) -> None:
        """There is nothing to forget: every pass starts anew."""

    def tally(self, centers: Array) -> Tally:
        """Assign rows to centres and return the sums of the clusters."""
        self._assign(centers)
        tally = empty_tally(*centers.shape)
        add_rows(self._rows, self.weights, self._labels, tally)
        return tally

    def farthest(self, centers: Array, n_rows: int) -> tuple[Array, Array, Array, Array]:
        """Return the rows farthest from their centre, their labels, weights and distances."""
        rows = np.argsort(-self._squared, kind="stable")[:n_rows]
        return (
            self.X[rows].toarray(),
            self._labels[rows],
            self.weights[rows],
            self._squared[rows],
        )

    def finish(self, centers: Array) -> tuple[Array, float]:
        """Return labels and cost."""
        self._assign(centers)
        return self._labels, float(self.weights @ self._squared)

    def _assign(self, centers: Array) -> None:
        norms = np.einsum("ij,ij->i", centers, centers, dtype=np.float64)
        across = np.ascontiguousarray(centers.T, dtype=np.float64)
        n_rows = len(self.weights)
        labels, squared = np.empty(n_rows, np.int32), np.empty(n_rows)

        def block(rows: slice) -> None:
            part = self._rows.part(rows)
            assign_rows_by_products(part, across, norms, labels[rows], squared[rows])

        map_blocks(block, len(labels), BLOCK_ROWS)
        self._labels, self._squared = labels, np.maximum(squared + self._norms, 0.0)


class StreamRows:
    """The rows of a memory-mapped file or a Dask array; see `Rows` in `lloyd`.

    Every call is one pass over the data. With `allow_nan` a missing value makes the scatter NaN,
    and what else to do with such rows is left to the caller.
    """

    def __init__(self, X: Any, *, allow_nan: bool = False):
        self.X = X
        n_rows, self.origin, squares = fold(X, _moments, _merge_moments, allow_nan=allow_nan)
        self.scatter = float(squares.sum())
        self.variance = self.scatter / n_rows / X.shape[1]

    def restart(self) -> None:
        """There is nothing to forget: every pass starts anew."""

    def tally(self, centers: Array) -> Tally:
        """Assign rows to centres and return the sums of the clusters."""
        origin = self.origin

        def accumulate(block: Array) -> Tally:
            labels = nearest_centers(block, centers)
            return tally_of(block, np.ones(len(block)), origin, labels, len(centers))

        return fold(self.X, accumulate, lambda a, b: Tally(*map(np.add, a, b)))

    def farthest(self, centers: Array, n_rows: int) -> tuple[Array, Array, Array, Array]:
        """Return the rows farthest from their centre, their labels, weights and distances."""

        def top(rows: Array, labels: Array, squared: Array) -> tuple[Array, Array, Array]:
            order = np.argsort(-squared, kind="stable")[:n_rows]
            return rows[order], labels[order], squared[order]

        def accumulate(block: Array) -> tuple[Array, Array, Array]:
            labels = nearest_centers(block, centers)
            return top(block, labels, squared_to_own(block, centers, labels))

        rows, labels, squared = fold(
            self.X, accumulate, lambda a, b: top(*map(np.concatenate, zip(a, b, strict=True)))
        )
        return rows, labels, np.ones(len(rows)), squared

    def finish(self, centers: Array) -> tuple[Array, float]:
        """Return labels and cost."""

        def accumulate(block: Array) -> tuple[Array, float]:
            labels = nearest_centers(block, centers)
            return labels, cost_of(block, np.ones(len(block)), centers, labels)

        return fold(self.X, accumulate, lambda a, b: (np.append(a[0], b[0]), a[1] + b[1]))


def _moments(block: Array) -> tuple[int, Array, Array]:
    mean = block.mean(axis=0, dtype=np.float64)
    return len(block), mean, ((block - mean) ** 2).sum(axis=0)


def _merge_moments(
    left: tuple[int, Array, Array], right: tuple[int, Array, Array]
) -> tuple[int, Array, Array]:
    (n, mean, squares), (m, other_mean, other_squares) = left, right
    shift = other_mean - mean
    together = squares + other_squares + shift**2 * (n * m / (n + m))
    return n + m, mean + shift * (m / (n + m)), together


@compiled
def assign_rows_by_products(rows, across, norms, labels, squared):
    """Write the nearest centre of each sparse row, and the squared distance less its own square.

    `across` holds a row per feature with its value in each centre. Of centres equally near the
    first counts.
    """
    data, columns, starts = rows
    products = np.empty(len(norms))
    for i in range(len(labels)):
        # x'c for all centres, one stored value after the other.
        for c in range(len(norms)):
            products[c] = 0.0
        for k in range(starts[i], starts[i + 1]):
            value, line = data[k], across[columns[k]]
            for c in range(len(norms)):
                products[c] += value * line[c]

        # |x - c|^2 - |x|^2 = |c|^2 - 2 x'c
        nearest, least = 0, np.inf
        for c in range(len(norms)):
            distance = norms[c] - 2.0 * products[c]
            if distance < least:
                nearest, least = c, distance
        labels[i], squared[i] = nearest, least


@compiled
def add_rows(rows, weights, labels, tally):
    """Add each sparse row, times its weight, to the sums of its cluster."""
    data, columns, starts = rows
    sums, mass, counts = tally
    for i in range(len(labels)):
        weight, total = weights[i], sums[labels[i]]
        for k in range(starts[i], starts[i + 1]):
            total[columns[k]] += weight * data[k]
        mass[labels[i]] += weight
        counts[labels[i]] += 1

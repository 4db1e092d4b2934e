"""Distances between the rows of two arrays, in blocks on BLAS.

Nothing here builds an array of shape (n_samples, n_samples) unless it is asked for one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.numerics.compile import compiled, read_only
from shallows._core.numerics.threads import block_slices, hold_threads, map_blocks

Array = NDArray[Any]
Kernel = Callable[[Array, Array], Array]
TILE_ROWS, TILE_CELLS = 256, 2**19
# How rows are cut among threads, in products that BLAS adds up in the same time.
LITTLE_WORK, WORK_PER_BLOCK = 2**22, 2**20
WORK_PER_NUMBER, WORK_PER_DISTANCE = 10, 20
FEW_CELLS = 2**13  # of rows and distances, that are sooner computed by NumPy than compiled for


def squared_distances(X: Array, Z: Array) -> Array:
    """Return the squared Euclidean distance of each row of X to each row of Z.

    Both are first moved by the mean of Z, which changes no distance and saves the digits
    that ``x'x - 2 x'z + z'z`` would lose for data far from the origin. For the same
    reason float32 is computed in float64 and rounded at the end.

    Examples
    --------
    >>> import numpy as np
    >>> squared_distances(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 0.0]]))
    array([[ 0.],
           [25.]])
    """
    return _distances(X, Z, root=False)


def euclidean_distances(X: Array, Z: Array) -> Array:
    """Return the roots of `squared_distances`.

    Examples
    --------
    >>> import numpy as np
    >>> euclidean_distances(np.array([[3.0, 4.0]]), np.array([[0.0, 0.0]]))
    array([[5.]])
    """
    return _distances(X, Z, root=True)


def k_smallest(values: Array, k: int) -> Array:
    """Return the places of the k smallest values in each row, rising; of equal ones the first.

    A value that is not a number counts as infinite.

    Examples
    --------
    >>> import numpy as np
    >>> k_smallest(np.array([[3.0, 1.0, 2.0, 1.0]]), 3)
    array([[1, 2, 3]])
    """
    best = np.full((len(values), k), np.inf)
    index = np.full((len(values), k), values.shape[1])  # of none, which comes after all
    one_kind = np.ascontiguousarray(values, dtype=np.float64).view()
    one_kind.flags.writeable = False  # so that the kernel compiles once
    _keep_values(one_kind, best, index)
    index.sort(axis=1)
    return index


def kernel_distances(X: Array, Z: Array, kernel: Kernel) -> Array:
    """Return the squared distance in feature space, ``k(x,x) - 2 k(x,z) + k(z,z)``.

    Parameters
    ----------
    X, Z : ndarray of shape (n_samples, n_features)
        Two sets of rows.
    kernel : callable
        Takes two arrays of rows and returns the matrix of kernel values.

    Returns
    -------
    squared : ndarray of shape (len(X), len(Z))
        Squared distances, never negative.
    """
    squared = kernel(X, Z) * -2.0
    squared += _kernel_diagonal(X, kernel)[:, None]
    squared += _kernel_diagonal(Z, kernel)
    return np.maximum(squared, 0.0, out=squared)


def _distances(X: Array, Z: Array, *, root: bool) -> Array:
    X, centre = read_only(np.ascontiguousarray(X)), Z.mean(axis=0, dtype=np.float64)
    centred = Z - centre
    norms = np.einsum("ij,ij->i", centred, centred)
    centred *= -2.0
    found = np.empty((len(X), len(Z)), dtype=X.dtype)
    per_row = Z.size + WORK_PER_DISTANCE * len(Z) + WORK_PER_NUMBER * X.shape[1]
    little = len(X) * per_row < LITTLE_WORK
    if len(X) * (len(Z) + X.shape[1]) < FEW_CELLS:
        return _distances_of_few(X - centre, centred, norms, root).astype(X.dtype)
    map_blocks(
        lambda rows: _write_distances(X[rows], centre, centred, norms, root, found[rows]),
        len(X),
        len(X) if little else max(TILE_ROWS, WORK_PER_BLOCK // per_row),
    )
    return found


def _distances_of_few(moved: Array, factors: Array, norms: Array, root: bool) -> Array:
    """Return what `_write_distances` writes, by NumPy."""
    lengths = np.einsum("ij,ij->i", moved, moved)
    with hold_threads(), np.errstate(all="ignore"):
        squared = np.maximum(lengths[:, None] + norms + moved @ factors.T, 0.0)
    return np.sqrt(squared) if root else squared


def _kernel_diagonal(X: Array, kernel: Kernel) -> Array:
    few = block_slices(len(X), 32)
    return np.concatenate([kernel(X[rows], X[rows]).diagonal() for rows in few])


@compiled
def _write_distances(X, centre, factors, norms, root, found):  # type: ignore[no-untyped-def]
    """Write ``x'x - 2 x'z + z'z`` for rows less the centre, or its root; factors are ``-2 z``."""
    n_features, n_others = X.shape[1], len(norms)
    n_rows = max(16, min(TILE_ROWS, TILE_CELLS // max(n_features, n_others)))
    tile, products = np.empty((n_rows, n_features)), np.empty((n_rows, n_others))
    for first in range(0, len(X), n_rows):
        part = tile[: min(n_rows, len(X) - first)]
        for i in range(len(part)):
            row, moved = X[first + i], part[i]
            for j in range(n_features):
                moved[j] = row[j] - centre[j]
        np.dot(part, factors.T, products[: len(part)])
        for i in range(len(part)):
            moved, product, values = part[i], products[i], found[first + i]
            length = 0.0
            for j in range(n_features):
                length += moved[j] * moved[j]
            for c in range(n_others):
                value = length + norms[c] + product[c]
                value = 0.0 if value < 0.0 else value
                values[c] = np.sqrt(value) if root else value


@compiled
def _keep_values(values, best, index):  # type: ignore[no-untyped-def]
    """Put the values into each row's heap of the k smallest; its largest stands in front."""
    for i in range(values.shape[0]):
        worst = best[i, 0]
        for j in range(values.shape[1]):
            value = float(values[i, j])
            if value != value:
                value = np.inf
            if value < worst or (value == worst and j < index[i, 0]):
                _replace_worst(best[i], index[i], value, j)
                worst = best[i, 0]


@compiled
def _replace_worst(best, index, value, row):  # type: ignore[no-untyped-def]
    """Put a value for the largest in a heap, of equal ones for that of the last row."""
    k = len(best)
    place = 0
    child = 1
    while child < k:
        if child + 1 < k and (
            best[child + 1] > best[child]
            or (best[child + 1] == best[child] and index[child + 1] > index[child])
        ):
            child += 1
        if best[child] < value or (best[child] == value and index[child] < row):
            break
        best[place] = best[child]
        index[place] = index[child]
        place = child
        child = 2 * place + 1
    best[place] = value
    index[place] = row

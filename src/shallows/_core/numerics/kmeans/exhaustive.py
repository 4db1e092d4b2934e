"""Nearest centres of dense rows by all distances: quickest for few centres and features."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.numerics.compile import compiled_in_order, read_only
from shallows._core.numerics.threads import map_blocks

Array = NDArray[Any]
CHUNK = 256
FEW_DIFFERENCES = 2**14  # sooner squared by NumPy than a kernel is compiled
LITTLE_WORK, WORK_PER_BLOCK = 2**22, 2**20  # differences; few are sooner taken than handed over


class Exhaustive:
    """The nearest of some centres for each row of X; see `Bounded` in `bounds`."""

    def __init__(self, X: Array):
        self.X = read_only(X)
        self.order = np.empty(0, np.int32)
        self.places = np.empty(0, np.int32)
        self.n_lost = 0

    @property
    def labels(self) -> Array:
        """Index of the nearest centre of each row."""
        return self.places

    def update(self, centers: Array) -> Array:
        """Find the nearest centres; return the places before."""
        if len(self.order) != len(centers):
            self.order = np.arange(len(centers), dtype=np.int32)
            self.places = np.full(len(self.X), -1, np.int32)
        before, self.places = self.places, np.empty(len(self.X), np.int32)
        places, n_rows = self.places, len(self.X)
        little = n_rows * centers.size < LITTLE_WORK
        nearest = nearest_of_few if n_rows * centers.size < FEW_DIFFERENCES else nearest_rows
        lost = map_blocks(
            lambda rows: nearest(self.X[rows], centers, places[rows]),
            n_rows,
            n_rows if little else math.ceil(WORK_PER_BLOCK / centers.size),
        )
        self.n_lost = sum(lost)
        return before


def nearest_of_few(X: Array, centers: Array, labels: Array) -> int:
    """Write and return the same as `nearest_rows`, for few rows."""
    room = 126 if X.itemsize == 4 else 1022
    exponent = math.frexp(float(np.abs(centers).max()))[1]
    scale = X.dtype.type(math.ldexp(1.0, max(-room, min(room, -exponent))))
    squared = np.zeros((len(X), len(centers)), X.dtype)
    with np.errstate(all="ignore"):  # a row may lie too far away for its square
        for column, values in zip(X.T * scale, centers.T * scale, strict=True):
            squared += (column[:, None] - values) ** 2
    squared[np.isnan(squared)] = np.inf
    labels[:] = squared.argmin(axis=1)
    return int(np.count_nonzero(np.isinf(squared.min(axis=1))))


@compiled_in_order
def nearest_rows(X, centers, labels):
    """Write the nearest centre of each row, of centres equally near the first; count lost rows.

    Rows lie side by side in a tile, so that loops run over rows and vectorise. All is scaled by
    a power of two, which changes no comparison, to keep squares of single precision in range.
    """
    n_features, n_whole = X.shape[1], X.shape[1] // 4 * 4
    n_lost, largest = 0, 0.0
    for c in range(len(centers)):
        for j in range(n_features):
            largest = max(largest, abs(centers[c, j]))
    room = 126 if X.itemsize == 4 else 1022
    scale = X.dtype.type(math.ldexp(1.0, max(-room, min(room, -math.frexp(largest)[1]))))
    tile = np.empty((n_features, CHUNK), X.dtype)
    squared, least = np.empty(CHUNK, X.dtype), np.empty(CHUNK, X.dtype)
    nearest = np.empty(CHUNK, np.int32)
    for first in range(0, len(X), CHUNK):
        n_rows = min(CHUNK, len(X) - first)
        rows, found = X[first : first + n_rows], labels[first : first + n_rows]
        for i in range(n_rows):
            for j in range(n_features):
                tile[j, i] = rows[i, j] * scale
        for i in range(n_rows):
            nearest[i], least[i] = 0, np.inf
        for c in range(len(centers)):
            for i in range(n_rows):
                squared[i] = 0
            for j in range(0, n_whole, 4):  # four at once, since most time goes into the sums
                p, q, r, s = tile[j], tile[j + 1], tile[j + 2], tile[j + 3]
                at = centers[c, j : j + 4]
                a, b, d, e = at[0] * scale, at[1] * scale, at[2] * scale, at[3] * scale
                for i in range(n_rows):
                    near = squared[i] + (p[i] - a) ** 2 + (q[i] - b) ** 2
                    squared[i] = near + (r[i] - d) ** 2 + (s[i] - e) ** 2
            for j in range(n_whole, n_features):
                values, value = tile[j], centers[c, j] * scale
                for i in range(n_rows):
                    squared[i] += (values[i] - value) ** 2
            for i in range(n_rows):
                nearer = squared[i] < least[i]
                least[i] = squared[i] if nearer else least[i]
                nearest[i] = c if nearer else nearest[i]
        for i in range(n_rows):
            found[i] = nearest[i]
            n_lost += not least[i] < np.inf
    return n_lost

"""The nearest rows of one array for each row of another, by products on BLAS.

Products in single precision, which take half the time of double, leave out all rows that can't
be among the nearest, whatever the rounding errors. Distances to the few that remain come from
differences in double precision, and decide. Where single precision leaves too many, products
in double precision do the same.

Nothing here builds an array of shape (n_samples, n_samples).
"""

from __future__ import annotations

import math
from contextlib import nullcontext
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shallows._core.numerics.compile import compiled, read_only
from shallows._core.numerics.threads import block_slices, hold_threads, map_blocks

Array = NDArray[Any]
TILE_ROWS, TILE_COLUMNS = 256, 2048  # a tile of inner products stays in the cache
GROUP = 32  # columns that are looked at together
LANES = 128  # sets of columns whose least values bound that of the k-th
MANY_ROWS, TRIAL_ROWS = 1024, 64  # of many rows, a few tell whether single precision will do
FARTHEST = 2.0**40  # of rows, in the unit of Z: their squares are in the range of float32


def nearest(X: Array, Z: Array) -> tuple[Array, Array]:
    """Return the index of the nearest row of Z for each row of X, and the squared distance.

    Of equal rows the first counts.
    """
    index, squared = k_nearest(X, Z, 1)
    return index[:, 0], squared[:, 0]


def k_nearest(X: Array, Z: Array, k: int, *, root: bool = False) -> tuple[Array, Array]:
    """Return the k nearest rows of Z for each row of X, and their squared distances.

    Of equally near rows the first counts, unless a thousand are. With `root` the distances are
    not squared, nor is a square of float32 ever rounded, which may leave the range of float32.

    Returns
    -------
    index : ndarray of shape (n_samples, k)
        Rows of Z from near to far.
    squared : ndarray of shape (n_samples, k)
        Their squared distances, or their distances.
    """
    return NearestRows(Z).query(X, k, root=root)


class NearestRows:
    """Rows of which the nearest are asked for more than once; see `k_nearest`."""

    def __init__(self, Z: Array):
        self.Z = read_only(Z)

    def query(self, X: Array, k: int, *, root: bool = False) -> tuple[Array, Array]:
        """Return places of the k nearest rows, from near to far, and squared distances."""
        k = min(k, len(self.Z))
        index, squared = np.empty((len(X), k), np.intp), np.empty((len(X), k))
        # Threads of BLAS, once at work, would keep a core from ours for a while.
        with hold_threads() if len(X) > TILE_ROWS else nullcontext():
            self._search(X, index, squared)
        return index, (np.sqrt(squared) if root else squared).astype(X.dtype, copy=False)

    def _search(self, X: Array, index: Array, squared: Array) -> None:
        rows, single = np.arange(len(X)), self._single
        trial = rows[:: len(X) // TRIAL_ROWS] if len(X) > MANY_ROWS else rows[:0]
        if 4 * len(single.find(X, trial, index, squared)) <= len(trial):
            rows = single.find(X, rows, index, squared)
        if len(rows):
            _Screen(self.Z, np.float64).find(X, rows, index, squared)

    @cached_property
    def _single(self) -> _Screen:
        return _Screen(self.Z, np.float32)


class _Screen:
    """Rows that candidates are taken from, seen from their middle and scaled to fit the dtype."""

    def __init__(self, Z: Array, dtype: Any):
        self.Z, self.dtype, self.single = Z, dtype, dtype == np.float32
        self.middle = Z.mean(axis=0, dtype=np.float64)
        moved = Z - self.middle
        size = max(abs(moved.max()), abs(moved.min()))
        self.scale = 2.0 ** -max(-1000, min(math.frexp(size)[1], 1000))
        self.rows = np.multiply(moved, self.scale, out=moved).astype(dtype, copy=False)
        self.norms = np.einsum("ij,ij->i", self.rows, self.rows)
        limits = np.finfo(dtype)
        self.slack = dtype((Z.shape[1] + 10) * limits.eps)
        self.tiny = dtype(1e8 * limits.tiny)
        self.least_norms = self.norms - self.slack * self.norms

    def find(self, X: Array, which: Array, index: Array, squared: Array) -> Array:
        """Write what is nearest to some rows of X; return those for which it is not certain."""
        k = index.shape[1]

        def block(part: slice) -> Array:
            rows = which[part]
            own = np.ascontiguousarray(X[rows])
            places, counts = self._candidates(own, k)
            sure = counts > 0
            if sure.any():
                gaps = np.full((len(rows), counts.max()), np.inf)
                exact_distances(own, self.Z, places, counts, gaps)
                order = np.argsort(gaps, axis=1, kind="stable")[:, :k]
                index[rows[sure]] = np.take_along_axis(places, order, 1)[sure]
                squared[rows[sure]] = np.take_along_axis(gaps, order, 1)[sure]
            return rows[~sure]

        return np.concatenate(map_blocks(block, len(which), TILE_ROWS) or [which])

    def _candidates(self, X: Array, k: int) -> tuple[Array, Array]:
        """Return places in Z, rising, and how many of them count; zero where they are too many."""
        keep = max(2 * k, k + (64 if self.single else 1024)) + GROUP
        moved = (X - self.middle) * self.scale
        far = np.abs(moved).max(axis=1, initial=0) > FARTHEST
        if self.single:
            moved[far] = 0
        moved = moved.astype(self.dtype, copy=False)
        room = 2 * (self.slack * np.einsum("ij,ij->i", moved, moved) + self.tiny)
        moved *= -2
        values = np.empty((len(X), keep), self.dtype)
        places, counts = np.empty((len(X), keep), np.intp), np.zeros(len(X), np.intp)
        limits = np.full(len(X), np.inf, self.dtype)
        found = self.norms, self.slack, room, k, self.single, limits, values, places, counts
        for part in block_slices(len(self.Z), TILE_COLUMNS):
            take_tile(moved @ self.rows[part].T, self.least_norms[part], part.start, *found)
        narrow_all(*found)
        counts[far & self.single] = 0
        return places, counts


@compiled
def take_tile(
    inner, least_norms, first, norms, slack, room, k, single, limits, values, places, counts
):
    """Add the columns of a tile that may be among the nearest to the candidates of each row.

    The least norm of a column plus its product is a value: its squared distance, less what is
    the same for all columns and the error it may have. Columns whose values exceed a row's
    limit are left out. It falls whenever many candidates have come together, and before: each of
    k lanes has a column at least as near as the k-th least of their best.
    """
    scratch, lanes = np.empty(values.shape[1], values.dtype), np.empty(LANES, values.dtype)
    most_norms = np.empty_like(least_norms)
    hits = np.empty(-(-inner.shape[1] // GROUP), np.int32)
    for j in range(len(most_norms)):
        most_norms[j] = least_norms[j] + (slack + slack) * norms[first + j]
    for i in range(len(inner)):
        if counts[i] < 0:
            continue

        # The limit from the lanes: at least k columns of the tile are that near.
        value, place, count, limit = values[i], places[i], counts[i], limits[i]
        if 2 * k <= LANES and inner.shape[1] >= 4 * LANES:
            least_of_lanes(inner[i], most_norms, lanes)
            limit = min(limit, kth_smallest(lanes, LANES, k) + room[i])

        # Groups of columns without a hit are passed over.
        enough = max(2 * k + GROUP // 2, 2 * count)
        count_hits(inner[i], least_norms, limit, hits)
        for group in range(len(hits)):
            if hits[group] == 0:
                continue
            start = group * GROUP
            products, added = inner[i, start : start + GROUP], least_norms[start : start + GROUP]

            # Many candidates lower the limit; then the group's hits are added, without branches.
            if count > min(enough, len(value) - GROUP):
                count, limit = narrow(
                    value, place, count, norms, slack, room[i], k, single, scratch
                )
                if count < 0:
                    break
                enough = max(enough, 2 * count)
            for j in range(len(products)):
                this = added[j] + products[j]
                value[count], place[count] = this, first + start + j
                count += this <= limit
        counts[i], limits[i] = count, limit


@compiled
def count_hits(products, added, limit, hits):
    """Count the sums in each group that do not exceed the limit."""
    for group in range(len(hits)):
        start, count = group * GROUP, 0
        product, more = products[start : start + GROUP], added[start : start + GROUP]
        for j in range(len(product)):
            count += more[j] + product[j] <= limit
        hits[group] = count


@compiled
def least_of_lanes(products, added, lanes):
    """Write the least sums of columns that are as far apart as there are lanes."""
    for lane in range(LANES):
        lanes[lane] = np.inf
    for start in range(0, len(products) - LANES + 1, LANES):
        product, more = products[start : start + LANES], added[start : start + LANES]
        for lane in range(LANES):
            this = more[lane] + product[lane]
            lanes[lane] = this if this < lanes[lane] else lanes[lane]


@compiled
def narrow_all(norms, slack, room, k, single, limits, values, places, counts):
    """Leave out what the candidates themselves show not to be among the nearest."""
    scratch = np.empty(values.shape[1], values.dtype)
    for i in range(len(counts)):
        if counts[i] > k:
            counts[i], _ = narrow(
                values[i], places[i], counts[i], norms, slack, room[i], k, single, scratch
            )
        counts[i] = max(counts[i], 0)


@compiled
def narrow(value, place, count, norms, slack, room, k, single, scratch):
    """Keep the candidates that may be nearer than the k nearest for sure.

    Returns their number and the limit of their values. Where as many remain as there is room
    for, single precision gives up with -1, and double precision keeps the k least values.
    """
    # The k-th least of the largest that the distances can be bounds what is near enough.
    for t in range(count):
        scratch[t] = value[t] + (slack + slack) * norms[place[t]]
    limit = kth_smallest(scratch, count, k) + room
    kept = 0
    for t in range(count):
        this = value[t]
        value[kept], place[kept] = this, place[t]
        kept += this <= limit
    if kept <= len(value) - GROUP:
        return kept, limit
    if single:
        return -1, limit

    # Double precision: the k least values; of equal ones those that came first.
    for t in range(kept):
        scratch[t] = value[t]
    limit = kth_smallest(scratch, kept, k)
    ties, count, kept = k, kept, 0
    for t in range(count):
        ties -= value[t] < limit
    for t in range(count):
        this = value[t]
        tied = this == limit and ties > 0
        ties -= tied
        value[kept], place[kept] = this, place[t]
        kept += tied or this < limit
    return kept, limit


@compiled
def kth_smallest(values, count, k):
    """Return the k-th smallest of the first values, which change places.

    Values are exchanged whether they are smaller or not, since a wrong guess of which takes a
    processor longer.
    """
    low, high, place = 0, count, k - 1
    while high - low > 1:
        pivot = values[(low + high) // 2]
        smaller = low
        for t in range(low, high):
            value = values[t]
            values[t], values[smaller] = values[smaller], value
            smaller += value < pivot
        if place < smaller:
            high = smaller
            continue
        equal = smaller
        for t in range(smaller, high):
            value = values[t]
            values[t], values[equal] = values[equal], value
            equal += value == pivot
        if place < equal:
            return pivot
        low = equal
    return values[place]


@compiled
def exact_distances(X, Z, places, counts, squared):
    """Write the squared distances to the candidates, from differences in double precision."""
    for i in range(len(X)):
        row = X[i]
        for t in range(counts[i]):
            other, total = Z[places[i, t]], 0.0
            for j in range(len(row)):
                difference = np.float64(row[j]) - np.float64(other[j])
                total += difference * difference
            squared[i, t] = total

"""Rows of a Gram matrix on demand: all of them at once, or the latest within a budget of bytes."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse

from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import map_blocks
from shallows.kernel._resolve import block_rows

COLUMN_BLOCK = 2048
FLOAT32_EXPONENT = 64.0
LARGEST = 1e30  # kernel values of which single precision holds the sums


class Points:
    """Training points prepared for a kernel; what all problems of one fit share.

    Parameters
    ----------
    owner : str
        Name of the estimator, for messages.
    kernel : Kernel
        The kernel.
    X : ndarray
        Points, or the Gram matrix of a precomputed kernel.
    cache_bytes : float
        Budget for kernel values, which are kept in single precision. Where the whole Gram matrix
        fits, it is computed once and serves every problem.
    """

    def __init__(self, owner, kernel, X, cache_bytes):
        self.kernel, self.cache_bytes = kernel, cache_bytes
        with np.errstate(over="ignore"):
            self.diagonal = kernel.diagonal(X)
        if not np.abs(self.diagonal).max() < LARGEST:
            raise ValueError(
                f"{owner}: kernel values must stay below {LARGEST:.0e}, got "
                f"{np.abs(self.diagonal).max():.3g}. Scale the data, or lower gamma or degree."
            )
        self.left, self.right = kernel.factors(X, X, precision(kernel, X))
        self.gram = self._gram() if 4.0 * X.shape[0] ** 2 <= cache_bytes else None

    def block(self, rows, columns):
        """Return the kernel values of two arrays of point numbers, on this thread."""
        return self.kernel.block(self.left[rows], self.right[columns])

    def products(self, coefficients, rows):
        """Return (K @ coefficients)[rows], summed in double precision."""
        used = np.flatnonzero(coefficients)
        if not len(used):
            return np.zeros(len(rows))
        right, weights = self.right[used], coefficients[used]

        def part(block):
            values = self.kernel.block(self.left[rows[block]], right)
            return row_sums(np.ascontiguousarray(values), weights)

        return np.concatenate(map_blocks(part, len(rows), block_rows(len(rows), len(used))))

    def _gram(self):
        n = self.left.shape[0]
        gram = np.empty((n, n), dtype=np.float32)

        def fill(rows):
            self.kernel.block(self.left[rows], self.right, gram[rows])

        map_blocks(fill, n, block_rows(n, n))
        np.fill_diagonal(gram, self.diagonal)
        return gram


class WholeGram:
    """Rows read from the Gram matrix of all points."""

    shrinks = False

    def __init__(self, points, members):
        self.gram, self.members = points.gram, members

    def square(self, rows):
        """Return the Gram matrix of a few members."""
        chosen = self.members[rows]
        if len(chosen) == len(self.gram) and (chosen[:-1] < chosen[1:]).all():
            return self.gram
        return pick(self.gram, chosen, chosen)

    def add(self, fields, rows, steps):
        """Add sum_k steps[k] K[rows[k], :] to `fields` in place."""
        slots, columns = self.members[rows], self.members

        def part(block):
            add_gathered(fields[block], self.gram, slots, columns[block], steps)

        map_blocks(part, len(fields), COLUMN_BLOCK)


class CachedRows:
    """Rows over the active members, computed when asked for and kept while there is room.

    Row s of the cache is ``flat[s * width : (s + 1) * width]``. When members are retired, all
    rows move together in place, and the room that is left holds more rows.
    """

    shrinks = True

    def __init__(self, points, members, cache_bytes, least_rows):
        self.points, self.members = points, members
        width = len(members)
        n_slots = int(min(max(cache_bytes // (4 * width), least_rows), width))
        self.flat = np.empty(n_slots * width, dtype=np.float32)
        self.reset()

    def reset(self):
        """Make all members active and forget all rows."""
        self.active = np.arange(len(self.members))
        self.slot_of = np.full(len(self.members), -1)
        self._layout(len(self.members))
        self.owner, self.last_use, self.time = np.full(self.n_slots, -1), np.zeros(self.n_slots), 0

    def retire(self, kept):
        """Keep the active members at these positions alone."""
        keep_columns(self.flat, self.n_slots, self.width, kept)
        self.active = self.active[kept]
        old = self.n_slots
        self._layout(len(kept))
        grown = self.n_slots - old
        self.owner = np.concatenate([self.owner, np.full(grown, -1)])
        self.last_use = np.concatenate([self.last_use, np.zeros(grown)])

    def square(self, positions):
        """Return the Gram matrix of active members; computes what is missing of their rows."""
        self._fetch(self.active[positions])
        slots = self.slot_of[self.active[positions]]
        return pick(self._table(), slots, positions)

    def add(self, fields, positions, steps):
        """Add sum_k steps[k] K[positions[k], :] to `fields` in place."""
        slots, table = self.slot_of[self.active[positions]], self._table()
        map_blocks(
            lambda block: add_rows(fields[block], table[:, block], slots, steps),
            len(fields),
            COLUMN_BLOCK,
        )

    def _fetch(self, wanted):
        self.time += 1
        slots = self.slot_of[wanted]
        self.last_use[slots[slots >= 0]] = self.time
        missing = wanted[slots < 0]
        if not len(missing):
            return

        # The rows that were used longest ago make room.
        free = np.argpartition(self.last_use, len(missing) - 1)[: len(missing)]
        evicted = self.owner[free]
        self.slot_of[evicted[evicted >= 0]] = -1
        self.slot_of[missing], self.owner[free], self.last_use[free] = free, missing, self.time

        # Compute the missing rows in blocks of columns, and set the diagonal exactly.
        left = self.points.left[self.members[missing]]
        columns, right, kernel = self.members[self.active], self.points.right, self.points.kernel
        table = self._table()

        def fill(block):
            put_rows(table[:, block], free, kernel.block(left, right[columns[block]]))

        map_blocks(fill, self.width, COLUMN_BLOCK)
        here = np.full(len(self.members), -1)
        here[self.active] = np.arange(self.width)
        table[free, here[missing]] = self.points.diagonal[self.members[missing]]

    def _table(self):
        return self.flat[: self.n_slots * self.width].reshape(self.n_slots, self.width)

    def _layout(self, width):
        self.width = width
        self.n_slots = int(min(len(self.flat) // width, len(self.members)))


def opener(points, members, cache_bytes):
    """Return a function from the least number of rows to hold to the rows of some points."""
    if points.gram is not None:
        return lambda _: WholeGram(points, members)
    return lambda least: CachedRows(points, members, cache_bytes, least)


def precision(kernel, X):
    """Single precision is enough where rounding moves the exponent by less than about 1e-5."""
    if kernel.name != "rbf" or issparse(X):
        return np.float64
    spread = X - X.mean(axis=0, dtype=np.float64)
    largest = np.einsum("ij,ij->i", spread, spread).max()
    in_range = max(largest, kernel.gamma) < LARGEST
    return np.float32 if in_range and kernel.gamma * largest < FLOAT32_EXPONENT else np.float64


@compiled
def add_rows(fields, table, slots, steps):
    """Add rows of the table to `fields` in place, four at a time."""
    n, k = len(slots), 0
    while k + 4 <= n:
        a, b, c, d = slots[k], slots[k + 1], slots[k + 2], slots[k + 3]
        u, v, w, x = steps[k], steps[k + 1], steps[k + 2], steps[k + 3]
        for j in range(len(fields)):
            fields[j] += u * table[a, j] + v * table[b, j] + w * table[c, j] + x * table[d, j]
        k += 4
    while k < n:
        for j in range(len(fields)):
            fields[j] += steps[k] * table[slots[k], j]
        k += 1


@compiled
def add_gathered(fields, table, slots, columns, steps):
    """Add the given columns of rows of the table to `fields` in place."""
    for k in range(len(slots)):
        row, step = table[slots[k]], steps[k]
        for j in range(len(fields)):
            fields[j] += step * row[columns[j]]


@compiled
def put_rows(table, slots, values):
    """Write row k of `values` to row ``slots[k]`` of the table."""
    for k in range(len(slots)):
        row = table[slots[k]]
        for j in range(values.shape[1]):
            row[j] = values[k, j]


@compiled
def pick(table, rows, columns):
    """Return the table at these rows and columns."""
    picked = np.empty((len(rows), len(columns)), dtype=table.dtype)
    for k in range(len(rows)):
        row = table[rows[k]]
        for j in range(len(columns)):
            picked[k, j] = row[columns[j]]
    return picked


@compiled
def row_sums(values, weights):
    """Return ``values @ weights``, summed in double precision without a copy of `values`."""
    sums = np.empty(len(values))
    for k in range(len(values)):
        total = 0.0
        for j in range(len(weights)):
            total += values[k, j] * weights[j]
        sums[k] = total
    return sums


@compiled
def keep_columns(flat, n_rows, width, kept):
    """Move the kept columns of a row-major table together in place, from the front."""
    target = 0
    for row in range(n_rows):
        start = row * width
        for j in range(len(kept)):
            flat[target] = flat[start + kept[j]]
            target += 1

"""The Gram matrix in blocks of classes, for classes that are told apart pair by pair.

A sample meets its own class in every pair and each other class in one. So the blocks within the
classes are computed once for all pairs, and a block between two classes when their turn comes.
"""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import map_blocks
from shallows.kernel._gram_rows import COLUMN_BLOCK, add_rows
from shallows.kernel._resolve import block_rows


class ClassBlocks:
    """Blocks of the Gram matrix of points that stand class by class.

    Parameters
    ----------
    points : Points
        Points of the fit; where they hold the whole Gram matrix, blocks are views of it.
    sizes : ndarray of shape (n_classes,)
        Number of points of each class.
    """

    def __init__(self, points, sizes):
        ends = np.cumsum(sizes)
        self.points = points
        self.places = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
        self.own = [self._block(place, place) for place in self.places]
        if points.gram is None:
            for block, place in zip(self.own, self.places, strict=True):
                np.fill_diagonal(block, points.diagonal[place])

    def pair(self, first, second):
        """Return the rows of two classes; the points of the first come first."""
        across = self._block(self.places[first], self.places[second])
        return PairGram(self.own[first], across, self.own[second])

    def _block(self, rows, columns):
        points = self.points
        if points.gram is not None:
            return points.gram[rows, columns]
        left, right = points.left[rows], points.right[columns]
        block = np.empty((left.shape[0], right.shape[0]), dtype=np.float32)

        def fill(part):
            points.kernel.block(left[part], right, block[part])

        map_blocks(fill, len(block), block_rows(*block.shape))
        return block


class PairGram:
    """Rows of two classes, read from the blocks within and across them."""

    shrinks = False

    def __init__(self, first, across, second):
        self.first, self.across, self.second = first, across, second

    def square(self, rows):
        """Return the Gram matrix of a few members, in rising order."""
        return pick_pair(self.first, self.across, self.second, *self._split(rows))

    def add(self, fields, rows, steps):
        """Add sum_k steps[k] K[rows[k], :] to `fields` in place; rows in rising order."""
        first, second = self._split(rows)
        of_first, of_second = steps[: len(first)], steps[len(first) :]
        upper, lower = fields[: len(self.first)], fields[len(self.first) :]

        def add_upper(block):
            add_rows(upper[block], self.first[:, block], first, of_first)
            add_columns(upper[block], self.across[block], second, of_second)

        def add_lower(block):
            add_rows(lower[block], self.across[:, block], first, of_first)
            add_rows(lower[block], self.second[:, block], second, of_second)

        map_blocks(add_upper, len(upper), COLUMN_BLOCK)
        map_blocks(add_lower, len(lower), COLUMN_BLOCK)

    def _split(self, rows):
        """Return the members of each class, counted from its first."""
        cut = np.searchsorted(rows, len(self.first))
        return rows[:cut], rows[cut:] - len(self.first)


@compiled
def pick_pair(first, across, second, rows, columns):
    """Return the Gram matrix of these rows of the first class and of the second."""
    n, size = len(rows), len(rows) + len(columns)
    picked = np.empty((size, size), dtype=across.dtype)
    for i in range(n):
        # Values within the first class, and between both.
        own, other = first[rows[i]], across[rows[i]]
        for j in range(n):
            picked[i, j] = own[rows[j]]
        for j in range(len(columns)):
            picked[i, n + j] = other[columns[j]]
    for i in range(len(columns)):
        # The mirror of those between, and values within the second class.
        own = second[columns[i]]
        for j in range(n):
            picked[n + i, j] = picked[j, n + i]
        for j in range(len(columns)):
            picked[n + i, n + j] = own[columns[j]]
    return picked


@compiled
def add_columns(fields, table, columns, steps):
    """Add the given columns of the table to `fields` in place."""
    for i in range(len(fields)):
        row, total = table[i], 0.0
        for k in range(len(columns)):
            total += steps[k] * row[columns[k]]
        fields[i] += total

"""The two ways to train a self-organizing map: sample by sample, or all samples at once."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse

from shallows._core.numerics.compile import aligned, compiled
from shallows._core.numerics.kmeans import DenseRows, StreamRows, nearest_centers
from shallows._core.numerics.kmeans.dense import Tally, tally_of
from shallows._core.numerics.streams import fold, is_stream
from shallows._core.numerics.threads import block_slices, map_blocks
from shallows.prototype._partial_rows import PartialRows, PartialStream, is_partial, partial_winners

BLOCK_ROWS = 4096
DENSE_CELLS = 2**22  # of sparse rows that are filled in at once


@compiled
def som_pass(X, weights, order, rate, table, by_product, units):
    """Visit samples one by one and move the units; return the sum of squared distances.

    The winner `b` is the nearest unit or, with `by_product`, that of the largest inner
    product. Each unit `u` goes the part ``rate * weight * table[b, u]`` of the way to the
    sample, at most all of it. A distance counts before the step, times its weight.
    """
    # Numbers that shrink towards zero would become so small that processors take a hundred
    # times longer with them; so zero is taken for a number whose square is just normal.
    nearly_zero = X.dtype.type(2 * np.sqrt(np.finfo(X.dtype).tiny))
    replace_small(units, nearly_zero, nearly_zero)
    loss = 0.0
    goal, parts = np.zeros(X.shape[1], X.dtype), np.zeros(len(units), X.dtype)
    n_moved = 0
    for i in order:
        if n_moved == len(units) and not by_product:
            winner = move_all_and_find(X, goal, parts, i, units)
        else:
            winner = move_and_find(X, goal, parts, i, by_product, units)
        loss += weights[i] * squared_distance(X, i, units, winner)
        step, n_moved = rate * weights[i], 0
        for u in range(len(units)):
            parts[u] = min(1.0, step * table[winner, u])
            n_moved += parts[u] > 0
        for j in range(len(goal)):
            goal[j] = X[i, j] + nearly_zero
    move_and_find(X, goal, parts, order[0], by_product, units)
    replace_small(units, 2 * nearly_zero, 0)
    return loss


@compiled
def replace_small(units, limit, value):
    """Write the value wherever a number is below the limit."""
    for u in range(units.shape[0]):
        for j in range(units.shape[1]):
            if abs(units[u, j]) < limit:
                units[u, j] = value


@compiled
def move_and_find(X, goal, parts, i, by_product, units):
    """Move the units their parts of the way to the goal and return the winner for sample i.

    A unit is measured while its numbers are at hand. Of equal units the first wins.
    """
    winner, least = 0, X.dtype.type(np.inf)
    for u in range(len(units)):
        part, score = parts[u], X.dtype.type(0)

        # Move the unit, and measure it while it is at hand: minus the product, or the squared
        # distance.
        if by_product:
            for j in range(X.shape[1]):
                value = units[u, j] + part * (goal[j] - units[u, j])
                units[u, j] = value
                score -= X[i, j] * value
        elif part > 0:
            for j in range(X.shape[1]):
                value = units[u, j] + part * (goal[j] - units[u, j])
                units[u, j] = value
                gap = X[i, j] - value
                score += gap * gap
        else:
            score = squared_distance(X, i, units, u)
        if score < least:
            winner, least = u, score
    return winner


@compiled
def move_all_and_find(X, goal, parts, i, units):
    """Do so where all units move and the nearest wins.

    Four units at once share what they read of goal and sample, which takes a sixth off the time.
    """
    sample, winner, zero, least = X[i], 0, X.dtype.type(0), X.dtype.type(np.inf)
    for k in range(len(units) // 4):
        four, part = units[4 * k : 4 * k + 4], parts[4 * k : 4 * k + 4]
        # Move four units and sum up their squared distances to the sample.
        a, b, c, d = part[0], part[1], part[2], part[3]
        to_a, to_b, to_c, to_d = zero, zero, zero, zero
        for j in range(len(sample)):
            at_a = four[0, j] + a * (goal[j] - four[0, j])
            at_b = four[1, j] + b * (goal[j] - four[1, j])
            at_c = four[2, j] + c * (goal[j] - four[2, j])
            at_d = four[3, j] + d * (goal[j] - four[3, j])
            four[0, j], four[1, j], four[2, j], four[3, j] = at_a, at_b, at_c, at_d
            to_a += (sample[j] - at_a) ** 2
            to_b += (sample[j] - at_b) ** 2
            to_c += (sample[j] - at_c) ** 2
            to_d += (sample[j] - at_d) ** 2

        # The nearest so far; of equal ones the first.
        if to_a < least:
            winner, least = 4 * k, to_a
        if to_b < least:
            winner, least = 4 * k + 1, to_b
        if to_c < least:
            winner, least = 4 * k + 2, to_c
        if to_d < least:
            winner, least = 4 * k + 3, to_d

    # The last ones, fewer than four.
    for u in range(len(units) // 4 * 4, len(units)):
        unit, squared = units[u], zero
        for j in range(len(sample)):
            unit[j] += parts[u] * (goal[j] - unit[j])
            squared += (sample[j] - unit[j]) ** 2
        if squared < least:
            winner, least = u, squared
    return winner


@compiled
def squared_distance(X, i, units, u):
    """Return the squared distance of sample i to unit u."""
    value = X.dtype.type(0)
    for j in range(X.shape[1]):
        gap = X[i, j] - units[u, j]
        value += gap * gap
    return value


@compiled
def som_pass_with_gaps(X, weights, order, rate, table, by_product, units):
    """Do the same where values are missing: they count in no distance and move no unit."""
    loss = 0.0
    for i in order:
        # The winner by the features that the sample has, which alone are moved.
        winner, least = 0, np.inf
        for u in range(len(units)):
            product, squared = observed_part(X, i, units, u)
            score = -product if by_product else squared
            if score < least:
                winner, least = u, score
        loss += weights[i] * observed_part(X, i, units, winner)[1]
        for u in range(len(units)):
            part = X.dtype.type(min(1.0, rate * weights[i] * table[winner, u]))
            for j in range(X.shape[1]):
                if X[i, j] == X[i, j]:
                    units[u, j] += part * (X[i, j] - units[u, j])
    return loss


@compiled
def observed_part(X, i, units, u):
    """Return inner product and squared distance of sample i and unit u where it has values."""
    product, squared = X.dtype.type(0), X.dtype.type(0)
    for j in range(X.shape[1]):
        if X[i, j] == X[i, j]:
            gap = X[i, j] - units[u, j]
            product += X[i, j] * units[u, j]
            squared += gap * gap
    return product, squared


def online_pass(X, weights, order, rate, table, by_product, units, has_gaps):
    """Visit samples of any kind in the given order; sparse ones are filled in block by block."""
    if has_gaps and not issparse(X):
        return som_pass_with_gaps(X, weights, order, rate, table, by_product, units)
    moved, loss = aligned(units), 0.0
    if issparse(X):
        for part in block_slices(len(order), max(1, DENSE_CELLS // X.shape[1])):
            rows = order[part]
            own = X[rows].toarray(), weights[rows], np.arange(len(rows))
            loss += som_pass(*own, rate, table, by_product, moved)
    else:
        loss = som_pass(X, weights, order, rate, table, by_product, moved)
    units[:] = moved
    return loss


def batch_rows(X, weights, rule):
    """Return an object whose `tally` sums up the samples that each unit wins."""
    by_product = rule == "dot"
    if is_stream(X):
        rows = ProductRows(X, None) if by_product else StreamRows(X, allow_nan=True)
        has_gaps = np.isnan(rows.scatter)
        return PartialStream("SelfOrganizingMap", X, by_product) if has_gaps else rows
    if is_partial(X):
        return PartialRows(X, weights, by_product)
    return ProductRows(X, weights) if by_product else DenseRows(X, weights)


def batch_step(rows, units, table):
    """Move each unit to the mean of all samples, weighted by its influence on their winners.

    Returns
    -------
    moved : ndarray of shape (n_units, n_features)
        New places; a unit that no sample reaches stays.
    loss : float
        Mean squared distance of the samples to their winners before the step.
    """
    tally = rows.tally(units)
    by_feature = tally.mass.ndim == 2
    own = tally.mass if by_feature else tally.mass[:, None]
    shifted = units.astype(np.float64) - rows.origin
    squares = (own * shifted**2).sum()
    loss = rows.scatter - 2 * np.einsum("ij,ij->", tally.sums, shifted) + squares
    mass = table.T @ own
    means = rows.origin + (table.T @ tally.sums) / np.where(mass > 0, mass, 1)
    moved = np.where(mass > 0, means, units).astype(units.dtype)
    total = rows.total if by_feature else tally.mass.sum()
    return moved, max(0.0, float(loss)) / total


class ProductRows:
    """Rows whose winner is the unit of the largest inner product, in memory or streamed."""

    def __init__(self, X, weights):
        self.X, self.weights = X, weights
        self.origin = np.zeros(X.shape[1])
        if is_stream(X):
            self.scatter = float(fold(X, _sum_of_squares, np.add, allow_nan=True))
        else:
            self.scatter = float(weights @ np.einsum("ij,ij->i", X, X, dtype=np.float64))

    def tally(self, units):
        """Return the sums of the samples that each unit wins."""

        def accumulate(block, weights=None):
            weights = np.ones(len(block)) if weights is None else weights
            return tally_of(block, weights, self.origin, largest_product(block, units), len(units))

        def merge(left, right):
            return Tally(*map(np.add, left, right))

        if is_stream(self.X):
            return fold(self.X, accumulate, merge)
        parts = map_blocks(
            lambda rows: accumulate(self.X[rows], self.weights[rows]), len(self.X), BLOCK_ROWS
        )
        return Tally(*(np.sum(part, axis=0) for part in zip(*parts, strict=True)))


def _sum_of_squares(block):
    return (block.astype(float) ** 2).sum()


def best_units(X, units, rule):
    """Return the best matching unit of each row; of equally good ones the first."""
    units = units.astype(X.dtype, copy=False)
    if is_partial(X):
        return partial_winners(X, units, rule == "dot")
    return largest_product(X, units) if rule == "dot" else nearest_centers(X, units)


def largest_product(X, units):
    """Return the unit of the largest inner product with each row; of equal ones the first."""
    return (X @ units.T.astype(X.dtype, copy=False)).argmax(axis=1).astype(np.int32)

"""The two ways to train a self-organizing map: sample by sample, or all samples at once."""

from __future__ import annotations

import numpy as np

from shallows._core.compile import compiled
from shallows._core.kmeans import DenseRows, StreamRows
from shallows._core.kmeans.dense import Tally, empty_tally, move_sums
from shallows._core.streams import fold, is_stream
from shallows._core.threads import map_blocks

BLOCK_ROWS = 4096


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
    loss, last = 0.0, order[0]
    parts = np.zeros(len(units), X.dtype)
    for i in order:
        winner = move_and_find(X, last, parts, i, by_product, nearly_zero, units)
        loss += weights[i] * squared_distance(X, i, units, winner)
        step, last = rate * weights[i], i
        for u in range(len(units)):
            parts[u] = min(1.0, step * table[winner, u])
    move_and_find(X, last, parts, last, by_product, nearly_zero, units)
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
def move_and_find(X, last, parts, i, by_product, nearly_zero, units):
    """Move the units to sample `last` and return the winner for sample i, in one go.

    A unit is measured while its numbers are at hand. Of equal units the first wins.
    """
    winner, least = 0, X.dtype.type(np.inf)
    for u in range(len(units)):
        part, score = parts[u], X.dtype.type(0)
        if by_product:
            for j in range(X.shape[1]):
                value = units[u, j] + part * (X[last, j] + nearly_zero - units[u, j])
                units[u, j] = value
                score -= X[i, j] * value
        elif part > 0:
            for j in range(X.shape[1]):
                value = units[u, j] + part * (X[last, j] + nearly_zero - units[u, j])
                units[u, j] = value
                gap = X[i, j] - value
                score += gap * gap
        else:
            score = squared_distance(X, i, units, u)
        if score < least:
            winner, least = u, score
    return winner


@compiled
def squared_distance(X, i, units, u):
    """Return the squared distance of sample i to unit u."""
    value = X.dtype.type(0)
    for j in range(X.shape[1]):
        gap = X[i, j] - units[u, j]
        value += gap * gap
    return value


def batch_rows(X, weights, rule):
    """Return an object whose `tally` sums up the samples that each unit wins."""
    if rule == "dot":
        return ProductRows(X, weights)
    return StreamRows(X) if is_stream(X) else DenseRows(X, weights)


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
    shifted = units.astype(np.float64) - rows.origin
    squares = tally.mass @ np.einsum("ij,ij->i", shifted, shifted)
    loss = rows.scatter - 2 * np.einsum("ij,ij->", tally.sums, shifted) + squares
    mass = table.T @ tally.mass
    reached = mass > 0
    moved = units.copy()
    moved[reached] = rows.origin + (table.T @ tally.sums)[reached] / mass[reached, None]
    return moved, max(0.0, float(loss)) / tally.mass.sum()


class ProductRows:
    """Rows whose winner is the unit of the largest inner product, in memory or streamed."""

    def __init__(self, X, weights):
        self.X, self.weights = X, weights
        self.origin = np.zeros(X.shape[1])
        if is_stream(X):
            self.scatter = float(fold(X, lambda block: (block.astype(float) ** 2).sum(), np.add))
        else:
            self.scatter = float(weights @ np.einsum("ij,ij->i", X, X, dtype=np.float64))

    def tally(self, units):
        """Return the sums of the samples that each unit wins."""

        def accumulate(block, weights=None):
            weights = np.ones(len(block)) if weights is None else weights
            winners, tally = largest_product(block, units), empty_tally(*units.shape)
            nowhere, everywhere = np.full_like(winners, -1), np.arange(len(block))
            move_sums(block, weights, self.origin, everywhere, nowhere, winners, *tally)
            return tally

        def merge(left, right):
            return Tally(*map(np.add, left, right))

        if is_stream(self.X):
            return fold(self.X, accumulate, merge)
        parts = map_blocks(
            lambda rows: accumulate(self.X[rows], self.weights[rows]), len(self.X), BLOCK_ROWS
        )
        return Tally(*(np.sum(part, axis=0) for part in zip(*parts, strict=True)))


def largest_product(X, units):
    """Return the unit of the largest inner product with each row; of equal ones the first."""
    return (X @ units.T.astype(X.dtype, copy=False)).argmax(axis=1).astype(np.int32)

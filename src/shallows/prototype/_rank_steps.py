"""Steps of prototypes by their rank: the nearest moves most, the second nearest less, ..."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled
from shallows._core.numerics.k_nearest import k_nearest
from shallows._core.numerics.streams import fold, is_stream
from shallows._core.numerics.threads import block_slices, map_blocks
from shallows.prototype._unit_grid import anneal, progress_of

BLOCK_ROWS = 4096
SAMPLES_PER_RATE = 256  # how long a pass keeps rate and width
FEW = 64  # so many ranks are found by insertion, more by sorting


def rank_epoch(model, X, weights, order, epoch, table_at):
    """Visit the samples in the given order with an annealed rate; return their mean loss.

    `table_at` returns the influence of the ranks for a progress from 0 to 1.
    """
    weights, total = weights / weights.mean(), 0.0
    for part in block_slices(len(order), SAMPLES_PER_RATE):
        progress = progress_of(epoch + part.start / len(order), model.max_iter)
        rate = anneal(model.learning_rate, model.final_learning_rate, progress, model.schedule)
        table = table_at(progress)
        total += rank_pass(X, weights, order[part], rate, table, model.prototypes_)
    return total / weights.sum()


def rank_influence(width, n_ranks, dtype):
    """Return ``exp(-rank / width)`` for the ranks where it is above rounding, at least one."""
    if width == 0:
        return np.ones(1, dtype=dtype)
    values = np.exp(-np.arange(n_ranks) / width)
    return values[values >= np.finfo(dtype).eps].astype(dtype)


def rank_pass(X, weights, order, rate, table, prototypes):
    """Visit samples one by one and move the prototypes; return the sum of squared distances.

    The prototype of rank k, from 0 for the nearest, goes the part
    ``rate * weight * table[k]`` of the way to the sample, at most all of it. Ranks beyond
    the table stay. A distance counts before the step, times its weight.
    """
    work = pass_of_few_ranks if len(table) <= FEW else pass_of_many_ranks
    return work(X, weights, order, rate, table, prototypes)


@compiled
def pass_of_few_ranks(X, weights, order, rate, table, prototypes):
    """Do so with ranks found by insertion."""
    squared = np.empty(len(prototypes), X.dtype)
    least, ranked = np.empty(len(table), X.dtype), np.zeros(len(table), np.int64)
    last, loss = len(table) - 1, 0.0
    for i in order:
        squares_to(X[i], prototypes, squared)
        # Insertion into a short list: only the first ranks have an influence.
        for r in range(len(table)):
            least[r] = np.inf
        for k in range(len(prototypes)):
            value = squared[k]
            if value < least[last]:
                place = last
                while place > 0 and value < least[place - 1]:
                    least[place], ranked[place] = least[place - 1], ranked[place - 1]
                    place -= 1
                least[place], ranked[place] = value, k
        loss += weights[i] * squared[ranked[0]]
        move_ranked(X[i], rate * weights[i], table, ranked, prototypes)
    return loss


@compiled
def pass_of_many_ranks(X, weights, order, rate, table, prototypes):
    """Do so with ranks found by sorting."""
    squared, loss = np.empty(len(prototypes), X.dtype), 0.0
    for i in order:
        squares_to(X[i], prototypes, squared)
        ranked = np.argsort(squared, kind="mergesort")
        loss += weights[i] * squared[ranked[0]]
        move_ranked(X[i], rate * weights[i], table, ranked, prototypes)
    return loss


@compiled
def squares_to(row, prototypes, squared):
    """Write the squared distances of a sample to the prototypes."""
    for k in range(len(prototypes)):
        value = row.dtype.type(0)
        for j in range(len(row)):
            gap = row[j] - prototypes[k, j]
            value += gap * gap
        squared[k] = value


@compiled
def move_ranked(row, step, table, ranked, prototypes):
    """Move the prototypes of the ranks in the table towards a sample."""
    one, zero = row.dtype.type(1), row.dtype.type(0)
    tiny = row.dtype.type(np.sqrt(np.finfo(row.dtype).tiny))
    for r in range(len(table)):
        part, k = min(one, row.dtype.type(step) * table[r]), ranked[r]
        for j in range(len(row)):
            value = prototypes[k, j] + part * (row[j] - prototypes[k, j])
            # its square would underflow, which takes processors a hundred times longer
            prototypes[k, j] = value if abs(value) > tiny else zero


def rank_step(X, weights, prototypes, table):
    """Move each prototype to the mean of all samples, weighted by its rank for each.

    Parameters
    ----------
    X : ndarray, memory-mapped or Dask array of shape (n_samples, n_features)
        Samples.
    weights : ndarray of shape (n_samples,) or None
        Their weights; None for streams.
    prototypes : ndarray of shape (n_prototypes, n_features)
        Places before the step.
    table : ndarray of shape (n_ranks,)
        Influence of each rank; ranks beyond it have none.

    Returns
    -------
    moved : ndarray of shape (n_prototypes, n_features)
        Places after it; a prototype of no influence stays.
    loss : float
        Mean squared distance of the samples to the nearest prototype before the step.
    """
    origin = prototypes.mean(axis=0, dtype=np.float64)

    def accumulate(block, block_weights=None):
        block_weights = np.ones(len(block)) if block_weights is None else block_weights
        ranked, squared = k_nearest(block, prototypes.astype(block.dtype), len(table))
        shares = np.zeros((len(block), len(prototypes)))
        np.put_along_axis(shares, ranked, table[: ranked.shape[1]] * block_weights[:, None], 1)
        loss = block_weights @ squared[:, 0].astype(np.float64)
        return shares.T @ (block - origin), shares.sum(axis=0), loss, block_weights.sum()

    def merge(left, right):
        return tuple(a + b for a, b in zip(left, right, strict=True))

    if is_stream(X):
        sums, mass, loss, total = fold(X, accumulate, merge)
    else:
        parts = map_blocks(lambda rows: accumulate(X[rows], weights[rows]), len(X), BLOCK_ROWS)
        sums, mass, loss, total = (sum(part) for part in zip(*parts, strict=True))

    # A prototype without influence stays.
    moved, used = prototypes.copy(), mass > 0
    moved[used] = origin + sums[used] / mass[used, None]
    return moved, float(loss / total)

"""Clusters that are cut in two: samples, mean and sum of squares, dense or sparse."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from shallows._core.contract.rng import as_generator
from shallows._core.numerics.compile import read_only
from shallows._core.numerics.csr import CsrRows
from shallows._core.numerics.krylov import leading_eigenpairs
from shallows._core.numerics.linalg import mean_and_covariance
from shallows._core.numerics.threads import map_blocks
from shallows.cluster._centers import distances_to
from shallows.cluster._halving import Moments, moments, sparse_moments, sparse_two_means, two_means

SOON_DONE = 2**15  # numbers: k-means on fewer is sooner done than handed to a thread


class Part(NamedTuple):
    """Some samples with their weights and row numbers; `cost` is 0.0 where all are equal."""

    X: Any
    weights: np.ndarray
    rows: np.ndarray
    mass: float
    mean: np.ndarray
    cost: float


def whole(X, weights):
    """Return all samples as one part."""
    if issparse(X):  # so that equal rows look the same
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    return _part(X, weights, np.arange(X.shape[0]))


def halves(part, split, n_init, rng):
    """Cut a part with unequal samples in two, neither of them empty."""
    if split == "principal":
        right = _heights(part) > 0
    else:
        right = _best_halving(part, rng.random((n_init, 2)))
    if right.all() or not right.any():  # means of nearly equal samples round to one of them
        far = distances_to(part.X, part.mean[None])[:, 0].argmax()
        right = np.arange(len(right)) == far
    sides = np.flatnonzero(~right), np.flatnonzero(right)
    return [_part(part.X[side], part.weights[side], part.rows[side]) for side in sides]


def _part(X, weights, rows):
    if not issparse(X):
        X = read_only(X)
        return Part(X, weights, rows, *moments(X, weights))
    mass, mean, cost = sparse_moments(CsrRows.of(X), X.shape[1], weights)
    return Part(X, weights, rows, mass, mean, 0.0 if _all_equal(X) else cost)


def _all_equal(X):
    """Tell whether all rows of a sparse matrix are equal."""
    sizes, n = np.diff(X.indptr), X.shape[0]
    if (sizes != sizes[0]).any():
        return False
    columns, values = X.indices.reshape(n, -1), X.data.reshape(n, -1)
    return bool((columns == columns[0]).all() and (values == values[0]).all())


def _best_halving(part, starts):
    """Run k-means with two centres from each start; return the right side of the best."""
    known = Moments(part.mass, part.mean, part.cost)
    sparse = issparse(part.X)
    rows, run_from = (CsrRows.of(part.X), sparse_two_means) if sparse else (part.X, two_means)

    def run(number):
        right = np.zeros(len(part.rows), bool)
        return run_from(rows, part.weights, known, starts[number], right), right

    if part.X.size < SOON_DONE:
        runs = [run(number) for number in range(len(starts))]
    else:
        runs = map_blocks(lambda one: run(one.start), len(starts), 1)
    return min(runs, key=lambda found: found[0])[1]


def _heights(part):
    """Return how far each sample lies from the mean, along the direction of largest variance."""
    if not issparse(part.X):
        mean, covariance = mean_and_covariance(part.X, ddof=0, sample_weight=part.weights)
        return (part.X - mean) @ np.linalg.eigh(covariance)[1][:, -1]
    X, shares, mean = part.X, part.weights / part.mass, part.mean
    direction = leading_eigenpairs(
        lambda block: X.T @ (shares[:, None] * (X @ block)) - np.outer(mean, mean @ block),
        X.shape[1],
        1,
        as_generator(0),
        max_products=40,
        tol=1e-10,
    )[1][:, 0]
    return X @ direction - mean @ direction

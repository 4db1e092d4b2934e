"""Stochastic descent of the GMLVQ cost: the steps of prototypes and matrices."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled


@compiled
def gmlvq_epoch(
    X, y, weights, order, prototypes, labels, omegas, groups, gamma, step, omega_step, penalty
):
    """Visit samples in `order`, move prototypes and omegas in place, return the mean cost.

    `omegas` has shape (n_matrices, rank, n_features), `groups` tells the matrix of each
    prototype, `gamma` 0 stands for the identity as cost function.
    """
    n_prototypes, n_features = prototypes.shape
    rank = omegas.shape[1]
    gaps = np.empty((n_prototypes, n_features), dtype=X.dtype)
    projected = np.empty((n_prototypes, rank), dtype=X.dtype)
    total = 0.0
    for i in order:
        d_same, d_other, same, other = np.inf, np.inf, 0, 0
        for k in range(n_prototypes):
            for j in range(n_features):
                gap = X[i, j] - prototypes[k, j]
                gaps[k, j] = gap if gap == gap else 0.0
            d = project(omegas[groups[k]], gaps[k], projected[k])
            if labels[k] == y[i]:
                if d < d_same:
                    d_same, same = d, k
            elif d < d_other:
                d_other, other = d, k
        norm = d_same + d_other
        cost = (d_same - d_other) / norm if norm != 0.0 else 0.0
        slope = 1.0
        if gamma > 0.0:
            cost = 1.0 / (1.0 + np.exp(-gamma * cost))
            slope = gamma * cost * (1.0 - cost)
        total += weights[i] * cost
        if norm == 0.0:  # the sample lies on both prototypes
            continue
        scale = weights[i] * slope * 4.0 / norm
        moves = ((same, scale * (d_other / norm)), (other, -scale * (d_same / norm)))
        for k, amount in moves:
            for r in range(rank):
                pull = step * amount * projected[k, r]
                for j in range(n_features):
                    if X[i, j] == X[i, j]:
                        prototypes[k, j] += pull * omegas[groups[k], r, j]
        for k, amount in moves:
            for r in range(rank):
                pull = omega_step * amount * projected[k, r]
                for j in range(n_features):
                    omegas[groups[k], r, j] -= pull * gaps[k, j]
        for k, _ in moves:
            spread_and_normalise(omegas[groups[k]], weights[i] * omega_step * penalty)
    return total / weights.sum()


@compiled
def project(omega, gap, projected):
    """Write the product of omega and gap to `projected`, return its squared length."""
    total = 0.0
    for r in range(omega.shape[0]):
        value = 0.0
        for j in range(omega.shape[1]):
            value += omega[r, j] * gap[j]
        projected[r] = value
        total += value * value
    return total


@compiled
def spread_and_normalise(omega, amount):
    """Step down the log-determinant penalty, then give omega unit norm, in place."""
    if amount > 0.0:
        add_inverse(omega, amount)
    norm = 0.0
    for r in range(omega.shape[0]):
        for j in range(omega.shape[1]):
            norm += omega[r, j] ** 2
    norm = np.sqrt(norm)
    for r in range(omega.shape[0]):
        for j in range(omega.shape[1]):
            omega[r, j] /= norm


@compiled
def add_inverse(omega, amount):
    """Add `amount` times the solution Z of (omega omega') Z = omega, by Cholesky factors.

    LAPACK would do the same, and take numba ten seconds to compile.
    """
    rank, n_features = omega.shape
    factor = np.zeros((rank, rank))
    for r in range(rank):
        for s in range(r + 1):
            value = 0.0
            for j in range(n_features):
                value += omega[r, j] * omega[s, j]
            for t in range(s):
                value -= factor[r, t] * factor[s, t]
            factor[r, s] = np.sqrt(value) if r == s else value / factor[s, s]
    solution = np.empty(rank)
    for j in range(n_features):
        for r in range(rank):
            value = omega[r, j] * 1.0
            for t in range(r):
                value -= factor[r, t] * solution[t]
            solution[r] = value / factor[r, r]
        for r in range(rank - 1, -1, -1):
            value = solution[r]
            for t in range(r + 1, rank):
                value -= factor[t, r] * solution[t]
            solution[r] = value / factor[r, r]
        for r in range(rank):
            omega[r, j] += amount * solution[r]

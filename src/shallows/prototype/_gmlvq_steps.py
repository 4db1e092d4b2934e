"""Stochastic descent of the GMLVQ cost: the steps of prototypes and matrices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.numerics.compile import compiled
from shallows.prototype._glvq import Pull
from shallows.prototype._start import Array


class Place(NamedTuple):
    """Prototypes, and matrices omega of shape (n_matrices, rank, n_features)."""

    prototypes: Array
    omegas: Array


class Owners(NamedTuple):
    """The class of each prototype, and the index of its matrix."""

    labels: Array
    groups: Array


class Rates(NamedTuple):
    """Step sizes of prototypes and matrices, and the strength of the penalty."""

    step: float
    omega_step: float
    penalty: float


class Buffers(NamedTuple):
    """For each prototype x - w and omega (x - w), of the sample that is visited."""

    gaps: Array
    projected: Array


@compiled
def gmlvq_epoch(samples, order, place, owners, gamma, rates):
    """Visit samples in `order`, move prototypes and omegas in place, return the mean cost.

    `gamma` 0 means the identity as cost function.
    """
    X, y, weights = samples
    n_prototypes, n_features = place.prototypes.shape
    gaps = np.empty((n_prototypes, n_features), dtype=X.dtype)
    near = Buffers(gaps, np.empty((n_prototypes, place.omegas.shape[1]), dtype=X.dtype))
    total = 0.0
    for i in order:
        pull = pull_of(X[i], y[i], place, owners, gamma, near)
        total += weights[i] * pull.cost

        # d = |omega (x - w)|^2 has the slopes -2 omega' omega (x - w) by w and
        # 2 omega (x - w) (x - w)' by omega, the halves of which `pull` multiplies.
        amounts = weights[i] * pull.attraction, -weights[i] * pull.repulsion
        moves = (pull.same, amounts[0]), (pull.other, amounts[1])
        for k, amount in moves:
            move_prototype(X[i], place, k, owners.groups[k], rates.step * amount, near)
        for k, amount in moves:
            move_matrix(place.omegas[owners.groups[k]], k, rates.omega_step * amount, near)
        for k, _ in moves:
            shrink = weights[i] * rates.omega_step * rates.penalty
            spread_and_normalise(place.omegas[owners.groups[k]], shrink)
    return total / weights.sum()


@compiled
def pull_of(x, label, place, owners, gamma, near):
    """Return which prototypes a sample attracts and repels, how strongly, and its cost.

    Writes the gaps and projections of all prototypes to `near`.
    """
    # The nearest prototype of the right class and the nearest of any other.
    d_same, d_other, same, other = np.inf, np.inf, 0, 0
    for k in range(place.prototypes.shape[0]):
        for j in range(x.shape[0]):
            gap = x[j] - place.prototypes[k, j]
            near.gaps[k, j] = gap if gap == gap else 0.0
        d = project(place.omegas[owners.groups[k]], near.gaps[k], near.projected[k])
        if owners.labels[k] == label:
            if d < d_same:
                d_same, same = d, k
        elif d < d_other:
            d_other, other = d, k
    norm = d_same + d_other

    # The cost Phi(e) with e = (d_J - d_K) / (d_J + d_K), and its slope Phi'(e).
    cost = (d_same - d_other) / norm if norm != 0.0 else 0.0
    slope = 1.0
    if gamma > 0.0:
        cost = 1.0 / (1.0 + np.exp(-gamma * cost))
        slope = gamma * cost * (1.0 - cost)
    if norm == 0.0:  # the sample lies on both prototypes and moves neither
        return Pull(same, other, 0.0, 0.0, cost)

    # de/dd_J = 2 d_K / (d_J + d_K)^2 and de/dd_K = -2 d_J / (d_J + d_K)^2, twice.
    scale = 4.0 * slope / norm
    return Pull(same, other, scale * (d_other / norm), scale * (d_same / norm), cost)


@compiled
def move_prototype(x, place, k, group, amount, near):
    """Add `amount` times omega' omega (x - w) to prototype k, but not where x is missing."""
    for r in range(place.omegas.shape[1]):
        pull = amount * near.projected[k, r]
        for j in range(x.shape[0]):
            if x[j] == x[j]:
                place.prototypes[k, j] += pull * place.omegas[group, r, j]


@compiled
def move_matrix(omega, k, amount, near):
    """Subtract `amount` times the outer product of the projection and gap of prototype k."""
    for r in range(omega.shape[0]):
        pull = amount * near.projected[k, r]
        for j in range(omega.shape[1]):
            omega[r, j] -= pull * near.gaps[k, j]


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

    # The Cholesky factor L of omega omega'.
    factor = np.zeros((rank, rank))
    for r in range(rank):
        for s in range(r + 1):
            value = 0.0
            for j in range(n_features):
                value += omega[r, j] * omega[s, j]
            for t in range(s):
                value -= factor[r, t] * factor[s, t]
            factor[r, s] = np.sqrt(value) if r == s else value / factor[s, s]

    # For each column of omega: L u = column, then L' z = u.
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

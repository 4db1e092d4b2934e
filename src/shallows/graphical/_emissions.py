"""Emissions of a hidden Markov model: Gaussian numbers, or symbols.

Both kinds have `logs(values)`, the log density of each step in each state, and `update(values,
shares)`, which returns the maximum-likelihood emission. A NaN is missing: it carries no
information on the state, and its moments are those expected under the old parameters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular

from shallows._core.numerics.compile import compiled

LEAST_MASS = 1e-10


class Diagonal(NamedTuple):
    """Gaussians with independent features: means and variances of shape (states, features)."""

    means: np.ndarray
    covariances: np.ndarray
    floor: float

    def logs(self, values):
        scales = 1 / np.sqrt(self.covariances)
        found = np.empty((len(values), len(self.means)))
        diagonal_logs(values, self.means, scales, np.log(scales) - 0.5 * np.log(2 * np.pi), found)
        return found

    def update(self, values, shares):
        first, second = np.zeros(self.means.shape), np.zeros(self.means.shape)
        diagonal_moments(values, shares, self.means, self.covariances, first, second)
        mass = shares.sum(axis=0)[:, None]
        step, square = first / np.maximum(mass, LEAST_MASS), second / np.maximum(mass, LEAST_MASS)
        fresh = np.maximum(square - step**2, self.floor)
        covariances = np.where(mass > LEAST_MASS, fresh, self.covariances)
        return Diagonal(self.means + step, covariances, self.floor)

    def draw(self, states, rng):
        noise = rng.standard_normal((len(states), self.means.shape[1]))
        return self.means[states] + noise * np.sqrt(self.covariances)[states]


class Full(NamedTuple):
    """Gaussians with covariances of shape (states, features, features)."""

    means: np.ndarray
    covariances: np.ndarray
    floor: float

    def logs(self, values):
        found = np.zeros((len(values), len(self.means)))
        for rows, seen in _patterns(values):
            if seen.any():
                for state, (mean, factor) in enumerate(self._parts(seen)):
                    white = solve_triangular(
                        factor, (values[rows][:, seen] - mean).T, lower=True, check_finite=False
                    )
                    constant = np.log(np.diag(factor)).sum() + 0.5 * seen.sum() * np.log(2 * np.pi)
                    found[rows, state] = -0.5 * np.einsum("ij,ij->j", white, white) - constant
        return found

    def update(self, values, shares):
        mass, n_features = shares.sum(axis=0), self.means.shape[1]
        first, second = np.zeros(self.means.shape), np.zeros(self.covariances.shape)
        for rows, seen in _patterns(values):
            for state in range(len(mass)):
                share = shares[rows, state]
                apart, rest = self._expect(values[rows], seen, state)
                first[state] += share @ apart
                second[state] += (apart * share[:, None]).T @ apart + share.sum() * rest
        used = mass > LEAST_MASS
        divisor = np.where(used, mass, 1.0)
        step = np.where(used[:, None], first / divisor[:, None], 0.0)
        fresh = second / divisor[:, None, None] - step[:, :, None] * step[:, None, :]
        fresh = np.where(used[:, None, None], fresh, self.covariances)
        values, vectors = np.linalg.eigh((fresh + fresh.swapaxes(1, 2)) / 2)
        if values.min() < self.floor:  # most likely covariance with no variance below the floor
            values = np.maximum(values, self.floor)
            fresh = (vectors * values[:, None, :]) @ vectors.swapaxes(1, 2)
        return Full(self.means + step, fresh.reshape(-1, n_features, n_features), self.floor)

    def draw(self, states, rng):
        noise = rng.standard_normal((len(states), self.means.shape[1]))
        factors = np.linalg.cholesky(self.covariances)
        return self.means[states] + np.einsum("nij,nj->ni", factors[states], noise)

    def _parts(self, seen):
        for mean, covariance in zip(self.means, self.covariances, strict=True):
            yield (
                mean[seen],
                cholesky(covariance[np.ix_(seen, seen)], lower=True, check_finite=False),
            )

    def _expect(self, values, seen, state):
        """Return expected differences from the mean, and the covariance of missing features."""
        mean, covariance = self.means[state], self.covariances[state]
        rest = np.zeros(covariance.shape)
        if seen.all():
            return values - mean, rest
        apart, gone = np.zeros(values.shape), ~seen
        rest[np.ix_(gone, gone)] = covariance[np.ix_(gone, gone)]
        if seen.any():
            apart[:, seen] = values[:, seen] - mean[seen]
            factor = cholesky(covariance[np.ix_(seen, seen)], lower=True, check_finite=False)
            # Regression of the missing features on the seen ones.
            slope = cho_solve((factor, True), covariance[np.ix_(seen, gone)])
            apart[:, gone] = apart[:, seen] @ slope
            rest[np.ix_(gone, gone)] -= covariance[np.ix_(gone, seen)] @ slope
        return apart, rest


class Categorical(NamedTuple):
    """Symbols 0, 1, 2 ... with probabilities of shape (states, symbols)."""

    probabilities: np.ndarray
    alpha: float

    def logs(self, values):
        with np.errstate(divide="ignore"):
            table = np.log(self.probabilities.T)
        codes, missing = _codes(values)
        return np.where(missing[:, None], 0.0, table[codes])

    def update(self, values, shares):
        n_symbols = self.probabilities.shape[1]
        codes, missing = _codes(values)
        counts = np.array(
            [np.bincount(codes[~missing], part[~missing], n_symbols) for part in shares.T]
        )
        lost = shares[missing].sum(axis=0)[:, None] * self.probabilities
        counts = counts + lost + self.alpha
        total = counts.sum(axis=1, keepdims=True)
        fresh = counts / np.where(total > 0, total, 1.0)
        return Categorical(np.where(total > 0, fresh, self.probabilities), self.alpha)

    def draw(self, states, rng):
        limits = self.probabilities.cumsum(axis=1)[states]
        points = rng.random((len(states), 1)) * limits[:, -1:]
        return (points >= limits[:, :-1]).sum(axis=1)[:, None].astype(np.float64)


def _codes(values):
    missing = np.isnan(values[:, 0])
    return np.where(missing, 0, values[:, 0]).astype(np.intp), missing


def _patterns(values):
    """Return groups of rows with the same features missing, and the features they have."""
    gone = np.isnan(values)
    if not gone.any():
        return [(slice(None), np.ones(values.shape[1], dtype=bool))]
    kinds, which = np.unique(gone, axis=0, return_inverse=True)
    which = which.reshape(-1)
    return [(np.flatnonzero(which == kind), ~lost) for kind, lost in enumerate(kinds)]


@compiled
def diagonal_logs(values, means, scales, constants, logs):
    """Write the log densities of the features that are not NaN to `logs`."""
    for t in range(values.shape[0]):
        for k in range(means.shape[0]):
            total = 0.0
            for j in range(values.shape[1]):
                z = (values[t, j] - means[k, j]) * scales[k, j]
                if z == z:
                    total += constants[k, j] - 0.5 * z * z
            logs[t, k] = total


@compiled
def diagonal_moments(values, shares, means, variances, first, second):
    """Add up expected differences to the means and their squares, by the shares."""
    for t in range(values.shape[0]):
        for k in range(means.shape[0]):
            share = shares[t, k]
            for j in range(values.shape[1]):
                apart = values[t, j] - means[k, j]
                if apart == apart:
                    # A missing value: expected difference 0, expected square the variance.
                    first[k, j] += share * apart
                    second[k, j] += share * apart * apart
                else:
                    second[k, j] += share * variances[k, j]

"""Distances under relevance matrices, and the GLVQ cost in them, on BLAS."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from shallows._core.numerics.distances import squared_distances
from shallows._core.numerics.threads import map_blocks
from shallows.prototype._gmlvq_steps import Owners, Place, Rates, gmlvq_epoch


def matrix_distances(X, prototypes, omegas, groups):
    """Return the squared length of ``omega (x - w)`` for each row of X and each prototype.

    `groups` tells the matrix of each prototype. Missing values are left out.
    """
    observed = ~np.isnan(X)
    found = np.empty((len(X), len(prototypes)), dtype=X.dtype)
    if observed.all():
        for group, omega in enumerate(omegas):
            own = groups == group
            found[:, own] = squared_distances(X @ omega.T, prototypes[own] @ omega.T)
        return found
    filled = np.where(observed, X, X.dtype.type(0))
    for k, prototype in enumerate(prototypes):
        projected = (filled - observed * prototype) @ omegas[groups[k]].T
        found[:, k] = np.einsum("ij,ij->i", projected, projected)
    return found


class GMLVQCost(NamedTuple):
    """The mean of Phi(e) over samples, as a function of prototypes and matrices, with a penalty.

    Parameters
    ----------
    owners : Owners
        Class and matrix of each prototype.
    shape : tuple of int
        Number of matrices, rows and columns of each.
    gamma : float
        Steepness of Phi, 0 for the identity.
    scale : float
        Total variance of the data: prototypes are divided by its root in a vector.
    penalty : float
        Strength a of -a/2 ln det(omega omega').
    pace, relevance_rate : float
        Factors of the rate of an epoch, for all and for matrices.
    """

    owners: Owners
    shape: tuple[int, int, int]
    gamma: float
    scale: float
    penalty: float
    pace: float
    relevance_rate: float

    def epoch(self, place, samples, order, rate):
        """Return the place after visits of the samples in `order`, and the mean cost."""
        rate, moved = rate * self.pace, Place(*map(np.copy, place))
        rates = Rates(
            float(rate * self.scale),
            float(rate * self.relevance_rate / samples.X.shape[1]),
            float(self.penalty),
        )
        return moved, gmlvq_epoch(samples, order, moved, self.owners, self.gamma, rates)

    def value_and_gradient(self, vector, samples):
        """Return the mean cost and its derivative by the vector of a place.

        Each matrix is divided by its norm before use, so the gradient has no part along it.
        """
        X, y, weights = samples
        unit, shares = np.sqrt(self.scale), weights / weights.sum()
        prototypes, raw = self._split(vector)
        norms = np.linalg.norm(raw, axis=(1, 2), keepdims=True)
        # The vector has prototypes without unit, and matrices that are scaled to Frobenius norm 1.
        place = Place(X.dtype.type(unit) * prototypes, raw / norms)
        labels, groups = self.owners

        def block(rows):
            distances = matrix_distances(X[rows], *place, groups)
            value, slopes = relative_cost(distances, y[rows], labels, shares[rows], self.gamma)
            return value, *_forces(X[rows], slopes, place, groups)

        parts = map_blocks(block, len(X))
        value, for_prototypes, for_omegas = (sum(part) for part in zip(*parts, strict=True))

        # Reward of a large determinant, which keeps the matrix from losing rank.
        if self.penalty:
            penalty, spread = _log_determinants(place.omegas)
            value += self.penalty * penalty
            for_omegas += self.penalty * spread

        # The norm is fixed: only the gradient orthogonal to the matrix counts.
        along = (for_omegas * place.omegas).sum(axis=(1, 2), keepdims=True)
        for_omegas = (for_omegas - along * place.omegas) / norms
        return value, np.append(unit * for_prototypes, for_omegas)

    def vector_of(self, place):
        """Return a place as a vector without unit."""
        parts = place.prototypes / np.sqrt(self.scale), place.omegas
        return np.concatenate([part.ravel() for part in parts]).astype(place.omegas.dtype)

    def place_at(self, vector):
        """Return the place of a vector."""
        prototypes, omegas = self._split(vector)
        omegas = omegas / np.linalg.norm(omegas, axis=(1, 2), keepdims=True)
        kind = vector.dtype
        return Place((np.sqrt(self.scale) * prototypes).astype(kind), omegas.astype(kind))

    def aligned(self, vector, towards):
        """Rotate each matrix, which changes no distance, to be as near as can be to another."""
        prototypes, omegas = self._split(vector)
        _, others = self._split(towards)
        left, _, right = np.linalg.svd(others @ omegas.transpose(0, 2, 1))
        return np.concatenate([prototypes.ravel(), (left @ right @ omegas).ravel()])

    def _split(self, vector):
        cut = len(self.owners.labels) * self.shape[2]
        return vector[:cut].reshape(-1, self.shape[2]), vector[cut:].reshape(self.shape)


def _forces(X, slopes, place, groups):
    """Return the gradients by prototypes and matrices, given those by the distances."""
    prototypes, omegas = place
    observed = ~np.isnan(X)
    complete = bool(observed.all())
    for_prototypes, for_omegas = np.zeros(prototypes.shape), np.zeros(omegas.shape)
    for k, omega in enumerate(omegas[groups]):
        rows = np.flatnonzero(slopes[:, k])
        gaps = X[rows] - prototypes[k]
        if not complete:
            gaps[~observed[rows]] = 0
        # d = |Omega (x - w)|^2: dd/dOmega = 2 Omega (x - w)(x - w)', dd/dw = -2 Omega' Omega (x -
        # w).
        pulls = slopes[rows, k, None].astype(X.dtype) * (gaps @ omega.T)
        for_omegas[groups[k]] += 2 * pulls.T @ gaps
        if complete:
            for_prototypes[k] = -2 * pulls.sum(axis=0) @ omega
        else:
            for_prototypes[k] = -2 * (observed[rows] * (pulls @ omega)).sum(axis=0)
    return for_prototypes, for_omegas


def relative_cost(distances, y, labels, shares, gamma):
    """Return the mean cost and its derivative by each distance.

    Parameters
    ----------
    distances : ndarray of shape (n_samples, n_prototypes)
        Squared distances.
    y, labels : ndarray
        Class of each sample and of each prototype.
    shares : ndarray of shape (n_samples,)
        Weights with sum 1.
    gamma : float
        Steepness of the cost; 0 means the identity.

    Returns
    -------
    value : float
        Mean cost.
    slopes : ndarray of shape (n_samples, n_prototypes)
        Two values per row are not zero: at the nearest prototype of its class and at the
        nearest of the others. A sample that lies on both has no slope, and the cost of a
        sample between them.
    """
    rows = np.arange(len(y))
    own = labels == y[:, None]
    same = np.where(own, distances, np.inf).argmin(axis=1)
    other = np.where(own, np.inf, distances).argmin(axis=1)
    d_same = distances[rows, same].astype(np.float64)
    d_other = distances[rows, other].astype(np.float64)
    norm = d_same + d_other
    known = norm > np.finfo(distances.dtype).tiny  # else the sample lies on both prototypes
    norm = np.where(known, norm, 1.0)
    costs, steep = known * (d_same - d_other) / norm, shares * known
    if gamma:
        costs = expit(gamma * costs)
        steep = steep * gamma * costs * (1 - costs)
    slopes = np.zeros(distances.shape)
    slopes[rows, same] = steep * 2 * (d_other / norm) / norm
    slopes[rows, other] = -steep * 2 * (d_same / norm) / norm
    return float(shares @ costs), slopes


def _log_determinants(omegas):
    """Return half the summed ``-ln det(omega omega')``, and its gradient."""
    grams = omegas @ omegas.transpose(0, 2, 1)
    return -np.linalg.slogdet(grams)[1].sum() / 2, -np.linalg.solve(grams, omegas)

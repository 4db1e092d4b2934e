"""Distances under relevance matrices, and the GLVQ cost in them, on BLAS."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from shallows._core.numerics.distances import squared_distances
from shallows._core.numerics.threads import map_blocks
from shallows.prototype._descent import steepness


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


def matrix_cost(model, X, y, weights):
    """Return the mean cost and its gradient as a function of prototypes and matrices.

    Each matrix is divided by its norm before use, so the gradient has no part along it.
    """
    groups, strength, shape = model._groups, model.regularization, model.prototypes_.shape
    unit, shares = np.sqrt(model._scale), weights / weights.sum()

    def cost(vector):
        prototypes = X.dtype.type(unit) * vector[: np.prod(shape)].reshape(shape)
        raw = vector[np.prod(shape) :].reshape(model._omegas.shape)
        norms = np.linalg.norm(raw, axis=(1, 2), keepdims=True)
        omegas = raw / norms

        def block(rows):
            distances = matrix_distances(X[rows], prototypes, omegas, groups)
            value, slopes = relative_cost(
                distances, y[rows], model.prototype_labels_, shares[rows], steepness(model)
            )
            return value, *_forces(X[rows], slopes, prototypes, omegas, groups)

        parts = map_blocks(block, len(X))
        value, for_prototypes, for_omegas = (sum(part) for part in zip(*parts, strict=True))
        if strength:
            penalty, spread = _log_determinants(omegas)
            value += strength * penalty
            for_omegas += strength * spread
        along = (for_omegas * omegas).sum(axis=(1, 2), keepdims=True)
        for_omegas = (for_omegas - along * omegas) / norms
        return value, np.append(unit * for_prototypes, for_omegas)

    return cost


def _forces(X, slopes, prototypes, omegas, groups):
    """Return the gradients by prototypes and matrices, given those by the distances."""
    observed = ~np.isnan(X)
    complete = bool(observed.all())
    for_prototypes, for_omegas = np.zeros(prototypes.shape), np.zeros(omegas.shape)
    for k, omega in enumerate(omegas[groups]):
        rows = np.flatnonzero(slopes[:, k])
        gaps = X[rows] - prototypes[k]
        if not complete:
            gaps[~observed[rows]] = 0
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
        Steepness of the cost; 0 stands for the identity.

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

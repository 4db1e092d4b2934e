"""The stress of an embedding, its gradient, and where it is least for new samples."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import map_blocks
from shallows.reduce._scaling import new_distances

BLOCK_PAIRS = 2**18  # fewer are sooner done than handed to a thread
NEW_ROWS = 256
SETTLE_STEPS, SETTLE_TOL = 300, 1e-6
TINY = 1e-300


def stress_and_gradient(distances, coordinates, *, sammon=False):
    """Return the sum over pairs of w (delta - d)^2 and its gradient.

    The weight w is 1, or 1 / delta for Sammon's stress.

    Parameters
    ----------
    distances : ndarray of shape (n_samples, n_samples)
        What the distances delta should be.
    coordinates : ndarray of shape (n_components, n_samples)
        Embedding, with one row per dimension.
    sammon : bool
        Whether to weigh pairs by 1 / delta.
    """
    gradient = np.empty_like(coordinates)

    def block(rows):
        return stress_rows(distances, coordinates, rows.start, rows.stop, sammon, gradient)

    n = coordinates.shape[1]
    return sum(map_blocks(block, n, max(64, BLOCK_PAIRS // n))) / 2, gradient


def place_by_stress(X, X_fit, metric, fixed, *, sammon=False, curve=None):
    """Return where new samples have least stress, with the training samples held fixed.

    Distances are first changed by the curve through the corners, where one is given.
    """
    placed = np.empty((len(X), fixed.shape[1]))

    def block(rows):
        distances = new_distances(X[rows], X_fit, metric)
        if curve is not None:
            distances = np.interp(distances, *curve)
        # Between the nearest few, never exactly upon one.
        near = np.argsort(distances, axis=1, kind="stable")[:, :3]
        start = fixed[near].mean(axis=1)
        settle_rows(distances, fixed, start, sammon, SETTLE_STEPS, SETTLE_TOL)
        placed[rows] = start

    map_blocks(block, len(X), NEW_ROWS)
    return placed


@compiled
def stress_rows(distances, coordinates, first, last, sammon, gradient):
    """Write the gradient of rows first..last; return their part of twice the stress."""
    n_dims, n = coordinates.shape
    pull = np.empty(n)
    total = 0.0
    for i in range(first, last):
        # Squared distances in the embedding, dimension by dimension.
        pull[:] = 0.0
        for m in range(n_dims):
            here = coordinates[m, i]
            for j in range(n):
                gap = here - coordinates[m, j]
                pull[j] += gap * gap
        # Each pair contributes weight (wanted - length)^2; its gradient is a spring along the
        # line.
        weight_sum = 0.0
        for j in range(n):
            length = np.sqrt(pull[j])
            wanted = distances[i, j]
            missing = wanted - length
            weight = 1.0
            if sammon:
                weight = 1.0 / wanted if wanted > 0.0 else 0.0
            total += weight * missing * missing
            strength = -weight * missing / max(length, TINY)
            strength = strength if length > 0.0 else 0.0
            pull[j] = strength
            weight_sum += strength
        # sum_j s_ij (y_i - y_j) from the sum of the strengths and one product.
        for m in range(n_dims):
            inner = 0.0
            for j in range(n):
                inner += pull[j] * coordinates[m, j]
            gradient[m, i] = 2.0 * (weight_sum * coordinates[m, i] - inner)
    return total


@compiled
def settle_rows(distances, coordinates, placed, sammon, steps, tol):
    """Move each row of `placed` in place to least stress against fixed coordinates.

    Each step moves a point to the weighted mean of where the fixed points would have it, which
    never raises the stress; the weights are those of `stress_rows`. Distances have shape
    (n_new, n), coordinates (n, m), placed (n_new, m).
    """
    n, n_dims = coordinates.shape
    mean = np.empty(n_dims)
    for row in range(placed.shape[0]):
        for _ in range(steps):
            # Guttman transform of one point: each fixed point wants it at distance delta on the
            # present line.
            mean[:] = 0.0
            total = 0.0
            # Where point i would like the new point: at the wanted distance in the present
            # direction.
            for i in range(n):
                wanted = distances[row, i]
                weight = 1.0
                if sammon:
                    weight = 1.0 / wanted if wanted > 0.0 else 0.0
                length = 0.0
                for m in range(n_dims):
                    length += (placed[row, m] - coordinates[i, m]) ** 2
                length = np.sqrt(length)
                ratio = wanted / length if length > 0.0 else 0.0
                for m in range(n_dims):
                    gap = placed[row, m] - coordinates[i, m]
                    mean[m] += weight * (coordinates[i, m] + ratio * gap)
                total += weight
            # Move to the weighted mean of these positions.
            moved, size = 0.0, 0.0
            for m in range(n_dims):
                middle = mean[m] / total if total > 0.0 else placed[row, m]
                moved += (middle - placed[row, m]) ** 2
                size += middle**2
                placed[row, m] = middle
            if moved <= tol * tol * size:
                break

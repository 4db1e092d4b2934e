"""Value and gradient of the stress of an embedding, in blocks on threads."""

from __future__ import annotations

import numpy as np

from shallows._core.compile import compiled
from shallows._core.threads import map_blocks

BLOCK_ROWS = 64
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

    return sum(map_blocks(block, coordinates.shape[1], BLOCK_ROWS)) / 2, gradient


@compiled
def stress_rows(distances, coordinates, first, last, sammon, gradient):
    """Write the gradient of rows first..last; return their part of twice the stress."""
    n_dims, n = coordinates.shape
    pull = np.empty(n)
    total = 0.0
    for i in range(first, last):
        pull[:] = 0.0
        for m in range(n_dims):
            here = coordinates[m, i]
            for j in range(n):
                gap = here - coordinates[m, j]
                pull[j] += gap * gap
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
        for m in range(n_dims):
            inner = 0.0
            for j in range(n):
                inner += pull[j] * coordinates[m, j]
            gradient[m, i] = 2.0 * (weight_sum * coordinates[m, i] - inner)
    return total


@compiled
def settle_rows(distances, coordinates, placed, steps, tol):
    """Move each row of `placed` in place to least stress against fixed coordinates.

    Each step moves a point to the mean of where the fixed points would have it, which never
    raises the stress. Distances have shape (n_new, n), coordinates (n, m), placed (n_new, m).
    """
    n, n_dims = coordinates.shape
    mean = np.empty(n_dims)
    for row in range(placed.shape[0]):
        for _ in range(steps):
            mean[:] = 0.0
            for i in range(n):
                length = 0.0
                for m in range(n_dims):
                    length += (placed[row, m] - coordinates[i, m]) ** 2
                length = np.sqrt(length)
                ratio = distances[row, i] / length if length > 0.0 else 0.0
                for m in range(n_dims):
                    gap = placed[row, m] - coordinates[i, m]
                    mean[m] += coordinates[i, m] + ratio * gap
            moved, size = 0.0, 0.0
            for m in range(n_dims):
                moved += (mean[m] / n - placed[row, m]) ** 2
                size += (mean[m] / n) ** 2
                placed[row, m] = mean[m] / n
            if moved <= tol * tol * size:
                break

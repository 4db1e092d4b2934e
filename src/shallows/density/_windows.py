"""Logarithms of sums of windows, in tiles that stay in the cache."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import block_slices, map_blocks

TILE_ROWS, TILE_COLUMNS, LEAF_COLUMNS = 64, 1024, 512
DIRECT_FEATURES = 8  # differences are as quick as products there, and lose no digits
NEGLIGIBLE = 38.0  # exp(-38) is below the rounding of a sum


def log_gaussian_windows(X, Z, log_weights, widths, own=None):
    """Return ``log sum_j w_j N(x; z_j, width_j^2 I)`` for each row of X.

    With `own` the window of row ``own[i]`` of Z is left out for row i of X. The larger terms
    of a sum are always taken out of the exponential.
    """
    inverse = 1 / np.broadcast_to(np.square(widths, dtype=np.float64), len(Z))
    constants = log_weights + 0.5 * Z.shape[1] * np.log(inverse / (2 * np.pi))
    by_shape = _by_products if Z.shape[1] > DIRECT_FEATURES else _by_differences
    return by_shape(X, Z.astype(np.float64), inverse, constants, own)


def _by_products(X, Z, inverse, constants, own):
    """Distances come from products on BLAS, about the mean of Z."""
    center = Z.mean(axis=0)
    Z -= center
    squares = np.einsum("ij,ij->i", Z, Z)
    # Rows (x, |x|^2, 1) times these columns are the exponents.
    columns_of = np.vstack([Z.T * inverse, -0.5 * inverse, constants - 0.5 * inverse * squares])

    def block(rows):
        part = X[rows] - center
        part = np.column_stack([part, np.einsum("ij,ij->i", part, part), np.ones(len(part))])
        top, total = np.full(len(part), -np.inf), np.zeros(len(part))
        for columns in block_slices(len(Z), TILE_COLUMNS):
            exponents = part @ columns_of[:, columns]
            if own is not None:
                _leave_out(exponents, own[rows], columns)
            _add(exponents, top, total)
        with np.errstate(divide="ignore"):
            return top + np.log(total)

    return np.concatenate(map_blocks(block, len(X), TILE_ROWS))


def _by_differences(X, Z, inverse, constants, own):
    """Near rows stand side by side, and tiles too far off to change a digit are left out."""
    order, visit = cKDTree(Z).indices, cKDTree(X).indices
    inverse, constants, columns_of = (
        inverse[order],
        constants[order],
        np.ascontiguousarray(Z[order].T),
    )
    tiles = block_slices(len(Z), LEAF_COLUMNS)
    starts = [tile.start for tile in tiles]
    low, high = (least.reduceat(columns_of, starts, axis=1) for least in (np.minimum, np.maximum))
    highest, widest = np.maximum.reduceat(constants, starts), np.minimum.reduceat(inverse, starts)
    negligible = NEGLIGIBLE + np.log(len(Z))
    if own is not None:
        own = np.argsort(order)[own]

    def block(rows):
        part = X[visit[rows]].astype(np.float64)
        first, last = part.min(axis=0)[:, None], part.max(axis=0)[:, None]
        gaps = np.maximum(np.maximum(low - last, first - high), 0.0)
        bounds = highest - 0.5 * widest * np.einsum("ij,ij->j", gaps, gaps)
        top, total = np.full(len(part), -np.inf), np.zeros(len(part))
        for tile in np.argsort(-bounds):
            if bounds[tile] < top.min() - negligible:
                break
            columns = tiles[tile]
            exponents = np.empty((len(part), columns.stop - columns.start))
            gaussian_exponents(
                part, columns_of[:, columns], inverse[columns], constants[columns], exponents
            )
            if own is not None:
                _leave_out(exponents, own[visit[rows]], columns)
            _add(exponents, top, total)
        with np.errstate(divide="ignore"):
            return top + np.log(total)

    logs = np.empty(len(X))
    logs[visit] = np.concatenate(map_blocks(block, len(X), TILE_ROWS))
    return logs


def log_box_windows(X, Z, log_weights, widths, own=None):
    """Return ``log sum_j w_j width_j^-d [|x - z_j| < width_j / 2 in every feature]``."""
    widths = np.broadcast_to(np.asarray(widths, dtype=np.float64), len(Z))
    order = np.argsort(Z[:, 0], kind="stable")
    sorted_rows = np.ascontiguousarray(Z[order], dtype=np.float64)
    half = np.ascontiguousarray(widths[order] / 2)
    logs = log_weights[order] - Z.shape[1] * np.log(widths[order])
    top = logs.max()
    heights = np.exp(logs - top)
    place = np.full(len(X), -1)
    if own is not None:
        where = np.empty(len(order), dtype=np.intp)
        where[order] = np.arange(len(order))
        place = np.where(own >= 0, where[own], -1)

    def block(rows):
        part = np.ascontiguousarray(X[rows], dtype=np.float64)
        low = np.searchsorted(sorted_rows[:, 0], part[:, 0] - half.max(), side="left")
        high = np.searchsorted(sorted_rows[:, 0], part[:, 0] + half.max(), side="right")
        total = np.empty(len(part))
        box_sums(part, sorted_rows, half, heights, low, high, place[rows], total)
        with np.errstate(divide="ignore"):
            return top + np.log(total)

    return np.concatenate(map_blocks(block, len(X), 256))


def _leave_out(exponents, own, columns):
    inside = np.flatnonzero((own >= columns.start) & (own < columns.stop))
    exponents[inside, own[inside] - columns.start] = -np.inf


def _add(exponents, top, total):
    """Add ``exp(exponents)`` to the sums ``total * exp(top)``, in place."""
    new = np.maximum(top, exponents.max(axis=1))
    finite = np.where(np.isfinite(new), new, 0.0)
    exponents -= finite[:, None]
    np.exp(exponents, out=exponents)
    total *= np.exp(top - finite)
    total += exponents.sum(axis=1)
    top[:] = new


@compiled
def gaussian_exponents(X, Zt, inverse, constants, exponents):
    """Write constants less half the scaled squared distances to `exponents`."""
    for i in range(X.shape[0]):
        row = exponents[i]
        for p in range(row.shape[0]):
            row[p] = 0.0
        for j in range(X.shape[1]):
            value, part = X[i, j], Zt[j]
            for p in range(row.shape[0]):
                difference = value - part[p]
                row[p] += difference * difference
        for p in range(row.shape[0]):
            row[p] = constants[p] - 0.5 * inverse[p] * row[p]


@compiled
def box_sums(X, Z, half, heights, low, high, own, total):
    """Sum the heights of the boxes that hold each row; candidates lie from `low` to `high`."""
    for i in range(X.shape[0]):
        found = 0.0
        for p in range(low[i], high[i]):
            inside = p != own[i]
            for j in range(X.shape[1]):
                if abs(X[i, j] - Z[p, j]) >= half[p]:
                    inside = False
                    break
            if inside:
                found += heights[p]
        total[i] = found

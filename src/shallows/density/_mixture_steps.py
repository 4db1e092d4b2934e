"""One pass of expectation-maximisation over the rows, in blocks.

A block is transposed, so that every operation runs along its rows. Full covariances are
accumulated in the whitened coordinates of their own component, where they are near the unit
matrix and nothing cancels; the others from differences to the mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import block_slices, map_blocks

BLOCK_CELLS, MOMENT_CELLS = 2**16, 2**21
MOST_ROWS = 1024


class Mixture(NamedTuple):
    """Parameters of a Gaussian mixture in float64; the covariances have the shape of `kind`."""

    kind: str
    weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray


class Moments(NamedTuple):
    """Weight of each component, and its sums of the first and second order."""

    mass: np.ndarray
    first: np.ndarray
    second: np.ndarray


class Prepared(NamedTuple):
    """What a block needs: log normalisers, Cholesky factors and how to whiten."""

    mixture: Mixture
    constants: np.ndarray
    factors: np.ndarray
    inverses: np.ndarray
    offsets: np.ndarray


def prepare(mixture, center):
    """Factor the covariances once per pass; `center` is the point that blocks are moved to."""
    kind, weights, means, covariances = mixture
    n_features = means.shape[1]
    means = means - center
    with np.errstate(divide="ignore"):
        constants = np.log(weights) - 0.5 * n_features * np.log(2 * np.pi)
    if kind in ("full", "tied"):
        # (x - m)'C^-1 (x - m) = |L^-1 x - L^-1 m|^2 with C = L L'; log det C is twice the sum of
        # log L_ii.
        factors = _cholesky(covariances)
        inverses = invert_factors(factors)
        constants -= np.log(np.diagonal(factors, axis1=-2, axis2=-1)).sum(axis=-1)
        offsets = (inverses @ means[..., None])[..., 0]
        return Prepared(mixture, constants, factors, inverses, offsets)

    # Axis-parallel: L is a vector.
    factors = np.sqrt(covariances if kind == "diag" else covariances[:, None])
    factors = np.ascontiguousarray(np.broadcast_to(factors, means.shape))
    if not (factors > 0).all():
        raise ValueError(ILL_DEFINED)
    constants -= np.log(factors).sum(axis=1)
    return Prepared(mixture, constants, factors, 1 / factors, means)


def log_joint(prepared, moved):
    """Return log P(j) p(x|j) of shape (components, rows), and the whitened rows.

    `moved` holds the rows as columns, moved by the centre.
    """
    kind = prepared.mixture.kind
    n_components, n_features = prepared.mixture.means.shape
    logs = np.empty((n_components, moved.shape[1]))
    if kind == "full":
        white = prepared.inverses.reshape(-1, n_features) @ moved
        white = white.reshape(n_components, n_features, -1)
        white -= prepared.offsets[:, :, None]
        half_squares(white, prepared.constants, logs)
        return logs, white
    if kind == "tied":
        white = prepared.inverses @ moved
        ones = np.ones((n_components, n_features))
        half_distances(white, prepared.offsets, ones, prepared.constants, logs)
        return logs, white
    half_distances(moved, prepared.offsets, prepared.inverses, prepared.constants, logs)
    return logs, moved


def shares_of(logs, *, hard=False):
    """Turn log joints into shares of the components, in place; return the log densities too."""
    top = logs.max(axis=0)
    if hard:
        best = logs.argmax(axis=0)
        logs[:] = 0.0
        logs[best, np.arange(logs.shape[1])] = 1.0
        return top, logs
    logs -= np.where(np.isfinite(top), top, 0.0)
    np.exp(logs, out=logs)
    total = logs.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs /= total
        return top + np.log(total), logs


def run_pass(X, sample_weight, mixture, center, *, hard=False, shares=None):
    """Return the weighted sum of log densities and the moments of all components.

    Given `shares`, as labels or as an array of shape (samples, components), they are taken
    instead of the posterior.
    """
    prepared = prepare(mixture, center)

    def block(rows):
        moved = _moved(X[rows], center)
        logs, white = log_joint(prepared, moved)
        if shares is None:
            found, part = shares_of(logs, hard=hard)
        else:
            found, part = np.zeros(len(moved.T)), _given_shares(shares[rows], len(logs))
        total = float(sample_weight[rows] @ found)
        part *= sample_weight[rows]
        return total, *_moments(prepared, moved, white, part)

    sums = None
    for first, n_rows in _groups(len(X), mixture):
        parts = map_blocks(
            lambda rows, first=first: block(slice(first + rows.start, first + rows.stop)),
            n_rows,
            block_rows(mixture),
        )
        added = [np.sum(part, axis=0) for part in zip(*parts, strict=True)]
        sums = added if sums is None else [a + b for a, b in zip(sums, added, strict=True)]
    return float(sums[0]), Moments(*sums[1:])


def maximise(mixture, moments, center, scatter, reg_covar, variance=None):
    """Return the mixture that the moments make likeliest.

    A component without weight stays where it is. With a fixed variance only the means move.
    `scatter` is that of all rows about the centre, for the shared covariance.
    """
    kind, _, means, covariances = mixture
    mass, first, second = moments
    n_features = means.shape[1]
    used = mass > 10 * np.finfo(float).eps
    divisor = np.where(used, mass, 1.0)
    step = first / divisor[:, None]
    weights = mass / mass.sum()
    if kind == "tied":
        moved = np.where(used[:, None], step, means - center)
        covariances = (scatter - (mass * moved.T) @ moved) / mass.sum()
        covariances = covariances + reg_covar * np.eye(n_features)
        return Mixture(kind, weights, center + moved, covariances)
    if kind == "full":
        factors = _cholesky(covariances)
        moved = means + np.where(used[:, None], (factors @ step[..., None])[..., 0], 0.0)
        inner = second / divisor[:, None, None] - step[:, :, None] * step[:, None, :]
        fresh = factors @ inner @ factors.transpose(0, 2, 1) + reg_covar * np.eye(n_features)
        return Mixture(kind, weights, moved, np.where(used[:, None, None], fresh, covariances))
    moved = means + np.where(used[:, None], step, 0.0)
    if variance is not None:
        return Mixture(kind, np.full(len(mass), 1 / len(mass)), moved, covariances)
    fresh = second / divisor[:, None] - step**2 + reg_covar
    if kind == "spherical":
        return Mixture(kind, weights, moved, np.where(used, fresh.mean(axis=1), covariances))
    return Mixture(kind, weights, moved, np.where(used[:, None], fresh, covariances))


def each_block(X, mixture, task):
    """Return ``task(log joint)`` of all blocks in order; rows of the joint are components."""
    center = mixture.weights @ mixture.means
    prepared = prepare(mixture, center)

    def block(rows):
        return task(log_joint(prepared, _moved(X[rows], center))[0])

    return map_blocks(block, len(X), block_rows(mixture))


def block_rows(mixture):
    """Rows of a block, such that its whitened copies stay in the cache."""
    cells = mixture.means.size if mixture.kind == "full" else sum(mixture.means.shape)
    return int(np.clip(BLOCK_CELLS // cells, 32, MOST_ROWS))


def _groups(n_rows, mixture):
    """Yield starts and lengths of stretches, after each of which the moments are added up.

    The moments of all blocks at once might need more memory than the rows.
    """
    cells = mixture.means.size * (mixture.means.shape[1] if mixture.kind == "full" else 2)
    step = block_rows(mixture) * int(np.clip(MOMENT_CELLS // cells, 4, 64))
    return [(part.start, part.stop - part.start) for part in block_slices(n_rows, step)]


def invert_factors(factors):
    """Return the inverses of lower triangular factors."""
    unit = np.eye(factors.shape[-1])
    if factors.ndim == 2:
        return solve_triangular(factors, unit, lower=True)
    return np.array([solve_triangular(factor, unit, lower=True) for factor in factors])


ILL_DEFINED = (
    "GaussianMixture: the covariance of a component is not positive definite, since the component "
    "has collapsed onto too few samples. Ask for fewer components, raise reg_covar, or scale the "
    "data."
)


def _cholesky(covariances):
    try:
        return np.linalg.cholesky(covariances)
    except np.linalg.LinAlgError:
        raise ValueError(ILL_DEFINED) from None


def _moved(X, center):
    return np.ascontiguousarray((X - center).T)


def _given_shares(shares, n_components):
    if shares.ndim == 2:
        return shares.T.copy()
    part = np.zeros((n_components, len(shares)))
    part[shares, np.arange(len(shares))] = 1.0
    return part


def _moments(prepared, moved, white, shares):
    kind, mass = prepared.mixture.kind, shares.sum(axis=1)
    if kind == "full":
        first = (white @ shares[:, :, None])[..., 0]
        white *= np.sqrt(shares)[:, None, :]
        return mass, first, white @ white.transpose(0, 2, 1)
    if kind == "tied":
        return mass, shares @ moved.T, np.zeros(0)
    first, second = np.zeros(prepared.offsets.shape), np.zeros(prepared.offsets.shape)
    sum_differences(moved, prepared.offsets, shares, first, second)
    return mass, first, second


@compiled
def half_squares(white, constants, logs):
    """Write the constants less half the squared lengths of the whitened rows to `logs`."""
    for c in range(white.shape[0]):
        row = logs[c]
        for p in range(white.shape[2]):
            row[p] = constants[c]
        for j in range(white.shape[1]):
            part = white[c, j]
            for p in range(white.shape[2]):
                row[p] -= 0.5 * part[p] * part[p]


@compiled
def half_distances(moved, means, inverses, constants, logs):
    """Write the constants less half the scaled squared distances to the means to `logs`."""
    for c in range(means.shape[0]):
        row = logs[c]
        for p in range(moved.shape[1]):
            row[p] = constants[c]
        for j in range(moved.shape[0]):
            part, mean, scale = moved[j], means[c, j], inverses[c, j]
            for p in range(moved.shape[1]):
                difference = (part[p] - mean) * scale
                row[p] -= 0.5 * difference * difference


@compiled
def sum_differences(moved, means, shares, first, second):
    """Add up differences to the means and their squares, by the shares."""
    for c in range(means.shape[0]):
        share = shares[c]
        for j in range(moved.shape[0]):
            part, mean = moved[j], means[c, j]
            one, two = 0.0, 0.0
            for p in range(moved.shape[1]):
                difference = part[p] - mean
                one += share[p] * difference
                two += share[p] * difference * difference
            first[c, j] = one
            second[c, j] = two

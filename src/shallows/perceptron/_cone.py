"""Uniform samples from a cone: the members of a version space."""

from __future__ import annotations

import warnings
from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from shallows._core.numerics.compile import compiled
from shallows._core.numerics.mixing import effective_size, r_hat
from shallows._core.numerics.threads import map_blocks

LARGEST_R_HAT = 1.1
N_CHAINS = 4
MOST_TRIES = 10**7
TRIES_AT_ONCE = 4096
MOST_COSINES = 2**24  # between walls, kept in memory; with more walls they are computed anew


class VersionSpaceSample(NamedTuple):
    """Members of a version space.

    Parameters
    ----------
    weights : ndarray of shape (n_samples, n_features)
        Unit vectors, chain after chain.
    r_hat : float
        Spread of all chains over that of one, by ranks and the larger of draws and their
        distances from the median, the largest over all weights; near 1 where the chains have
        mixed.
    effective_size : float
        Number of independent members that would determine the mean as well, the smallest over
        all weights.

    Examples
    --------
    >>> from shallows.perceptron import sample_version_space
    >>> sample_version_space([[1, 0], [0, 1]], [1, 1], 100, random_state=0).weights.shape
    (100, 2)
    """

    weights: np.ndarray
    r_hat: float
    effective_size: float


def sample_cone(walls, start, n_samples, method, rng) -> VersionSpaceSample:
    """Draw unit vectors whose products with all rows of `walls`, unit vectors, are positive.

    `start` is one of them. One dimension leaves one direction alone.
    """
    walls = np.ascontiguousarray(walls)
    if walls.shape[1] == 1:
        return VersionSpaceSample(np.tile(start, (n_samples, 1)), 1.0, float(n_samples))
    if method == "rejection" or len(walls) == 0:
        return VersionSpaceSample(_rejection(walls, n_samples, rng), 1.0, float(n_samples))

    # Several chains run at once, so that they can be compared (R-hat).
    n_draws = max(4, -(-n_samples // N_CHAINS))
    streams = rng.spawn(N_CHAINS)
    run = _hit_and_run if method == "hit-and-run" else _billiard
    task = partial(_run_chain, run, walls, start, n_draws, streams)
    chains = np.array(map_blocks(task, N_CHAINS, 1))
    sample = VersionSpaceSample(
        chains.reshape(-1, walls.shape[1])[:n_samples],
        float(r_hat(chains).max()),
        float(effective_size(chains).min()),
    )
    if n_samples >= 100 and sample.r_hat > LARGEST_R_HAT:
        warnings.warn(
            f"The chains in the version space have not mixed (r_hat={sample.r_hat:.2f}, worth "
            f"{sample.effective_size:.0f} independent members). Raise n_samples.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return sample


def _run_chain(run, walls, start, n_draws, streams, block):
    """Return the draws of one chain, after a warm-up half as long."""
    rng = streams[block.start]
    return run(walls, start.copy(), n_draws // 2 + 10, n_draws, rng)


def _hit_and_run(walls, w, n_warmup, n_draws, rng):
    n_features = walls.shape[1]
    draws = np.empty((n_draws, n_features))
    for i in range(-n_warmup, n_draws):
        directions = rng.standard_normal((2 * n_features, n_features))
        hit_and_run(walls, w, directions, rng.random(2 * n_features))
        if i >= 0:
            draws[i] = w
    return draws


def _billiard(walls, w, n_warmup, n_draws, rng):
    """Warm up with lengths whose mean settles at about two bounces per dimension."""
    n_features = walls.shape[1]
    cosines = walls @ walls.T if len(walls) ** 2 <= MOST_COSINES else np.empty((0, 0))
    draws = np.empty((n_draws, n_features))
    mean_length, flown, bounces = 0.1, 0.0, 0
    for i in range(-n_warmup, n_draws):
        length = mean_length * rng.uniform(0.5, 1.5)
        met = billiard(walls, cosines, w, rng.standard_normal(n_features), length)
        if i >= 0:
            draws[i] = w
            continue
        flown, bounces = flown + length, bounces + met
        mean_length = 2 * n_features * flown / (bounces + 1)
    return draws


def _rejection(walls, n_samples, rng):
    kept, tried = [], 0
    while sum(map(len, kept)) < n_samples:
        if tried >= MOST_TRIES:
            raise ValueError(
                f"sample_version_space: rejection kept {sum(map(len, kept))} of {tried} random "
                'directions. Use method="billiard".'
            )
        vectors = rng.standard_normal((TRIES_AT_ONCE, walls.shape[1]))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        kept.append(vectors[(vectors @ walls.T > 0).all(axis=1)])
        tried += TRIES_AT_ONCE
    return np.concatenate(kept)[:n_samples]


@compiled
def hit_and_run(walls, w, directions, shares):
    """Move `w` in place, one step along each of the `directions`, which are overwritten."""
    n_walls, n_features = walls.shape
    fields = walls @ w
    speeds = np.empty(n_walls)
    for step in range(len(directions)):
        d = directions[step]
        make_tangent(d, w)

        # Speeds at which the fields change; where w + t d meets a wall depends on speed over field.
        largest, smallest = -np.inf, np.inf
        for i in range(n_walls):
            speed = 0.0
            for j in range(n_features):
                speed += walls[i, j] * d[j]
            speeds[i] = speed
            if fields[i] > 0:
                largest = max(largest, speed / fields[i])
                smallest = min(smallest, speed / fields[i])

        # The arc of the circle through w and d on which all fields stay positive: draw a point on
        # it.
        low = np.arctan(largest) - np.pi / 2
        high = np.arctan(smallest) + np.pi / 2
        angle = low + (high - low) * shares[step]
        rotate(w, d, angle)
        rotate(fields, speeds, angle)
    make_unit(w)


@compiled
def billiard(walls, cosines, w, d, length):
    """Fly from `w` in direction `d`, both changed in place; return the number of bounces.

    `cosines` between the walls make a bounce cheap; where it is empty they are computed.
    """
    n_walls, n_features = walls.shape
    make_tangent(d, w)
    fields, speeds = walls @ w, walls @ d
    bounces, left = 0, length
    while left > 0:
        # The wall that is met first: field cos(t) + speed sin(t) = 0 has the least t there.
        nearest, wall = np.inf, 0
        for i in range(n_walls):
            ratio = np.inf
            if fields[i] > 0:
                ratio = speeds[i] / fields[i]
            elif speeds[i] < 0:  # met two walls at once
                ratio = -np.inf
            if ratio < nearest:
                nearest, wall = ratio, i

        # Fly up to that wall, or to the end.
        angle = min(np.arctan(nearest) + np.pi / 2, left)
        rotate(w, d, angle)
        rotate(fields, speeds, angle)
        left -= angle
        if left > 0:
            # Reflect the direction at the wall, d - 2 (d'v) v, and the speeds towards all walls.
            bounces += 1
            into = 2 * speeds[wall]
            for j in range(n_features):
                d[j] -= into * walls[wall, j]
            if len(cosines) > 0:
                for i in range(n_walls):
                    speeds[i] -= into * cosines[wall, i]
            else:
                for i in range(n_walls):
                    for j in range(n_features):
                        speeds[i] -= into * walls[i, j] * walls[wall, j]
            fields[wall] = 0.0
    make_unit(w)
    return bounces


@compiled
def rotate(first, second, angle):
    """Turn the pair of vectors by an angle, in place."""
    cosine, sine = np.cos(angle), np.sin(angle)
    for j in range(len(first)):
        value = first[j]
        first[j] = cosine * value + sine * second[j]
        second[j] = cosine * second[j] - sine * value


@compiled
def make_tangent(d, w):
    """Make `d` a unit vector at right angles to `w`, in place."""
    along = 0.0
    for j in range(len(d)):
        along += d[j] * w[j]
    for j in range(len(d)):
        d[j] -= along * w[j]
    make_unit(d)


@compiled
def make_unit(vector):
    """Scale a vector to length 1, in place."""
    total = 0.0
    for j in range(len(vector)):
        total += vector[j] ** 2
    factor = 1 / np.sqrt(total)
    for j in range(len(vector)):
        vector[j] *= factor

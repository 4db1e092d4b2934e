"""The version space of a perceptron: all directions that classify every example correctly."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from scipy.optimize import linprog, nnls
from sklearn.exceptions import ConvergenceWarning

from shallows._core.compile import compiled
from shallows._core.params import PositiveInt, check_value
from shallows._core.rng import RandomState, as_generator
from shallows._core.threads import map_blocks
from shallows.perceptron._mixing import effective_size, split_r_hat

SMALLEST_STABILITY = 1e-9  # of unit vectors; below, rounding decides
LARGEST_R_HAT = 1.1
N_CHAINS = 4
MOST_TRIES = 10**7
TRIES_AT_ONCE = 4096
MOST_COSINES = 2**24  # between walls, kept in memory; with more walls they are computed anew
Method = Literal["billiard", "hit-and-run", "rejection"]


class VersionSpaceSample(NamedTuple):
    """Members of a version space.

    Parameters
    ----------
    weights : ndarray of shape (n_samples, n_features)
        Unit vectors, chain after chain.
    r_hat : float
        Spread of all chains over that of one, the largest over all weights; near 1 where the
        chains have mixed.
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


class VersionSpace:
    r"""All unit vectors :math:`w` with :math:`S w \cdot x > 0` for every example.

    In weight space each example is a hyperplane, and the version space is the cell that they cut
    out of the sphere. It is empty exactly where the examples can't be separated through the
    origin.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Examples, perhaps none. Append a constant 1 to allow for a threshold.
    y : array-like of shape (n_samples,)
        Labels +1 and -1.

    Examples
    --------
    >>> from shallows.perceptron import VersionSpace
    >>> space = VersionSpace([[1, 0], [0, 1]], [1, 1])
    >>> space.contains([1, 2]), space.contains([1, -2])
    (True, False)
    >>> space.is_informative([1, -1]), space.is_informative([1, 1])
    (True, False)
    """

    def __init__(self, X, y):
        self.X, self.y = _examples("VersionSpace", X, y)
        self._walls = _unit_rows("VersionSpace", self.X * self.y[:, None])

    def contains(self, w):
        """Tell whether a weight vector classifies every example correctly.

        Parameters
        ----------
        w : array-like of shape (n_features,) or (n_vectors, n_features)
            Weights of any length.

        Returns
        -------
        inside : bool or ndarray of shape (n_vectors,)
            A field of exactly zero is outside.
        """
        inside = (np.asarray(w, dtype=float) @ self._walls.T > 0).all(axis=-1)
        return bool(inside) if inside.ndim == 0 else inside

    def is_empty(self) -> bool:
        """Tell whether no hyperplane through the origin separates the examples.

        Returns
        -------
        empty : bool
            A largest stability below 1e-9, of examples of length 1, counts as none.
        """
        return inner_point(self._walls) is None

    def is_informative(self, x) -> bool:
        """Tell whether the label of a new example would make the version space smaller.

        Two linear programs look for members that give it the one and the other label.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            New example.

        Returns
        -------
        informative : bool
            Whether the members disagree about its label.
        """
        x = np.asarray(x, dtype=float)
        if x.shape != (self.X.shape[1],) or not np.isfinite(x).all():
            raise ValueError(
                f"VersionSpace: a new example must have shape ({self.X.shape[1]},) and finite "
                f"values, got {x!r}."
            )
        if self.is_empty():
            raise ValueError("VersionSpace: it is empty, so no example can inform about it.")
        return bool(min(_largest_field(self._walls, side) for side in (x, -x)) > SMALLEST_STABILITY)

    def sample(
        self,
        n_samples: PositiveInt = 1000,
        *,
        method: Method = "billiard",
        random_state: RandomState = None,
    ) -> VersionSpaceSample:
        """Draw members at random, see `sample_version_space`.

        Parameters
        ----------
        n_samples : int, default=1000
            Number of members.
        method : {"billiard", "hit-and-run", "rejection"}, default="billiard"
            How to draw them.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws.

        Returns
        -------
        sample : VersionSpaceSample
            Members and how well the chains have mixed.
        """
        return sample_version_space(
            self.X, self.y, n_samples, method=method, random_state=random_state
        )

    def ambiguity(self, X, n_samples: PositiveInt = 1000, *, random_state: RandomState = None):
        """Return how often two random members disagree about new examples.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
            New examples.
        n_samples : int, default=1000
            Members that vote.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws.

        Returns
        -------
        ambiguity : ndarray of shape (n_new,)
            ``2 p (1 - p)`` where a share p votes for +1: 0 where all agree, 1/2 where the vote
            is split evenly and the label would halve the version space.
        """
        members = self.sample(n_samples, random_state=random_state).weights
        positive = (np.asarray(X, dtype=float) @ members.T > 0).mean(axis=1)
        return 2 * positive * (1 - positive)


def sample_version_space(
    X,
    y,
    n_samples: PositiveInt = 1000,
    *,
    method: Method = "billiard",
    random_state: RandomState = None,
) -> VersionSpaceSample:
    r"""Draw weight vectors uniformly from all that classify every example correctly.

    Both Markov chains move on great circles of the unit sphere and leave the uniform law
    unchanged. Hit-and-run picks a random circle through the current point and a uniform place on
    the part of it that lies inside [1]_. The billiard flies along a circle, is reflected where
    an example's hyperplane is met [2]_, and takes a new direction after a random length, so that
    it can't be caught in a regular orbit. Rejection draws from the whole sphere and keeps what
    lies inside: exact and independent, but hopeless beyond a few examples.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Examples, separable through the origin. Append a constant 1 to allow for a threshold.
    y : array-like of shape (n_samples,)
        Labels +1 and -1.
    n_samples : int, default=1000
        Number of weight vectors.
    method : {"billiard", "hit-and-run", "rejection"}, default="billiard"
        How to draw them.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the draws.

    Returns
    -------
    sample : VersionSpaceSample
        Unit vectors and how well the four chains have mixed. A warning tells where they have
        not.

    References
    ----------
    .. [1] R. L. Smith, "Efficient Monte Carlo procedures for generating points uniformly
       distributed over bounded regions", Operations Research 32, 1296-1308, 1984.
    .. [2] P. Rujan, "Playing billiards in version space", Neural Computation 9, 99-122, 1997.

    Examples
    --------
    >>> from shallows.perceptron import sample_version_space
    >>> sample = sample_version_space([[1, 0], [0, 1]], [1, 1], random_state=0)
    >>> (sample.weights > 0).all(), sample.r_hat < 1.1
    (np.True_, True)
    """
    check_value("sample_version_space", "n_samples", PositiveInt, n_samples)
    check_value("sample_version_space", "method", Method, method)
    X, y = _examples("sample_version_space", X, y)
    walls = _unit_rows("sample_version_space", X * y[:, None])
    start = inner_point(walls)
    if start is None:
        raise ValueError(
            "sample_version_space: the version space is empty, because no hyperplane through the "
            "origin separates the examples. Append a constant 1 for a threshold, or drop examples."
        )
    return sample_cone(walls, start, n_samples, method, as_generator(random_state))


def sample_cone(walls, start, n_samples, method, rng) -> VersionSpaceSample:
    """Draw unit vectors whose products with all rows of `walls`, unit vectors, are positive.

    `start` is one of them. One dimension leaves one direction alone.
    """
    walls = np.ascontiguousarray(walls)
    if walls.shape[1] == 1:
        return VersionSpaceSample(np.tile(start, (n_samples, 1)), 1.0, float(n_samples))
    if method == "rejection" or len(walls) == 0:
        return VersionSpaceSample(_rejection(walls, n_samples, rng), 1.0, float(n_samples))
    n_draws = max(4, -(-n_samples // N_CHAINS))
    streams = rng.spawn(N_CHAINS)
    run = _hit_and_run if method == "hit-and-run" else _billiard
    task = partial(_run_chain, run, walls, start, n_draws, streams)
    chains = np.array(map_blocks(task, N_CHAINS, 1))
    sample = VersionSpaceSample(
        chains.reshape(-1, walls.shape[1])[:n_samples],
        float(split_r_hat(chains).max()),
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


def inner_point(walls):
    """Return the unit vector of largest stability, or None if no vector is inside.

    It is the shortest convex combination of the walls, found by least squares with non-negative
    coefficients.
    """
    if len(walls) == 0:
        return np.eye(walls.shape[1])[0]
    system = np.vstack([walls.T, np.ones(len(walls))])
    target = np.zeros(len(system))
    target[-1] = 1.0
    w = walls.T @ nnls(system, target, maxiter=30 * sum(walls.shape))[0]
    length = np.linalg.norm(w)
    if length <= SMALLEST_STABILITY or (walls @ w).min() <= SMALLEST_STABILITY * length:
        return None
    return w / length


def _largest_field(walls, x):
    """Return the largest w . x over the closed version space, with weights between -1 and 1."""
    if len(walls) == 0:
        return np.abs(x).sum()
    answer = linprog(-x, A_ub=-walls, b_ub=np.zeros(len(walls)), bounds=(-1, 1))
    return -answer.fun / (np.linalg.norm(x) or 1.0)


def _examples(owner, X, y):
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if X.ndim != 2 or X.shape[1] == 0 or not np.isfinite(X).all():
        raise ValueError(
            f"{owner}: X must be a finite array of shape (n_samples, n_features), got {X!r}."
        )
    if y.shape != (len(X),) or not np.isin(y, (-1, 1)).all():
        raise ValueError(f"{owner}: y must be {len(X)} labels -1 or 1, got {y!r}.")
    return X, y


def _unit_rows(owner, folded):
    lengths = np.linalg.norm(folded, axis=1)
    if not lengths.all():
        raise ValueError(
            f"{owner}: example {int(np.argmin(lengths))} is the zero vector, which no weights can "
            "classify. Drop it, or append a constant 1 to all examples."
        )
    return folded / lengths[:, None]


@compiled
def hit_and_run(walls, w, directions, shares):
    """Move `w` in place, one step along each of the `directions`, which are overwritten."""
    n_walls, n_features = walls.shape
    fields = walls @ w
    speeds = np.empty(n_walls)
    for step in range(len(directions)):
        d = directions[step]
        make_tangent(d, w)
        largest, smallest = -np.inf, np.inf
        for i in range(n_walls):
            speed = 0.0
            for j in range(n_features):
                speed += walls[i, j] * d[j]
            speeds[i] = speed
            if fields[i] > 0:
                largest = max(largest, speed / fields[i])
                smallest = min(smallest, speed / fields[i])
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
        nearest, wall = np.inf, 0
        for i in range(n_walls):
            ratio = np.inf
            if fields[i] > 0:
                ratio = speeds[i] / fields[i]
            elif speeds[i] < 0:  # met two walls at once
                ratio = -np.inf
            if ratio < nearest:
                nearest, wall = ratio, i
        angle = min(np.arctan(nearest) + np.pi / 2, left)
        rotate(w, d, angle)
        rotate(fields, speeds, angle)
        left -= angle
        if left > 0:
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

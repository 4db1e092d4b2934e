"""The version space of a perceptron: all directions that classify every example correctly."""

from __future__ import annotations

from reprlib import repr as short
from typing import Literal

import numpy as np
from scipy.optimize import linprog, nnls

from shallows._core.contract.params import PositiveInt, check_value
from shallows._core.contract.rng import RandomState, as_generator
from shallows.perceptron._cone import VersionSpaceSample, sample_cone
from shallows.perceptron._finite_array import finite_array

SMALLEST_STABILITY = 1e-9  # of unit vectors; below, rounding decides
Method = Literal["billiard", "hit-and-run", "rejection"]


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
        shape = ("n_vectors",) * (np.ndim(w) == 2) + (self.X.shape[1],)
        w = finite_array("VersionSpace", "w", w, *shape)
        inside = (w @ self._walls.T > 0).all(axis=-1)
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
        x = finite_array("VersionSpace", "a new example", x, self.X.shape[1])
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

    def add(self, X, y):
        """Return the version space of these examples and further ones, a part of this one.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
            New examples.
        y : array-like of shape (n_new,)
            Labels +1 and -1.

        Returns
        -------
        smaller : VersionSpace
            The same where no new example is informative.
        """
        X, y = _examples("VersionSpace", X, y)
        finite_array("VersionSpace", "X", X, "n_new", self.X.shape[1])
        return VersionSpace(np.vstack([self.X, X]), np.append(self.y, y))

    def shrinkage(self, X, y, n_samples: PositiveInt = 1000, *, random_state: RandomState = None):
        """Return how much of the version space is left after each of further examples.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
            New examples, in the order in which they come.
        y : array-like of shape (n_new,)
            Labels +1 and -1.
        n_samples : int, default=1000
            Members drawn at random.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws.

        Returns
        -------
        shares : ndarray of shape (n_new,)
            Shares of the volume, falling from one example to the next: those of the members that
            have all labels right so far.
        """
        X, y = _examples("VersionSpace", X, y)
        finite_array("VersionSpace", "X", X, "n_new", self.X.shape[1])
        members = self.sample(n_samples, random_state=random_state).weights
        right = (X * y[:, None]) @ members.T > 0
        return np.logical_and.accumulate(right, axis=0).mean(axis=1)

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
        X = finite_array("VersionSpace", "X", X, "n_new", self.X.shape[1])
        members = self.sample(n_samples, random_state=random_state).weights
        positive = (X @ members.T > 0).mean(axis=1)
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
        Unit vectors and how well the four chains have mixed. A warning is given if they have not.

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
    X, y = finite_array(owner, "X", X, "n_samples", "n_features"), np.asarray(y)
    if X.shape[1] == 0:
        raise ValueError(f"{owner}: X must have at least one feature, got shape {X.shape}.")
    if y.shape != (len(X),) or not np.isin(y, (-1, 1)).all():
        raise ValueError(f"{owner}: y must be {len(X)} labels -1 or 1, got {short(y)}.")
    return X, y.astype(float)


def _unit_rows(owner, folded):
    lengths = np.linalg.norm(folded, axis=1)
    if not lengths.all():
        raise ValueError(
            f"{owner}: example {int(np.argmin(lengths))} is the zero vector, which no weights can "
            "classify. Drop it, or append a constant 1 to all examples."
        )
    return folded / lengths[:, None]

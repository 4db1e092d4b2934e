"""Finitely many points with a mass each."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shallows._core.contract.params import NumberArray
from shallows.density._distinct_rows import distinct_rows, find_rows
from shallows.density._family import Family, refuse


class PointMasses(Family):
    """A law that takes finitely many values, each with its own probability.

    It has no density; `score_samples` returns log probabilities. Fitting takes each different
    row as a point and its relative frequency as its mass: the empirical law.

    Parameters
    ----------
    points : array-like of shape (n_points,) or (n_points, n_features), or None, default=None
        The values; None takes the different rows of the data.
    masses : array-like of shape (n_points,) or None, default=None
        Their probabilities, which sum to one; None takes relative frequencies.

    Attributes
    ----------
    points_ : ndarray of shape (n_points, n_features)
        The values after `fit`.
    masses_ : ndarray of shape (n_points,)
        Their probabilities after `fit`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.density import PointMasses
    >>> law = PointMasses([1.0, 2.0, 3.0], [0.5, 0.25, 0.25])
    >>> law.expectation(), law.probability(1.5, 3.0)
    (array([1.75]), 0.5)
    """

    _names: ClassVar = ("points", "masses")
    _support = "the given points"
    _in_blocks = False

    def __init__(self, points: NumberArray | None = None, masses: NumberArray | None = None):
        self.points = points
        self.masses = masses

    def probability(self, low, high):
        """Return the mass of the points in a closed box.

        Parameters
        ----------
        low, high : float or array-like of shape (n_features,)
            Ends of the box.

        Returns
        -------
        probability : float
            Mass between the ends, ends included.
        """
        points, masses = self._parameters()
        return float(masses[((points >= low) & (points <= high)).all(axis=1)].sum())

    def _parameters(self):
        points, masses = super()._parameters()
        return [points.reshape(len(points), -1), masses]

    def _in_support(self, X):
        if self.points is None and not hasattr(self, "points_"):
            return np.ones(len(X), dtype=bool)
        return self._places(X) >= 0

    def _outside(self, X):
        return np.zeros(len(X), dtype=bool)  # the log density finds that out by itself

    def _places(self, X):
        """Return the index of the point that equals each row, or -1."""
        points = getattr(self, "points_", None)
        points = np.asarray(self.points if points is None else points, dtype=float)
        points = points.reshape(len(points), -1).astype(X.dtype)
        if points.shape[1] != X.shape[1]:
            raise ValueError(
                f"PointMasses: points must have {X.shape[1]} features as X has, got "
                f"{points.shape[1]}."
            )
        return find_rows(X, points)

    def fit(self, X, y=None, sample_weight=None):
        """Find the points and their masses.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample in the frequencies.

        Returns
        -------
        self : PointMasses
            The fitted law.
        """
        for name in self._names:
            vars(self).pop(f"{name}_", None)
        return super().fit(X, y, sample_weight)

    def _estimate(self, X, weights):
        if self.points is None:
            points, places = distinct_rows(X)
        else:
            points = np.asarray(self.points, dtype=float).reshape(len(self.points), -1)
            places = self._places(X)
        self.points_ = points
        if self.masses is not None:
            masses = np.asarray(self.masses, dtype=float)
        else:
            masses = np.bincount(places, weights, minlength=len(points))
            masses /= masses.sum()
        return [points, masses]

    def _n_features(self, points, masses):
        return points.shape[1]

    def _check_given(self, points, masses):
        if masses.shape != (len(points),) or (masses < 0).any():
            refuse(self, "masses", f"{len(points)} numbers that are not negative", masses)
        if not np.isclose(masses.sum(), 1, rtol=0, atol=1e-8):
            refuse(self, "masses", "probabilities that sum to one", masses)

    def _log_density(self, X, points, masses):
        place = self._places(X)
        return np.where(place >= 0, np.log(masses)[place], -np.inf)

    def _draw(self, rng, n_samples, points, masses):
        return points[rng.choice(len(points), size=n_samples, p=masses / masses.sum())]

    def _moments(self, points, masses):
        mean = masses @ points
        return mean, masses @ (points - mean) ** 2

"""Probability mass functions and densities given on a grid."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.interpolate import RegularGridInterpolator

from shallows._core.contract.params import check_value
from shallows._core.contract.rng import as_generator


class Tabulated:
    """A law of one or several variables, tabulated on a grid.

    A pmf holds the probability of each grid point. A pdf holds densities, which may exceed one,
    and is interpolated linearly in between; all integrals are exact for that.

    Parameters
    ----------
    values : array-like or callable
        Probabilities or densities, with one axis per variable; or a function of one array per
        variable that returns them.
    grid : array-like of shape (n_points,) or list of such
        Increasing values of the variable; a list holds one grid per variable.
    kind : {"pdf", "pmf"}, default="pdf"
        Whether the values are densities or probabilities.
    normalize : bool, default=False
        Whether the values are divided by their sum or integral. Otherwise this must be one to
        about 1e-3 for a pdf, which the interpolation may miss, and 1e-8 for a pmf.

    Attributes
    ----------
    values : ndarray
        Probabilities or densities.
    grids : list of ndarray
        The grid of each variable.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.density import Tabulated
    >>> joint = Tabulated([[0.1, 0.2], [0.3, 0.4]], [[0, 1], [0, 1]], kind="pmf")
    >>> joint.marginal(0).values
    array([0.3, 0.7])
    >>> joint.conditional({1: 1}).values.round(3)
    array([0.333, 0.667])
    """

    def __init__(
        self,
        values,
        grid,
        *,
        kind: Literal["pdf", "pmf"] = "pdf",
        normalize: bool = False,
    ):
        check_value("Tabulated", "kind", Literal["pdf", "pmf"], kind)
        several = isinstance(grid, list | tuple) and np.ndim(grid[0]) == 1
        self.grids = [np.array(part, dtype=float) for part in (grid if several else [grid])]
        if callable(values):
            values = values(*np.meshgrid(*self.grids, indexing="ij"))
        values = np.array(values, dtype=float)
        shape = tuple(len(part) for part in self.grids)
        if values.shape != shape:
            raise ValueError(
                f"Tabulated: values must have shape {shape}, one axis per grid, got {values.shape}."
            )
        if any((np.diff(part) <= 0).any() for part in self.grids):
            raise ValueError("Tabulated: every grid must increase.")
        if (values < 0).any() or not np.isfinite(values).all():
            raise ValueError("Tabulated: values must be finite and not negative.")
        self.kind, self.values = kind, values
        total = self._contract(self._whole())
        if normalize and total > 0:
            self.values = values / total
        elif abs(total - 1) > (1e-3 if kind == "pdf" else 1e-8):
            what = "integrate" if kind == "pdf" else "sum"
            raise ValueError(
                f"Tabulated: values must {what} to 1, they {what} to {total:.6g}. Use "
                "normalize=True, or a finer or wider grid."
            )

    def probability(self, a, b):
        """Return the probability of a closed interval or box.

        Parameters
        ----------
        a, b : float or array-like of shape (n_variables,)
            Lower and upper ends; they may be infinite.

        Returns
        -------
        probability : float
            Probability between the ends.
        """
        low = np.broadcast_to(np.asarray(a, dtype=float), len(self.grids))
        high = np.broadcast_to(np.asarray(b, dtype=float), len(self.grids))
        ends = zip(self.grids, low, high, strict=True)
        return float(self._contract([self._rule(part, x, y) for part, x, y in ends]))

    def marginal(self, axes=0):
        """Return the law of some of the variables.

        Parameters
        ----------
        axes : int or list of int, default=0
            Which variables to keep.

        Returns
        -------
        law : Tabulated
            The others summed or integrated out.
        """
        kept = [axes] if np.ndim(axes) == 0 else list(axes)
        values = self.values
        for axis in reversed(range(values.ndim)):
            if axis not in kept:
                whole = self._rule(self.grids[axis], -np.inf, np.inf)
                values = np.tensordot(values, whole, axes=(axis, 0))
        order = np.argsort(np.argsort(kept))
        values = values.transpose(order)
        return Tabulated(
            values, [self.grids[axis] for axis in kept], kind=self.kind, normalize=True
        )

    def conditional(self, given):
        """Return the law of the other variables, given the values of some.

        Parameters
        ----------
        given : dict of int to float
            Axis of a variable and its value.

        Returns
        -------
        law : Tabulated
            Joint values divided by the probability or density of what is given.
        """
        values = self.values
        for axis in sorted(given, reverse=True):
            values = np.moveaxis(values, axis, -1) @ self._point_rule(axis, given[axis])
        if not values.any():
            raise ValueError(f"Tabulated: {given} has no probability, so nothing follows from it.")
        grids = [part for axis, part in enumerate(self.grids) if axis not in given]
        return Tabulated(values, grids, kind=self.kind, normalize=True)

    def support(self):
        """Return the smallest box of grid points outside of which the law is zero.

        Returns
        -------
        low, high : ndarray of shape (n_variables,)
            Ends of the box; a pdf reaches to the next grid point, to which it is interpolated.
        """
        low, high = [], []
        for axis, part in enumerate(self.grids):
            others = tuple(i for i in range(self.values.ndim) if i != axis)
            places = np.flatnonzero(self.values.any(axis=others))
            reach = int(self.kind == "pdf")
            low.append(part[max(places[0] - reach, 0)])
            high.append(part[min(places[-1] + reach, len(part) - 1)])
        return np.array(low), np.array(high)

    def expectation(self):
        """Return the expectation of each variable.

        Returns
        -------
        mean : ndarray of shape (n_variables,)
            Expectations.
        """
        means = []
        for axis, part in enumerate(self.grids):
            density = self.marginal(axis).values
            if self.kind == "pmf":
                means.append(part @ density)
                continue
            left, right, width = part[:-1], part[1:], np.diff(part)
            f, g = density[:-1], density[1:]
            means.append(np.sum(width * (left * (2 * f + g) + right * (f + 2 * g))) / 6)
        return np.array(means)

    def score_samples(self, X):
        """Return the log probability or log density of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_variables)
            Samples.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
            Minus infinity off the grid.
        """
        X = np.asarray(X, dtype=float).reshape(-1, len(self.grids))
        with np.errstate(divide="ignore"):
            if self.kind == "pdf":
                look = RegularGridInterpolator(
                    self.grids, self.values, bounds_error=False, fill_value=0.0
                )
                return np.log(look(X))
            places, known = [], np.ones(len(X), dtype=bool)
            for part, column in zip(self.grids, X.T, strict=True):
                place = np.minimum(np.searchsorted(part, column), len(part) - 1)
                known &= part[place] == column
                places.append(place)
            return np.log(np.where(known, self.values[tuple(places)], 0.0))

    def sample(self, n_samples=1, random_state=None):
        """Draw samples.

        Parameters
        ----------
        n_samples : int, default=1
            Number of samples.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws.

        Returns
        -------
        X : ndarray of shape (n_samples, n_variables)
            Grid points of a pmf; for a pdf points drawn around them, by the tents that make up
            a linear interpolation.
        """
        rng = as_generator(random_state)
        mass = self.values
        for axis, rule in enumerate(self._whole()):
            mass = mass * rule.reshape([-1 if i == axis else 1 for i in range(mass.ndim)])
        chosen = rng.choice(mass.size, n_samples, p=mass.ravel() / mass.sum())
        columns = []
        for part, place in zip(self.grids, np.unravel_index(chosen, mass.shape), strict=True):
            columns.append(part[place] if self.kind == "pmf" else _tent(part, place, rng))
        return np.column_stack(columns)

    def _whole(self):
        return [self._rule(part, -np.inf, np.inf) for part in self.grids]

    def _contract(self, rules):
        total = self.values
        for rule in reversed(rules):
            total = total @ rule
        return total

    def _rule(self, part, low, high):
        """Return weights that sum or integrate over one variable from low to high."""
        if self.kind == "pmf":
            return ((part >= low) & (part <= high)).astype(float)
        left, right, width = part[:-1], part[1:], np.diff(part)
        a, b = (np.clip(end, left, right) for end in (low, high))
        # On each cell the interpolant is f (right - x) / width + g (x - left) / width.
        falling = ((right - a) ** 2 - (right - b) ** 2) / (2 * width)
        rising = ((b - left) ** 2 - (a - left) ** 2) / (2 * width)
        inside = b > a
        rule = np.zeros(len(part))
        rule[:-1] += np.where(inside, falling, 0.0)
        rule[1:] += np.where(inside, rising, 0.0)
        return rule

    def _point_rule(self, axis, value):
        """Return weights that pick or interpolate the value of one variable."""
        part = self.grids[axis]
        if not part[0] <= value <= part[-1] or (self.kind == "pmf" and value not in part):
            raise ValueError(f"Tabulated: {value} is not on the grid of variable {axis}.")
        rule = np.zeros(len(part))
        place = min(int(np.searchsorted(part, value, side="right")) - 1, len(part) - 2)
        share = (value - part[place]) / (part[place + 1] - part[place])
        rule[place], rule[place + 1] = 1 - share, share
        return rule


def _tent(part, place, rng):
    """Draw from the tents of grid points: rising from the left neighbour, falling to the right."""
    left = part[place] - part[np.maximum(place - 1, 0)]
    right = part[np.minimum(place + 1, len(part) - 1)] - part[place]
    goes_left = rng.random(len(place)) * (left + right) < left
    away = 1 - np.sqrt(rng.random(len(place)))
    return part[place] + np.where(goes_left, -left, right) * away

"""Least squares of the same data again and again, with weights that change."""

from __future__ import annotations

import numpy as np

from shallows._core.numerics.moments import Moments
from shallows.linear._least_squares import by_cholesky, least_squares
from shallows.linear._products import of_array, of_moments

KEPT = 2**18  # entries of X up to which a centred copy of them is kept


class Reweighted:
    """Data of one target, ready to be solved under any weights.

    Of small data, where a pass costs less than what it takes to prepare it, a copy moved to its
    mean is kept, one row for each feature and one for the target.
    """

    def __init__(self, X, y, fit_intercept):
        self.X, self.Y, self.fit_intercept = X, y[:, None], fit_intercept
        self.rows = None
        if X.size <= KEPT:
            self.rows = np.vstack([X.T, y], dtype=np.float64)
            self.centre = self.rows.mean(axis=1)
            self.rows -= self.centre[:, None]

    def solve(self, weights):
        """Return the weights of the features and the offset."""
        tall = self.X.shape[0] > self.X.shape[1]
        solution = by_cholesky(self._products(weights), spectrum=False) if tall else None
        if solution is None:
            solution = least_squares(self.X, self.Y, weights, self.fit_intercept)
        return solution.coef[:, 0], solution.intercept[0]

    def _products(self, weights):
        if self.rows is None:
            return of_array(self.X, self.Y, weights, self.fit_intercept)
        with np.errstate(over="ignore", invalid="ignore"):  # products that overflow are an error
            weight, roots = float(weights.sum()), np.sqrt(weights)
            moved = self.rows * roots
            shift = moved @ roots / weight
            scatter = moved @ moved.T - weight * np.outer(shift, shift)
            moments = Moments(weight, self.centre + shift, scatter)
            return of_moments(moments, self.X.shape[1], self.fit_intercept)

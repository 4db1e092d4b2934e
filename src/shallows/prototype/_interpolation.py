"""Interpolation by the least total distance, or by the mode of a sum of Gaussians."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.data import check_new, check_regression
from shallows._core.contract.params import PositiveFloat, check_params
from shallows._core.numerics.compile import compiled
from shallows._core.numerics.neighbors import refuse_extremes
from shallows._core.numerics.threads import block_slices, map_blocks

CELLS = 2**20
HALVINGS = 60
PER_WIDTH = 16  # candidates per standard deviation
CLOSE = 1e-9  # standard deviations: the error left is about the square of the last step


class InterpolationRegressor(RegressorMixin, BaseEstimator):
    r"""Regression that places the answer among the training points, inputs and targets alike.

    Above a query :math:`u`, the answer :math:`y` is searched along the axis of the target:

    - "distance": the point :math:`(u, y)` has the least sum of distances to all training
      points :math:`(u_i, y_i)`. The problem is convex. The answer need not pass through the
      training points.
    - "gaussian": a Gaussian of variance `s2` stands on each training point, and the sum of all
      is largest at :math:`(u, y)`. A small variance gives several modes, a large one tends to
      the mean of the targets.

    Least curvature in one dimension is :class:`scipy.interpolate.CubicSpline`, the mean
    weighted by inverse distances is :class:`InverseDistanceRegressor`.

    Parameters
    ----------
    criterion : {"distance", "gaussian"}, default="distance"
        What the answer optimises.
    s2 : float, default=1.0
        Variance of the Gaussians.

    Attributes
    ----------
    X_fit_ : ndarray of shape (n_samples, n_features)
        Training rows.
    y_fit_ : ndarray of shape (n_samples,)
        Their targets.
    sample_weight_ : ndarray of shape (n_samples,)
        Their weights in the sums, relative to the largest.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Notes
    -----
    The mode is searched on a grid of 16 values per standard deviation around each target, then
    refined. The logarithm of a sum of Gaussians bends down no more than each of them, so the
    sum at the mode found is at least 0.9995 times the largest.

    Examples
    --------
    >>> from shallows.prototype import InterpolationRegressor
    >>> model = InterpolationRegressor("distance").fit([[0.0], [3.0]], [0.0, 3.0])
    >>> model.predict([[1.0], [2.0]]).round(6)
    array([1., 2.])
    """

    _takes_any_size = True  # distances are in double precision, which is checked for them

    def __init__(
        self,
        criterion: Literal["distance", "gaussian"] = "distance",
        *,
        s2: PositiveFloat = 1.0,
    ):
        self.criterion = criterion
        self.s2 = s2

    def fit(self, X, y, sample_weight=None):
        """Keep the training points.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each point in the sums.

        Returns
        -------
        self : InterpolationRegressor
            The fitted estimator.
        """
        check_params(self)
        self.X_fit_, self.y_fit_, weights = check_regression(
            self, X, y, sample_weight, multi_output=False
        )
        refuse_extremes("InterpolationRegressor", self.X_fit_)
        kind = self.X_fit_.dtype
        shares = np.maximum(weights / weights.max(), np.finfo(kind).tiny)  # none becomes zero
        self.sample_weight_ = shares.astype(kind)
        return self

    def predict(self, X):
        """Return the targets that optimise the criterion.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predictions, between the smallest and the largest target.
        """
        X = check_new(self, X)
        refuse_extremes("InterpolationRegressor", X, queries=True)
        y, weights = self.y_fit_.astype(np.float64), self.sample_weight_.astype(np.float64)
        if self.criterion == "distance":

            def solve(squared):
                return least_total_distance(squared, y, weights)

        else:
            candidates = _around(y, np.sqrt(self.s2))

            def solve(squared):
                squared -= squared.min(axis=1, keepdims=True)  # so that not all underflow
                shares = weights * np.exp(-squared / (2 * self.s2))
                best = _highest(shares, y, candidates, self.s2)
                return climb(shares, y, best, np.sqrt(self.s2), 1 / PER_WIDTH)

        parts = map_blocks(
            lambda rows: solve(cdist(X[rows], self.X_fit_, "sqeuclidean")),
            len(X),
            max(1, CELLS // len(y)),
        )
        return np.concatenate(parts).astype(X.dtype)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # far points count as well
        return tags


def _around(y, width):
    """Return values close by each target, where alone a mode can lie."""
    step = width / PER_WIDTH
    near = np.round((y - y.min()) / step)[:, None] + np.arange(-PER_WIDTH - 1, PER_WIDTH + 2)
    inside = np.unique(np.clip(near, 0, np.ceil((y.max() - y.min()) / step)))
    return y.min() + step * inside


def _highest(shares, y, candidates, s2):
    """Return the candidate with the largest sum of Gaussians for each row of shares."""
    best, height = np.full(len(shares), candidates[0]), np.full(len(shares), -1.0)
    for part in block_slices(len(candidates), max(1, CELLS // max(len(y), len(shares)))):
        sums = shares @ np.exp(-((y[:, None] - candidates[part]) ** 2) / (2 * s2))
        top = sums.argmax(axis=1)
        value = sums[np.arange(len(sums)), top]
        best = np.where(value > height, candidates[part][top], best)
        height = np.maximum(height, value)
    return best


@compiled
def least_total_distance(squared, y, weights):
    """Halve the range of the targets where the slope of the sum of distances changes sign."""
    found = np.empty(len(squared))
    lowest, highest = y.min(), y.max()
    for q in range(len(squared)):
        low, high = lowest, highest
        for _ in range(HALVINGS):
            # The slope of the weighted sum of distances at the middle; the sum is convex.
            middle = (low + high) / 2
            slope = 0.0
            for i in range(len(y)):
                gap = middle - y[i]
                length = np.sqrt(squared[q, i] + gap * gap)
                if length > 0:
                    slope += weights[i] * gap / length
            if slope > 0:
                high = middle
            else:
                low = middle
        found[q] = (low + high) / 2
    return found


@compiled
def climb(shares, y, start, width, reach):
    """Search the largest sum of Gaussians within `reach` widths of the start.

    Newton's steps lead to where the slope changes its sign; one that would leave the bracket is
    replaced by its middle.
    """
    found = np.empty(len(shares))
    for q in range(len(shares)):
        share, at, low, high = (
            shares[q],
            start[q],
            start[q] - reach * width,
            start[q] + reach * width,
        )
        for _ in range(HALVINGS):
            # First and second derivative of the sum of Gaussians, both without a positive factor.
            slope, bend = 0.0, 0.0
            for i in range(len(y)):
                a = (at - y[i]) / width
                height = share[i] * np.exp(-0.5 * a * a)
                slope -= a * height
                bend += (a * a - 1.0) * height

            # The mode lies uphill: shrink the bracket to that side.
            if slope > 0.0:
                low = at
            else:
                high = at

            # Newton's step where the sum is concave, else half the bracket.
            step = -width * slope / bend if bend < 0.0 else np.inf
            if abs(step) <= CLOSE * width:
                at += step
                break
            at = at + step if low < at + step < high else (low + high) / 2
        found[q] = at
    return found

"""Polynomial regression with an optional penalty on weights or on roughness."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from shallows._core.contract.data import check_new, check_regression
from shallows._core.contract.magnitude import refuse_too_large
from shallows._core.contract.params import (
    FiniteFloat,
    NonNegativeFloat,
    NonNegativeInt,
    accepts,
    check_params,
    check_value,
)
from shallows._core.numerics.compile import compiled
from shallows._core.numerics.threads import map_blocks
from shallows.linear._least_squares import least_squares
from shallows.linear._linear_model import warn_of_rank

BLOCK_ROWS = 4096


class PolynomialRegression(RegressorMixin, BaseEstimator):
    r"""Sum of polynomials, one of each input, with the least mean squared error.

    With one input it is :math:`p(x) = b + \sum_{j=1}^m w_j x^j`. A penalty adds
    :math:`\alpha` times the squared weights, or times the roughness
    :math:`\int_u^v p''(x)^2 dx`, to the mean squared error; the larger the roughness penalty,
    the closer the curve comes to a straight line. The problem is solved by QR with
    refinement, never through products of powers, so that high degrees keep their digits.

    Parameters
    ----------
    degree : int, default=3
        Degree m; 0 is the mean.
    penalty : str or None, default=None
        "ridge" for the squared weights, "roughness" for the curvature, None for neither.
    alpha : float, default=0.0
        Strength of the penalty; without effect where there is none.
    interval : tuple of two floats, default=(0.0, 1.0)
        Ends u and v of the interval over which the roughness is measured.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features_in_, degree)
        Weights of the powers 1 to m of each input.
    intercept_ : float
        Offset b.
    rank_ : int
        Rank of the powers, centred, together with the penalty.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    Examples
    --------
    >>> from shallows.data import curve_fitting
    >>> from shallows.linear import PolynomialRegression
    >>> x, y = curve_fitting()
    >>> model = PolynomialRegression(degree=3).fit(x[:, None], y)
    >>> round(float(model.intercept_), 2), model.coef_.round(2)
    (0.31, array([[  7.99, -25.43,  17.37]]))
    """

    def __init__(
        self,
        degree: NonNegativeInt = 3,
        *,
        penalty: Literal["ridge", "roughness"] | None = None,
        alpha: NonNegativeFloat = 0.0,
        interval: tuple = (0.0, 1.0),
    ):
        self.degree = degree
        self.penalty = penalty
        self.alpha = alpha
        self.interval = interval

    def fit(self, X, y, sample_weight=None):
        """Find the polynomials.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each sample; a sample of weight two counts as two samples.

        Returns
        -------
        self : PolynomialRegression
            The fitted estimator.
        """
        check_params(self)
        _check_interval("PolynomialRegression", self.interval)
        X, y, weights = check_regression(self, X, y, sample_weight, multi_output=False)
        design = _design(X, self.degree)
        if design is None:
            raise ValueError(
                f"PolynomialRegression: degree={self.degree} takes powers of X beyond the range "
                "of numbers. Scale X, or lower the degree."
            )

        # A penalty is a few more rows whose targets are zero.
        rows = self._penalty_rows(X.shape[1], weights.sum())
        if len(rows):
            design = np.vstack([design, rows])
            y = np.concatenate([y, np.zeros(len(rows))])
            weights = np.concatenate([weights, np.ones(len(rows))])
        solution = least_squares(
            design, y[:, None], weights, fit_intercept=False, solver="qr", spectrum=False
        )
        enough = len(design) >= design.shape[1]
        warn_of_rank(self, solution.rank, design.shape[1] if enough else solution.rank)
        self.coef_ = solution.coef[1:, 0].reshape(X.shape[1], self.degree).astype(X.dtype)
        self.intercept_ = X.dtype.type(solution.coef[0, 0])
        self.rank_ = solution.rank - 1
        return self

    def predict(self, X):
        """Return the values of the polynomials.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predictions.
        """
        X = check_new(self, X)
        total = np.full(len(X), self.intercept_, dtype=X.dtype)
        for column, weights in zip(X.T, self.coef_, strict=True):
            power = np.zeros_like(total)
            for weight in weights[::-1]:  # Horner's scheme
                power = (power + weight) * column
            total += power
        return total

    def _penalty_rows(self, n_features, weight):
        """Return rows whose squared product with the weights is the penalty."""
        if self.penalty is None or self.alpha == 0 or self.degree == 0:
            return np.zeros((0, 1 + n_features * self.degree))
        own = np.eye(self.degree)
        if self.penalty == "roughness":
            own = _curvature(self.degree, *self.interval)[:, 1:]
        rows = np.kron(np.eye(n_features), own) * np.sqrt(weight * self.alpha)
        return np.hstack([np.zeros((len(rows), 1)), rows])


def roughness_matrix(degree: int, interval: tuple = (0.0, 1.0)) -> np.ndarray:
    r"""Return the matrix of the roughness of polynomials, as a form of their weights.

    :math:`\int_u^v p''(x)^2 dx = \theta' C \theta` for
    :math:`p(x) = \sum_j \theta_j x^j`; on [0, 1]
    :math:`C_{ij} = i (i-1) j (j-1) / (i + j - 3)`.

    Parameters
    ----------
    degree : int
        Degree of the polynomials.
    interval : tuple of two floats, default=(0.0, 1.0)
        Ends u and v.

    Returns
    -------
    C : ndarray of shape (degree + 1, degree + 1)
        Positive semi-definite; the rows and columns of offset and slope are zero.

    Examples
    --------
    >>> from shallows.linear import roughness_matrix
    >>> roughness_matrix(3)[2:, 2:].round(12)
    array([[ 4.,  6.],
           [ 6., 12.]])
    """
    check_value("roughness_matrix", "degree", NonNegativeInt, degree)
    _check_interval("roughness_matrix", interval)
    rows = _curvature(degree, *interval)
    return rows.T @ rows


def _check_interval(owner, interval):
    ends = interval if isinstance(interval, tuple) else tuple(np.ravel(interval))
    if len(ends) != 2 or not all(accepts(FiniteFloat, end) for end in ends) or ends[0] >= ends[1]:
        raise ValueError(
            f"{owner}: interval must be (u, v) with u < v, both finite, got {interval!r}."
        )


def _design(X, degree):
    """Return ones, then powers 1 to degree of each column, column by column, in float64.

    The offset is a column of its own, since the rows of a penalty don't have one. None where a
    power is not finite.
    """
    refuse_too_large("PolynomialRegression", f"degree={degree}", len(X), 1 + X.shape[1] * degree)
    design = np.empty((len(X), 1 + X.shape[1] * degree))
    finite = map_blocks(lambda rows: write_powers(X[rows], design[rows]), len(X), BLOCK_ROWS)
    return design if all(finite) else None


def _curvature(degree, low, high):
    """Return rows L with L'L = C: weighted second derivatives at the nodes of Gauss."""
    nodes, weights = np.polynomial.legendre.leggauss(max(degree - 1, 1))
    nodes = low + (high - low) * (nodes + 1) / 2
    weights = weights * (high - low) / 2
    powers = np.arange(degree + 1)
    factors = powers * (powers - 1)
    derivatives = factors * nodes[:, None] ** np.maximum(powers - 2, 0)
    return np.sqrt(weights)[:, None] * derivatives


@compiled
def write_powers(X, design):
    """Write a row of ones and powers for each row of X, and tell whether all are finite."""
    n, d = X.shape
    degree, total = (design.shape[1] - 1) // d, 0.0
    for i in range(n):
        row = design[i]
        row[0] = 1.0
        for j in range(d):
            x, power = np.float64(X[i, j]), 1.0
            for k in range(1 + j * degree, 1 + (j + 1) * degree):
                power *= x
                row[k] = power
            total += 0.0 * power
    return total == 0.0

"""Extrapolation of a learning curve to more data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, stats

from shallows._core.contract.params import Fraction, check_arguments

Floats = NDArray[np.float64]
FEWEST_SIZES = 4  # three parameters and one degree of freedom
STEEPEST = 10.0  # a larger exponent is a step, not a power law
LARGEST_SPREAD = 1.0  # standard error of the asymptote, relative to the fall of the curve


@dataclass(frozen=True)
class PowerLaw:
    """The law error = asymptote + factor * n^-exponent, fitted to a learning curve.

    Parameters
    ----------
    asymptote : float
        Error with infinitely many rows.
    factor : float
        Height of the curve above the asymptote at n = 1.
    exponent : float
        How fast the error falls.
    covariance : ndarray of shape (3, 3)
        Covariance of asymptote, factor and exponent.
    residual : float
        Standard deviation of the measured errors around the law.
    degrees_of_freedom : int
        Measured sizes minus parameters.
    level : float
        Level of the intervals.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.validate import PowerLaw
    >>> law = PowerLaw(0.1, 2.0, 0.5, np.eye(3) * 1e-6, 0.01, 5, level=0.95)
    >>> round(float(law.predict(100)), 6), law.rows_needed(0.05)
    (0.3, inf)
    """

    asymptote: float
    factor: float
    exponent: float
    covariance: Floats
    residual: float
    degrees_of_freedom: int
    level: float

    def predict(self, n: ArrayLike) -> Floats:
        """Return the error expected with `n` training rows.

        Parameters
        ----------
        n : array-like
            Numbers of training rows.

        Returns
        -------
        error : ndarray
            Value of the law.
        """
        return self.asymptote + self.factor * np.asarray(n, dtype=float) ** -self.exponent

    def interval(self, n: ArrayLike) -> tuple[Floats, Floats]:
        """Return the confidence interval of the curve at `n` rows, by the delta method.

        Parameters
        ----------
        n : array-like
            Numbers of training rows.

        Returns
        -------
        low, high : ndarray
            Ends of the interval. It covers the uncertainty of the parameters, not of the form.
        """
        sizes = np.atleast_1d(np.asarray(n, dtype=float))
        slopes = _slopes(sizes, self.factor, self.exponent)
        spread = np.sqrt(np.einsum("ij,jk,ik->i", slopes, self.covariance, slopes))
        reach = stats.t.ppf((1 + self.level) / 2, self.degrees_of_freedom) * spread
        middle = self.predict(sizes)
        return middle - reach, middle + reach

    def rows_needed(self, error: float) -> float:
        """Return how many training rows bring the error down to a given value.

        Parameters
        ----------
        error : float
            The wanted error.

        Returns
        -------
        n : float
            Number of rows; infinite at or below the asymptote.
        """
        if error <= self.asymptote:
            return np.inf
        return float((self.factor / (error - self.asymptote)) ** (1 / self.exponent))

    def summary(self) -> str:
        """Describe the result in words.

        Returns
        -------
        text : str
            One sentence.
        """
        reach = stats.t.ppf((1 + self.level) / 2, self.degrees_of_freedom)
        margin = reach * np.sqrt(self.covariance[0, 0])
        return (
            f"The error falls as {self.factor:.3g} n^-{self.exponent:.3g} towards "
            f"{self.asymptote:.3g} ± {margin:.2g} ({self.level:.0%} interval)."
        )


def extrapolate_learning_curve(sizes: Any, errors: Any, *, level: Fraction = 0.95) -> PowerLaw:
    r"""Fit an inverse power law to a learning curve.

    The law :math:`e(n) = a + b n^{-c}` with :math:`b, c > 0` and :math:`a \geq 0` is fitted by
    least squares. A curve that does not determine the three parameters is refused: too few sizes,
    sizes too close together, an error that does not fall, or unbounded uncertainty.

    Parameters
    ----------
    sizes : array-like of shape (n_sizes,)
        Numbers of training rows, as `sklearn.model_selection.learning_curve` returns them.
    errors : array-like of shape (n_sizes,) or (n_sizes, n_folds)
        Errors on unseen rows; several folds are averaged. Turn scores into errors first, for
        example one minus accuracy.
    level : float, default=0.95
        Level of the intervals.

    Returns
    -------
    law : PowerLaw
        The law, with predictions and their intervals.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.validate import extrapolate_learning_curve
    >>> n = np.array([50, 100, 200, 400, 800])
    >>> errors = 0.1 + 2 * n**-0.5 + np.array([1, -1, 1, -1, 1]) * 1e-4
    >>> law = extrapolate_learning_curve(n, errors)
    >>> low, high = law.interval(10_000)
    >>> bool(low[0] < 0.12 < high[0]), round(law.rows_needed(0.15), -2)
    (True, 1600.0)
    """
    check_arguments(extrapolate_learning_curve, locals())
    n, e = _checked(sizes, errors)
    # Sizes relative to their geometric mean make the three parameters less correlated.
    scale = float(np.exp(np.log(n).mean()))
    ratio = n / scale

    def misfit(parameters: Floats) -> Floats:
        a, b, c = parameters
        return a + b * ratio**-c - e

    def slope(parameters: Floats) -> Floats:
        return _slopes(ratio, parameters[1], parameters[2])

    found = optimize.least_squares(
        misfit,
        _start(ratio, e),
        jac=slope,
        bounds=([0.0, 0.0, 1e-6], [np.inf, np.inf, STEEPEST]),
        x_scale=[np.ptp(e), np.ptp(e), 1.0],
        xtol=1e-14,
        ftol=1e-14,
        gtol=1e-14,
        max_nfev=5000,
    )
    a, b, c = found.x
    freedom = len(n) - 3
    variance = 2 * found.cost / freedom
    covariance = _covariance(found.jac, variance, float(np.ptp(e)), c)
    # Transform the estimates from relative sizes back to rows, and the covariance with them.
    turn = np.diag([1.0, scale**c, 1.0])
    turn[1, 2] = b * scale**c * np.log(scale)  # the factor at n = 1 also depends on the exponent
    return PowerLaw(
        asymptote=float(a),
        factor=float(b * scale**c),
        exponent=float(c),
        covariance=turn @ covariance @ turn.T,
        residual=float(np.sqrt(variance)),
        degrees_of_freedom=freedom,
        level=level,
    )


def _checked(sizes: Any, errors: Any) -> tuple[Floats, Floats]:
    n, e = np.asarray(sizes, dtype=float), np.asarray(errors, dtype=float)
    if e.ndim == 2:
        e = e.mean(axis=1)
    if n.ndim != 1 or n.shape != e.shape:
        raise ValueError(
            "extrapolate_learning_curve: errors must have one row per size, got "
            f"{np.shape(sizes)} sizes and errors of shape {np.shape(errors)}."
        )
    if not (np.isfinite(e).all() and np.isfinite(n).all() and (n > 0).all()):
        raise ValueError("extrapolate_learning_curve: sizes must be positive, errors finite.")
    if len(np.unique(n)) < FEWEST_SIZES:
        raise ValueError(
            f"extrapolate_learning_curve needs at least {FEWEST_SIZES} different sizes to fit "
            f"three parameters, got {len(np.unique(n))}."
        )
    slope = stats.linregress(np.log(n), e).slope
    if slope >= 0:
        raise ValueError(
            "extrapolate_learning_curve: the errors don't fall with the number of rows, so there "
            "is nothing to extrapolate. Turn scores into errors first."
        )
    return n, e


def _start(ratio: Floats, e: Floats) -> Floats:
    """Return start values: for a fixed exponent the law is linear, so try several exponents."""
    best, least = np.array([max(0.0, e.min()), np.ptp(e), 0.5]), np.inf
    for exponent in np.geomspace(0.05, 4, 30):
        design = np.column_stack([np.ones_like(ratio), ratio**-exponent])
        weights, misfit = optimize.nnls(design, e)
        if misfit < least and weights[1] > 0:
            best, least = np.array([*weights, exponent]), misfit
    return best


def _slopes(n: Floats, factor: float, exponent: float) -> Floats:
    power = n**-exponent
    return np.column_stack([np.ones_like(n), power, -factor * power * np.log(n)])


def _covariance(jacobian: Any, variance: float, fall: float, exponent: float) -> Floats:
    """Return the covariance of the estimates; refuse a curve that does not determine them."""
    normal = jacobian.T @ jacobian
    scale = np.sqrt(np.diag(normal))
    # Scaled to unit diagonal, a large condition number means that parameters are confounded.
    flat = (scale == 0).any() or np.linalg.cond(normal / np.outer(scale, scale)) > 1e12
    if not flat and exponent < 0.999 * STEEPEST:
        covariance: Floats = np.linalg.inv(normal) * variance
        if np.sqrt(covariance[0, 0]) < LARGEST_SPREAD * fall:
            return covariance
    raise ValueError(
        "extrapolate_learning_curve: the curve does not determine asymptote, factor and exponent "
        "separately. Measure sizes over a wider range, and repeat folds."
    )

"""The Wiener filter, and the quadratic risk that it minimises."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh


class PerformanceSurface(NamedTuple):
    r"""Risk as a function of the weights, :math:`R(w) = R_{min} + \sum_j \lambda_j \tilde v_j^2`.

    The deviations :math:`\tilde v = U^T (w - w_{opt})` are coordinates along the `axes`, the
    columns of U. `curvatures` are the eigenvalues :math:`\lambda` in ascending order; `spread` is
    the largest divided by the smallest.
    """

    optimum: np.ndarray
    minimum: float
    curvatures: np.ndarray
    axes: np.ndarray

    @property
    def spread(self) -> float:
        """Largest over smallest curvature."""
        return float(self.curvatures[-1] / self.curvatures[0])


def wiener(R, p) -> np.ndarray:
    """Return the weights of least risk, which solve R w = p.

    If R is singular, the shortest solution is returned.

    Parameters
    ----------
    R : array-like of shape (length, length)
        Correlations of the inputs.
    p : array-like of shape (length,)
        Correlations of inputs and desired output.

    Returns
    -------
    weights : ndarray of shape (length,)
        The Wiener-Hopf solution.

    Examples
    --------
    >>> from shallows.signal import wiener
    >>> wiener([[2.0, 1.0], [1.0, 2.0]], [3.0, 0.0])
    array([ 2., -1.])
    """
    R, p = _moments(R, p)
    return np.linalg.lstsq(R, p, rcond=None)[0]


def risk(weights, R, p, power: float) -> np.ndarray:
    r"""Return :math:`E[(d - w^T x)^2] = E[d^2] - 2 w^T p + w^T R w`.

    Parameters
    ----------
    weights : array-like of shape (..., length)
        Weights, or several weight vectors.
    R : array-like of shape (length, length)
        Correlations of the inputs.
    p : array-like of shape (length,)
        Correlations of inputs and desired output.
    power : float
        Mean square of the desired output.

    Returns
    -------
    risk : float or ndarray
        Mean squared errors.

    Examples
    --------
    >>> from shallows.signal import risk
    >>> float(risk([1.0], [[2.0]], [1.0], power=3.0))
    3.0
    """
    R, p = _moments(R, p)
    weights = np.asarray(weights, dtype=np.float64)
    return power - 2 * weights @ p + np.einsum("...i,...i->...", weights @ R, weights)


def performance_surface(R, p, power: float) -> PerformanceSurface:
    """Return minimum, axes and curvatures of the risk.

    Parameters
    ----------
    R : array-like of shape (length, length)
        Correlations of the inputs.
    p : array-like of shape (length,)
        Correlations of inputs and desired output.
    power : float
        Mean square of the desired output.

    Returns
    -------
    surface : PerformanceSurface
        The paraboloid in normal coordinates.

    Examples
    --------
    >>> from shallows.signal import performance_surface
    >>> performance_surface([[2.0, 1.0], [1.0, 2.0]], [3.0, 0.0], power=7.0).optimum
    array([ 2., -1.])
    """
    R, p = _moments(R, p)
    optimum = wiener(R, p)
    curvatures, axes = eigh(R)
    return PerformanceSurface(optimum, float(power - optimum @ p), curvatures, axes)


def _moments(R, p):
    R, p = np.asarray(R, dtype=np.float64), np.asarray(p, dtype=np.float64)
    if p.ndim != 1 or R.shape != (len(p), len(p)) or not np.allclose(R, R.T):
        raise ValueError(
            "wiener: R must be symmetric with as many rows and columns as p has entries, got "
            f"shapes {R.shape} and {p.shape}."
        )
    return R, p

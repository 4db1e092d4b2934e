"""The curse of dimensionality in numbers."""

from __future__ import annotations

from reprlib import repr as short

import numpy as np
from scipy.integrate import quad
from scipy.special import erf, factorial

from shallows._core.contract.params import NonNegativeInt, PositiveInt, check_value

# Taylor series of phi(s^2) - 1 in -s^2, for small s.
_POWERS = np.arange(1, 20)
_SERIES = 1 / (factorial(_POWERS) * (2 * _POWERS + 1) * (_POWERS + 1))


def edge_length(fraction, n):
    r"""Return the side of a cube that captures a fraction of the unit cube, :math:`r^{1/n}`.

    Parameters
    ----------
    fraction : float or array-like
        Share :math:`r` of uniform data to capture, between 0 and 1.
    n : int or array-like
        Dimension.

    Returns
    -------
    side : float or ndarray
        Side of the cube in n dimensions. Near 1 a neighbourhood is no longer local.

    Examples
    --------
    >>> from shallows.theory import edge_length
    >>> edge_length([0.01, 0.1], 10).round(3)
    array([0.631, 0.794])
    """
    fraction, n = _shares("edge_length", "fraction", fraction), _counts("edge_length", "n", n)
    return fraction ** (1 / n)


def captured_fraction(side, n):
    r"""Return the share of the unit cube inside a smaller cube, :math:`s^n`.

    Parameters
    ----------
    side : float or array-like
        Side :math:`s`, between 0 and 1.
    n : int or array-like
        Dimension.

    Returns
    -------
    fraction : float or ndarray
        Share of uniform data captured.

    Examples
    --------
    >>> from shallows.theory import captured_fraction
    >>> captured_fraction(0.3, [1, 2, 3, 10]).round(7)
    array([3.0e-01, 9.0e-02, 2.7e-02, 5.9e-06])
    """
    side, n = _shares("captured_fraction", "side", side), _counts("captured_fraction", "n", n)
    return side**n


def median_nearest_distance(n_points, n):
    r"""Return the median distance from the centre of the unit ball to the nearest point.

    For :math:`l` uniform points in n dimensions it is :math:`(1 - 2^{-1/l})^{1/n}`.

    Parameters
    ----------
    n_points : int or array-like
        Number of points :math:`l`.
    n : int or array-like
        Dimension.

    Returns
    -------
    distance : float or ndarray
        Between 0, the centre, and 1, the surface.

    Examples
    --------
    >>> from shallows.theory import median_nearest_distance
    >>> median_nearest_distance(500, [1, 2, 10]).round(4)
    array([0.0014, 0.0372, 0.5178])
    """
    points = _counts("median_nearest_distance", "n_points", n_points)
    n = _counts("median_nearest_distance", "n", n)
    return (-np.expm1(-np.log(2) / points)) ** (1 / n)


def mean_distance(n: PositiveInt) -> float:
    r"""Return the mean distance of two uniform points in the unit cube.

    About :math:`\sqrt{n / 6}` for large n. The exact value is :math:`\frac{1}{\sqrt\pi}
    \int_0^\infty (1 - \phi(s^2)^n) s^{-2} ds` with the Laplace transform :math:`\phi` of the
    squared distance along one axis.

    Parameters
    ----------
    n : int
        Dimension.

    Returns
    -------
    distance : float
        Mean distance; the longest diagonal of the cube is the square root of n.

    Examples
    --------
    >>> from shallows.theory import mean_distance
    >>> [round(mean_distance(n), 4) for n in (1, 2, 3, 100, 1000)]
    [0.3333, 0.5214, 0.6617, 4.0753, 12.9077]
    """
    check_value("mean_distance", "n", PositiveInt, n)
    # The integrand changes its form at 1, so each side is integrated for itself.
    low = quad(_deficit, 0, 1, args=(n,), epsabs=1e-12, epsrel=1e-12, limit=200)[0]
    high = quad(_deficit, 1, np.inf, args=(n,), epsabs=1e-12, epsrel=1e-12, limit=200)[0]
    return float((low + high) / np.sqrt(np.pi))


def count_corners(n: NonNegativeInt) -> int:
    """Count the corners of a cube in n dimensions, ``2**n``.

    Parameters
    ----------
    n : int
        Dimension.

    Returns
    -------
    corners : int
        Exact. To have one point near every corner, at least as many points are needed.

    Examples
    --------
    >>> from shallows.theory import count_corners
    >>> count_corners(100)
    1267650600228229401496703205376
    """
    check_value("count_corners", "n", NonNegativeInt, n)
    return 2 ** int(n)


def equal_density_size(n_points: PositiveInt, n: PositiveInt) -> int:
    """Return how many points in n dimensions have the density of given points on a line.

    Parameters
    ----------
    n_points : int
        Points on the unit interval.
    n : int
        Dimension.

    Returns
    -------
    size : int
        ``n_points**n``, exact.

    Examples
    --------
    >>> from shallows.theory import equal_density_size
    >>> equal_density_size(100, 10) == 10**20
    True
    """
    check_value("equal_density_size", "n_points", PositiveInt, n_points)
    check_value("equal_density_size", "n", PositiveInt, n)
    return int(n_points) ** int(n)


def _deficit(s: float, n: int) -> float:
    """Return (1 - phi(s^2)^n) / s^2 with phi of the squared difference of two uniform numbers."""
    if s == 0:
        return n / 6
    if s < 1:
        phi_minus_one = (-(s**2)) ** _POWERS @ _SERIES  # the closed form below would cancel
    else:
        phi_minus_one = np.sqrt(np.pi) * erf(s) / s + np.expm1(-(s**2)) / s**2 - 1
    return float(-np.expm1(n * np.log1p(phi_minus_one)) / s**2)


def _shares(owner, name, values):
    values = np.asarray(values, dtype=float)
    if not np.all((values >= 0) & (values <= 1)):
        raise ValueError(f"{owner}: {name} must be in [0, 1], got {short(values)}.")
    return values


def _counts(owner, name, values):
    values = np.asarray(values, dtype=float)
    if not np.all((values >= 1) & (values == np.floor(values))):
        raise ValueError(f"{owner}: {name} must be whole numbers, 1 or more, got {short(values)}.")
    return values

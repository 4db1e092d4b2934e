"""Regression data: a function plus noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from shallows._core.contract.params import NonNegativeFloat, PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState, as_generator

# C. M. Bishop, "Pattern Recognition and Machine Learning", 2006: the targets at i / 9.
TEN_TARGETS = (
    0.349486,
    0.830839,
    1.007332,
    0.971507,
    0.133066,
    0.166823,
    -0.848307,
    -0.445686,
    -0.563567,
    0.261502,
)


class Curve(NamedTuple):
    """Points and noisy values of a function of one variable."""

    x: np.ndarray
    y: np.ndarray


class Linear(NamedTuple):
    """Inputs and noisy values of a linear function."""

    X: np.ndarray
    y: np.ndarray


def add_noise(
    f: Callable, X, *, noise: NonNegativeFloat, random_state: RandomState = None
) -> np.ndarray:
    """Return ``f(X)`` plus independent Gaussian noise.

    Parameters
    ----------
    f : callable
        Function of `X` that returns one value per row.
    X : array-like
        Inputs.
    noise : float
        Standard deviation of the noise.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the noise.

    Returns
    -------
    y : ndarray
        Noisy values.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.data import add_noise
    >>> add_noise(np.square, [1, 2, 3], noise=0.0)
    array([1., 4., 9.])
    """
    check_arguments(add_noise, locals())
    values = np.asarray(f(np.asarray(X)), dtype=np.float64)
    return values + noise * as_generator(random_state).standard_normal(values.shape)


def make_linear(
    n_samples: PositiveInt,
    weights,
    *,
    noise: NonNegativeFloat = 1.0,
    random_state: RandomState = None,
) -> Linear:
    r"""Draw Gaussian inputs and :math:`y = w \cdot \xi + \sigma \eta` with Gaussian noise.

    Parameters
    ----------
    n_samples : int
        Number of examples.
    weights : array-like of shape (n_features,)
        The weights :math:`w`.
    noise : float, default=1.0
        Standard deviation :math:`\sigma` of the noise.
    random_state : int, RandomState, Generator or None, default=None
        Seeds inputs and noise.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Inputs with independent components of mean 0 and variance 1.
    y : ndarray of shape (n_samples,)
        Targets.

    Examples
    --------
    >>> from shallows.data import make_linear
    >>> X, y = make_linear(20, [1.0, -2.0], noise=0.0, random_state=0)
    >>> bool(abs(y - X @ [1.0, -2.0]).max() < 1e-12)
    True
    """
    check_arguments(make_linear, locals())
    rng = as_generator(random_state)
    w = np.atleast_1d(np.asarray(weights, dtype=np.float64))
    X = rng.standard_normal((n_samples, len(w)))
    return Linear(X, X @ w + noise * rng.standard_normal(n_samples))


def curve_fitting() -> Curve:
    r"""Return the ten points of a noisy sine to which textbooks fit polynomials.

    They follow :math:`\sin(2 \pi x)` plus noise of standard deviation 0.3 [1]_; ``noisy_sine(n,
    noise=0.3)`` draws more points from the same distribution.

    Returns
    -------
    x : ndarray of shape (10,)
        0, 1/9, ..., 1.
    y : ndarray of shape (10,)
        Targets.

    References
    ----------
    .. [1] C. M. Bishop, "Pattern Recognition and Machine Learning", 2006, Fig. 1.2.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.data import curve_fitting
    >>> x, y = curve_fitting()
    >>> np.polyfit(x, y, 3)[::-1].round(2)
    array([  0.31,   7.99, -25.43,  17.37])
    """
    return Curve(np.arange(10) / 9, np.array(TEN_TARGETS))


def noisy_sine(
    n_samples: PositiveInt = 11, *, noise: NonNegativeFloat = 0.3, random_state: RandomState = None
) -> Curve:
    r"""Return :math:`\sin(2 \pi x)` plus noise at equidistant points of [0, 1].

    Parameters
    ----------
    n_samples : int, default=11
        Number of points.
    noise : float, default=0.3
        Standard deviation of the noise.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the noise.

    Returns
    -------
    x : ndarray of shape (n_samples,)
        Points.
    y : ndarray of shape (n_samples,)
        Targets.

    Examples
    --------
    >>> from shallows.data import noisy_sine
    >>> noisy_sine(5, noise=0.0).y.round(3) + 0.0
    array([ 0.,  1.,  0., -1.,  0.])
    """
    check_arguments(noisy_sine, locals())
    x = np.linspace(0, 1, n_samples)
    y = add_noise(lambda t: np.sin(2 * np.pi * t), x, noise=noise, random_state=random_state)
    return Curve(x, y)


def noisy_cubic(
    n_samples: PositiveInt = 11, *, noise: NonNegativeFloat = 0.1, random_state: RandomState = None
) -> Curve:
    """Return the cube of x plus noise at equidistant points of [-1, 1].

    Parameters
    ----------
    n_samples : int, default=11
        Number of points.
    noise : float, default=0.1
        Standard deviation of the noise.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the noise.

    Returns
    -------
    x : ndarray of shape (n_samples,)
        Points.
    y : ndarray of shape (n_samples,)
        Targets.

    Examples
    --------
    >>> from shallows.data import noisy_cubic
    >>> noisy_cubic(3, noise=0.0).y
    array([-1.,  0.,  1.])
    """
    check_arguments(noisy_cubic, locals())
    x = np.linspace(-1, 1, n_samples)
    return Curve(x, add_noise(lambda t: t**3, x, noise=noise, random_state=random_state))

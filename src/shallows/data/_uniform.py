"""Uniform points in a cube or a ball."""

from __future__ import annotations

import numpy as np

from shallows._core.contract.params import PositiveInt, check_arguments
from shallows._core.contract.rng import RandomState, as_generator


def uniform_cube(
    n_samples: PositiveInt, n_features: PositiveInt, *, random_state: RandomState = None
) -> np.ndarray:
    """Draw uniform points from the cube [0, 1] x ... x [0, 1].

    Parameters
    ----------
    n_samples : int
        Number of points.
    n_features : int
        Dimension.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the points.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Points.

    Examples
    --------
    >>> from shallows.data import uniform_cube
    >>> uniform_cube(5, 3, random_state=0).shape
    (5, 3)
    """
    check_arguments(uniform_cube, locals())
    return as_generator(random_state).random((n_samples, n_features))


def uniform_ball(
    n_samples: PositiveInt, n_features: PositiveInt, *, random_state: RandomState = None
) -> np.ndarray:
    r"""Draw uniform points from the unit ball around the origin; in two dimensions, a disc.

    The point nearest to the origin has the median distance :math:`(1 - 2^{-1/n})^{1/d}`. In ten
    dimensions, 500 points leave more than half of the radius empty.

    Parameters
    ----------
    n_samples : int
        Number of points n.
    n_features : int
        Dimension d.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the points.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Points.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.data import uniform_ball
    >>> bool(np.linalg.norm(uniform_ball(100, 10, random_state=0), axis=1).max() <= 1)
    True
    """
    check_arguments(uniform_ball, locals())
    rng = as_generator(random_state)
    # A uniform direction; the d-th root of a uniform number is a radius with uniform volume.
    X = rng.standard_normal((n_samples, n_features))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X * rng.random((n_samples, 1)) ** (1 / n_features)

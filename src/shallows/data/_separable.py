"""Two classes that are linearly separable, nearly so, or not at all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shallows._core.contract.params import (
    NonNegativeFloat,
    PositiveInt,
    Probability,
    check_arguments,
)
from shallows._core.contract.rng import RandomState, as_generator


class Separable(NamedTuple):
    """Inputs, labels -1 and 1, and the unit normal of the separating plane."""

    X: np.ndarray
    y: np.ndarray
    weights: np.ndarray


class Labelled(NamedTuple):
    """Inputs and labels."""

    X: np.ndarray
    y: np.ndarray


def make_separable(
    n_samples: PositiveInt,
    n_features: PositiveInt = 2,
    *,
    margin: NonNegativeFloat = 0.1,
    flip: Probability = 0.0,
    random_state: RandomState = None,
) -> Separable:
    """Draw Gaussian points on both sides of a hyperplane through the origin, none near it.

    Parameters
    ----------
    n_samples : int
        Number of points.
    n_features : int, default=2
        Dimension.
    margin : float, default=0.1
        Smallest distance of a point from the plane.
    flip : float, default=0.0
        Share of labels that are flipped afterwards: exactly ``round(flip * n_samples)``.
    random_state : int, RandomState, Generator or None, default=None
        Seeds plane, points and flipped labels.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Points.
    y : ndarray of shape (n_samples,)
        Labels -1.0 and 1.0.
    weights : ndarray of shape (n_features,)
        Unit normal of the plane.

    Examples
    --------
    >>> from shallows.data import make_separable
    >>> X, y, weights = make_separable(50, margin=0.5, random_state=0)
    >>> bool((y * (X @ weights)).min() >= 0.5)
    True
    """
    check_arguments(make_separable, locals())
    rng = as_generator(random_state)
    weights = rng.standard_normal(n_features)
    weights /= np.linalg.norm(weights)
    X = rng.standard_normal((n_samples, n_features))
    y = 2.0 * rng.integers(2, size=n_samples) - 1.0
    # Redraw the height above the plane beyond the margin: rejection would take long for a wide one.
    height = margin + np.abs(rng.standard_normal(n_samples))
    X += np.outer(y * height - X @ weights, weights)
    y[rng.permutation(n_samples)[: round(flip * n_samples)]] *= -1.0
    return Separable(X, y, weights)


def least_squares_counterexample() -> Labelled:
    """Return four points on a line that least squares fails to separate.

    With targets 0 and 1 the fitted line crosses 1/2 at 3.25, on the wrong side of the point at 2,
    because the far point at 10 has too much influence. A perceptron separates them.

    Returns
    -------
    X : ndarray of shape (4, 1)
        0, 1, 2 and 10.
    y : ndarray of shape (4,)
        0, 0, 1 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.data import least_squares_counterexample
    >>> X, y = least_squares_counterexample()
    >>> slope, offset = np.polyfit(X[:, 0], y, 1)
    >>> round(float((0.5 - offset) / slope), 2)
    3.25
    """
    return Labelled(np.array([[0.0], [1.0], [2.0], [10.0]]), np.array([0.0, 0.0, 1.0, 1.0]))


def make_quadrants(n_samples: PositiveInt, *, random_state: RandomState = None) -> Labelled:
    r"""Draw points of a square with classes in opposite sectors, as in exclusive or.

    The label is the sign of :math:`x_1^2 + \sqrt{2} x_1 x_2 - x_2^2`. The border consists of two
    orthogonal lines through the origin, so no single line separates the classes. A plane in the
    features :math:`(x_1^2, \sqrt{2} x_1 x_2, x_2^2)` does.

    Parameters
    ----------
    n_samples : int
        Number of points.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the points.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Uniform points of [-1, 1] x [-1, 1].
    y : ndarray of shape (n_samples,)
        Labels -1.0 and 1.0.

    Examples
    --------
    >>> from shallows.data import make_quadrants
    >>> X, y = make_quadrants(100, random_state=0)
    >>> X.shape, sorted({float(label) for label in y})
    ((100, 2), [-1.0, 1.0])
    """
    check_arguments(make_quadrants, locals())
    X = as_generator(random_state).uniform(-1, 1, size=(n_samples, 2))
    first, second = X.T
    value = first**2 + np.sqrt(2) * first * second - second**2
    return Labelled(X, np.where(value >= 0, 1.0, -1.0))
